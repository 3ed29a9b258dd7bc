package tracer

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/reconcile-tracer/tracer/tracer/control"
	"github.com/reconcile-tracer/tracer/tracer/control/wire"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// debugged is what a debugger needs to know of a reconcile. What its lock is for
// is said in each case; the rest is not changed after begin.
type debugged struct {
	namespace, name string
	worker          int
	causes          []cause
	closing         <-chan struct{}
	entered         atomic.Bool // its fetch has been looked at

	// Under the reconcile's lock.
	pass    *control.Pass // nil until the first checkpoint
	asked   string        // the phase of the last checkpoint
	inPhase time.Duration // how long it was held in this phase
	held    time.Duration // and in all
	since   time.Time     // since when it is at a checkpoint; zero: it is not
}

func (d *debugged) begin(p passStart, causes []cause) {
	d.namespace, d.name, d.worker, d.causes = p.namespace, p.name, p.worker, causes
	d.pass, d.closing = p.pass, p.closing
}

// closing is closed when a queue begins to end, any number of times.
type closing struct {
	done chan struct{}
	once *sync.Once
}

func newClosing() closing { return closing{make(chan struct{}), new(sync.Once)} }

func (c closing) close() { c.once.Do(func() { close(c.done) }) }

// beforeDequeue is the checkpoint before an item is handed out.
func (t *Tracer) beforeDequeue(namespace, name string, worker int, arrivals []*arrival, closing <-chan struct{}) *control.Pass {
	pass := &control.Pass{}
	causes := make([]cause, len(arrivals))
	for i, a := range arrivals {
		causes[i] = t.writes.resolve(a.cause)
	}
	t.control.Checkpoint(pass, control.Place{
		Moment: control.Begins, Phase: semconv.SpanDequeue, Worker: worker, Namespace: namespace, Name: name,
		Facts: wire.Facts{Causes: causeWords(causes)}, Closing: closing,
	})
	return pass
}

// causeWords are the causes as a condition names them.
func causeWords(causes []cause) []string {
	words := make([]string, 0, len(causes)+1)
	for _, c := range causes {
		words = append(words, c.what)
		if c.ownWrite() {
			words = append(words, wire.OwnWrite)
		}
	}
	return words
}

// ownWrite tells whether the cause is an update of this controller's own that
// changed no spec.
func (c cause) ownWrite() bool {
	if c.by != semconv.BySelf || c.what != semconv.CauseUpdate {
		return false
	}
	for _, part := range c.changed {
		if part == "spec" {
			return false
		}
	}
	return true
}

// enterFetch is the checkpoint of the first fetch: it has begun already, and
// nothing has been done in it.
func (r *reconcile) enterFetch(done <-chan struct{}) {
	if r.debug.entered.Swap(true) || !r.t.control.Armed() {
		return
	}
	r.stop(control.Place{Moment: control.Begins, Phase: semconv.SpanFetch, Done: done})
}

// before is the checkpoint before a phase begins; there is none where it is
// under way, or was asked for already.
func (r *reconcile) before(done <-chan struct{}, phase string) {
	if !r.t.control.Armed() {
		return
	}
	r.mu.Lock()
	at := control.Place{Moment: control.Begins, Phase: phase, Done: done, Ending: r.phase, Since: r.began.Add(r.debug.inPhase)}
	skip := r.done || r.phase == phase || r.debug.asked == phase
	r.mu.Unlock()
	if !skip {
		r.stop(at)
	}
}

// beforePlan is before for an inferred compute.
func (r *reconcile) beforePlan(done <-chan struct{}) {
	if !r.t.control.Armed() {
		return
	}
	r.mu.Lock()
	inferred := !r.manual && r.phase == semconv.SpanFetch
	r.mu.Unlock()
	if inferred {
		r.before(done, semconv.SpanCompute)
	}
}

// beforeCall is before for the phase that a read or a write is about to begin.
// That what came before it was computing is known only now.
func (r *reconcile) beforeCall(done <-chan struct{}, write bool) {
	if !r.t.control.Armed() {
		return
	}
	r.mu.Lock()
	marked, phase, within := r.manual, semconv.SpanFetch, r.writing > 0
	r.mu.Unlock()
	switch {
	case marked:
		return
	case write:
		r.beforePlan(done)
		phase = semconv.SpanApply
	case within:
		return
	}
	r.before(done, phase)
}

// wrote is the checkpoint when the answer to a write has come.
func (r *reconcile) wrote(done <-chan struct{}, what []string, verb, resource string) {
	if !r.t.control.Armed() {
		return
	}
	r.stop(control.Place{
		Moment: control.Wrote, Phase: semconv.SpanApply, Done: done,
		Facts: wire.Facts{Write: what, Verb: verb, Resource: resource},
	})
}

// ends are the checkpoints of a reconcile that is about to be done.
func (r *reconcile) ends() {
	if r == nil {
		return
	}
	r.before(nil, semconv.SpanRequeue)
	r.mu.Lock()
	at := control.Place{Moment: control.Ends, Phase: semconv.SpanRequeue, Ending: r.phase, Since: r.began.Add(r.debug.inPhase)}
	at.Facts.Result = r.outcome.result()
	if r.outcome.failed() {
		at.Facts.Error = r.outcome.errorType()
	}
	done := r.done
	r.mu.Unlock()
	if !done {
		r.stop(at)
	}
	r.mu.Lock()
	pass := r.debug.pass
	r.mu.Unlock()
	r.t.control.End(pass)
}

// stop holds the worker at a place for as long as the debugger says.
func (r *reconcile) stop(at control.Place) {
	d := &r.debug
	at.Worker, at.Namespace, at.Name, at.Trace, at.Closing = d.worker, d.namespace, d.name, r.id, d.closing
	at.Facts.Causes = causeWords(d.causes)
	r.mu.Lock()
	if d.pass == nil {
		d.pass = &control.Pass{}
	}
	pass := d.pass
	if at.Moment == control.Begins {
		d.asked = at.Phase
	}
	d.since = time.Now()
	r.mu.Unlock()
	held := r.t.control.Checkpoint(pass, at)
	r.mu.Lock()
	defer r.mu.Unlock()
	d.held += held
	d.inPhase += held
	if r.heldAtFetch() {
		r.idle = time.Now()
	}
	d.since = time.Time{}
}

// heldAtFetch says that the worker stands where its fetch begins. The lock is
// held.
func (r *reconcile) heldAtFetch() bool {
	return !r.debug.since.IsZero() && r.debug.asked == semconv.SpanFetch && r.phase == semconv.SpanFetch
}

// heldFor is how long the worker has been held so far, a hold under way
// included, and whether there is one.
func (r *reconcile) heldFor() (held time.Duration, now bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if since := r.debug.since; !since.IsZero() {
		return r.debug.held + time.Since(since), true
	}
	return r.debug.held, false
}
