package watch

import (
	"time"

	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// leftOut is what a flush does not send: how many reconciles by result, and the
// rows of which no viewer has had anything.
type leftOut struct {
	by     counts
	unseen []flow.RowRef
}

// thin leaves out what is over the feed's allowance: reconciles that have just
// ended well, evenly, so that those that are sent are a fair sample, each with
// its stay in the queue. What failed, what still runs and every other row is
// always sent.
func (f *feed) thin(changes []*change, now time.Time, cfg Config) (kept []*change, left leftOut) {
	f.allow(now, cfg)
	all := 0
	for _, c := range changes {
		if c.successful() {
			all++
		}
	}
	sent := min(all, int(f.allowance))
	f.allowance -= float64(sent)
	if sent == all {
		return changes, leftOut{}
	}
	out := pick(changes, sent, all)
	for _, c := range changes {
		switch {
		case !out[c.ref]:
			kept = append(kept, c)
			continue
		case c.fresh:
			left.unseen = append(left.unseen, c.ref)
		default:
			// A viewer may have it as still running: it must not run for ever.
			kept = append(kept, &change{ref: c.ref})
		}
		if c.successful() {
			left.by = left.by.plus(semconv.ResultSuccess)
		}
	}
	return kept, left
}

// allow adds to the allowance what has come since it was asked for last.
func (f *feed) allow(now time.Time, cfg Config) {
	f.allowance += now.Sub(f.allowed).Seconds() * float64(cfg.MaxRate)
	f.allowance = max(0, min(f.allowance, float64(cfg.MaxBurst)))
	f.allowed = now
}

// pick chooses what is left out when only so many of all successful reconciles
// are sent: the others, and their ended stays in the queue.
func pick(changes []*change, sent, all int) map[flow.RowRef]bool {
	out := make(map[flow.RowRef]bool, 2*(all-sent))
	i := 0
	for _, c := range changes {
		if !c.successful() {
			continue
		}
		i++
		if i*sent/all > (i-1)*sent/all {
			continue
		}
		out[c.ref] = true
		r := c.now.row.(*flow.Reconcile)
		out[flow.RowRef{Kind: flow.RowWait, ID: flow.ReadyWaitKey(r.Controller, r.Item, r.From)}] = true
	}
	return out
}

// successful says that a change is a reconcile that has just ended well.
func (c *change) successful() bool { return c.now != nil && c.ended && dull(c.now.row) }

// leave remembers rows that no viewer has had and that are in the table still.
func (f *feed) leave(unseen []flow.RowRef, t table) {
	for _, ref := range unseen {
		if _, there := t[ref]; !there {
			continue
		}
		if f.left == nil {
			f.left = map[flow.RowRef]bool{}
		}
		f.left[ref] = true
	}
}

// passesOver says that a change of a row that was left out is left out too: it
// goes, or it is no more worth sending than before.
func (f *feed) passesOver(ref flow.RowRef, now *encoded, has bool) bool {
	if !f.left[ref] {
		return false
	}
	if has && !dull(now.row) {
		delete(f.left, ref)
		return false
	}
	if !has {
		delete(f.left, ref)
	}
	return true
}

// dull says that a row may be left out: a reconcile that ended well with all its
// writes, a stay in the queue that is over.
func dull(row flow.Row) bool {
	switch r := row.(type) {
	case *flow.Reconcile:
		return r.Result == semconv.ResultSuccess && !r.Refused()
	case *flow.Wait:
		return r.To != 0
	}
	return false
}
