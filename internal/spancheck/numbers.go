package spancheck

import (
	"cmp"
	"fmt"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// Rules about the emitter's numbering.
const (
	ruleSeq        = "seq"
	ruleUnnumbered = "unnumbered"
)

// runKey is one run of one process.
type runKey struct{ instance, epoch string }

// run is what a run of an emitter has numbered.
type run struct {
	numbered []numbered
	plain    []where // spans without a number
	dropped  int64
	first    where
	// low and high are what the request under way claims to carry.
	low, high int64
	claimed   bool
}

type numbered struct {
	where
	seq int64
}

// run returns the run that a request belongs to, with the request's claim.
func (c *checker) run(at where, resource pcommon.Resource, scope pcommon.InstrumentationScope) *run {
	key := runKey{instanceOf(resource), text(scope.Attributes(), semconv.AttrEmitterEpoch)}
	r := c.runs[key]
	if r == nil {
		r = &run{first: at}
		c.runs[key] = r
		c.runIDs = append(c.runIDs, key)
	}
	low, hasLow := number(scope.Attributes(), semconv.AttrEmitterFirstSeq)
	high, hasHigh := number(scope.Attributes(), semconv.AttrEmitterLastSeq)
	r.low, r.high, r.claimed = low, high, hasLow && hasHigh
	if r.claimed && low > high+1 {
		c.wrong(at, ruleSeq, "emitter.first_seq that is not above emitter.last_seq", "the request says %d to %d", low, high)
	}
	if dropped, ok := number(scope.Attributes(), semconv.AttrEmitterDropped); ok {
		r.dropped = max(r.dropped, dropped)
	}
	return r
}

func instanceOf(resource pcommon.Resource) string {
	return cmp.Or(text(resource.Attributes(), semconv.AttrServiceInstanceID), text(resource.Attributes(), semconv.AttrServiceName))
}

// number notes a span's number.
func (c *checker) number(w where, r *run, s ptrace.Span) {
	seq, ok := number(s.Attributes(), semconv.AttrSeq)
	switch {
	case !ok:
		r.plain = append(r.plain, w)
		return
	case seq < 1:
		c.wrong(w, ruleSeq, semconv.AttrSeq+" from 1", "%s is %d", semconv.AttrSeq, seq)
		return
	case r.claimed && (seq < r.low || seq > r.high):
		c.wrong(w, ruleSeq, "emitter.first_seq and emitter.last_seq around the request's own spans",
			"its number %d is not between %d and %d, as its request says", seq, r.low, r.high)
	}
	r.numbered = append(r.numbered, numbered{w, seq})
}

// checkRun checks a run's numbers when all are known.
func (c *checker) checkRun(key runKey, r *run) {
	switch {
	case len(r.numbered) == 0 && len(r.plain) > 0:
		c.note(r.first, ruleUnnumbered, semconv.AttrSeq+" on each span, and emitter.epoch, first_seq, last_seq on each request's scope",
			"the spans of %q are not numbered: what is lost of them cannot be seen", clip(key.instance))
		return
	case len(r.numbered) == 0:
		return
	case key.epoch == "":
		c.wrong(r.numbered[0].where, ruleSeq, "emitter.epoch on the scope, new at each start of the process",
			"the spans of %q are numbered, but their scope has no emitter.epoch", clip(key.instance))
	}
	for _, w := range r.plain {
		c.wrong(w, ruleSeq, semconv.AttrSeq+" on each span, or on none", "it has no number, other spans of its emitter do")
	}
	c.checkHoles(r)
}

func (c *checker) checkHoles(r *run) {
	slices.SortStableFunc(r.numbered, func(a, b numbered) int { return cmp.Compare(a.seq, b.seq) })
	if lowest := r.numbered[0]; lowest.seq > 1 {
		c.note(lowest.where, ruleSeq, "numbers from 1 at each start", "the numbers begin at %d: the file begins in the middle of a run", lowest.seq)
	}
	var missing int64
	for i := 1; i < len(r.numbered); i++ {
		before, n := r.numbered[i-1], r.numbered[i]
		if n.seq == before.seq {
			c.wrong(n.where, ruleSeq, "a number of its own for each span", "%q in line %d has the number %d too", clip(before.name), before.line, n.seq)
		}
		hole := n.seq - before.seq - 1
		if hole < 1 {
			continue
		}
		if missing += hole; missing <= r.dropped {
			c.note(n.where, ruleSeq, "numbers without holes", "%s missing before it; emitter.dropped says so too", missingText(before.seq, n.seq))
			continue
		}
		c.wrong(n.where, ruleSeq, "numbers without holes, or emitter.dropped that explains them", "%s missing before it", missingText(before.seq, n.seq))
	}
}

func missingText(before, after int64) string {
	if after-before == 2 {
		return fmt.Sprintf("number %d is", before+1)
	}
	return fmt.Sprintf("numbers %d to %d are", before+1, after-1)
}
