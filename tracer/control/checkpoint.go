package control

import (
	"strconv"
	"time"

	"github.com/reconcile-tracer/tracer/tracer/control/wire"
)

// Moment is what is about to happen at a place.
type Moment int

// The moments at which a worker can be held.
const (
	// Begins: the phase is about to begin.
	Begins Moment = iota
	// Wrote: the answer to a write has come, and the controller has not seen it.
	Wrote
	// Ends: the reconcile is about to be done, in its last phase.
	Ends
)

// Place is where a worker is. Item, causes and what else is known stand in
// Facts.
type Place struct {
	Moment Moment
	// Phase is the phase that begins, or that is under way.
	Phase  string
	Worker int
	// Namespace and Name are the item's, Trace the reconcile's id, "" where it
	// has none yet.
	Namespace, Name, Trace string
	// Facts is what is known, beside Phase and Item.
	Facts wire.Facts
	// Ending is the phase that ends here, and Since when it began, the time that
	// it was held apart; zero: none ends.
	Ending string
	Since  time.Time
	// Done and Closing end a hold: the reconcile's context, the queue's end. nil
	// is never.
	Done, Closing <-chan struct{}
}

func (p Place) item() string {
	if p.Namespace == "" {
		return p.Name
	}
	return p.Namespace + "/" + p.Name
}

func (p Place) facts() wire.Facts {
	f := p.Facts
	f.Phase, f.Item = p.Phase, p.item()
	return f
}

// Pass is what the debugger keeps of one reconcile. Its zero value is usable;
// its fields belong to the Debugger.
type Pass struct {
	step string             // wire.ByPhase or wire.ByReconcile while it is stepping
	had  map[*standing]bool // breakpoints at which it was held
}

// Held tells of a worker that is held, or, with Since zero, that it is not held
// any more.
type Held struct {
	Worker                 int
	Namespace, Name, Trace string
	Phase, Why             string
	Since, Until           time.Time
}

// hold is a worker that is held.
type hold struct {
	place Place
	pass  *Pass
	by    *standing // nil for a step
	why   string
	slow  bool // it goes on by itself
	free  chan struct{}
	freed bool
	// past: it goes on whatever else stands here.
	past bool
}

// release lets a held worker go. Lock held.
func (d *Debugger) release(h *hold, past bool) {
	h.past = h.past || past
	if !h.freed {
		h.freed = true
		close(h.free)
	}
}

// End tells that a reconcile is done. A nil pass is one that was never at a
// checkpoint.
func (d *Debugger) End(p *Pass) {
	if d == nil || p == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	p.step = ""
	delete(d.stepping, p)
	d.rearm()
}

// leastTold is how long a worker that is slowed down must wait to be shown as
// held.
const leastTold = 50 * time.Millisecond

// Checkpoint holds the worker that calls it for as long as something stands that
// says so. It returns how long that was.
func (d *Debugger) Checkpoint(p *Pass, at Place) time.Duration {
	began := time.Now()
	slowed := at.Since.IsZero() || at.Moment == Wrote
	for {
		h, most := d.stopAt(p, at, slowed, began)
		if h == nil {
			break
		}
		slowed = slowed || h.slow
		if !d.wait(h, most) {
			break
		}
	}
	return time.Since(began)
}

// stopAt is what holds a worker at a place, and for how long at most; nil is
// nothing.
func (d *Debugger) stopAt(p *Pass, at Place, slowed bool, began time.Time) (*hold, time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	left := wire.MaxHold - time.Since(began)
	if left <= 0 {
		return nil, 0
	}
	by, why := d.whyStop(p, at)
	slow := false
	if why == "" && !slowed {
		if s, more := d.slowest(at); more > 0 {
			by, slow, why, left = s, true, "slow ×"+strconv.FormatFloat(s.Factor, 'g', 4, 64), min(more, left)
		}
	}
	if why == "" {
		return nil, 0
	}
	h := &hold{place: at, pass: p, by: by, why: why, slow: slow, free: make(chan struct{})}
	d.holds[h] = true
	return h, left
}

// whyStop is what stops a worker at a place until it is let go, "" for nothing.
func (d *Debugger) whyStop(p *Pass, at Place) (by *standing, why string) {
	if at.Moment == Begins && p.step == wire.ByPhase {
		p.step = ""
		delete(d.stepping, p)
		d.rearm()
		return nil, "step"
	}
	for _, s := range d.standing {
		if d.stops(s, p, at) {
			return s, whyOf(s)
		}
	}
	return nil, ""
}

// stops says whether one command holds a worker at a place. A breakpoint does
// so once in a reconcile, and at each write if it speaks of writes.
func (d *Debugger) stops(s *standing, p *Pass, at Place) bool {
	if !s.Matches(at.item(), at.Phase) {
		return false
	}
	switch s.Command.Command {
	case wire.Pause:
		return at.Moment == Begins && p.step != wire.ByReconcile
	case wire.Break:
		return d.breaks(s, p, at)
	}
	return false
}

func (d *Debugger) breaks(s *standing, p *Pass, at Place) bool {
	switch {
	case s.When == "" && at.Moment != Begins, !s.when.Holds(at.facts()):
		return false
	case s.when.Speaks("write"):
		return true
	case p.had[s]:
		return false
	}
	if p.had == nil {
		p.had = map[*standing]bool{}
	}
	p.had[s] = true
	return true
}

func whyOf(s *standing) string {
	switch {
	case s.Command.Command == wire.Pause:
		return "pause"
	case s.When != "":
		return "break when " + s.When
	}
	return "break"
}

// slowest is the command that stretches the phase that ends at a place the most,
// and by how much.
func (d *Debugger) slowest(at Place) (by *standing, more time.Duration) {
	for _, s := range d.standing {
		if s.Command.Command != wire.Slow || !s.Matches(at.item(), at.Ending) {
			continue
		}
		if m := time.Duration(float64(time.Since(at.Since)) * (s.Factor - 1)); m > more {
			by, more = s, min(m, wire.MaxHold)
		}
	}
	return by, more
}

// wait holds the worker until it is let go, and says whether it is to look again
// what stands.
func (d *Debugger) wait(h *hold, most time.Duration) (again bool) {
	told := !h.slow || most >= leastTold
	at := h.place
	since := time.Now()
	if told {
		d.cfg.Tell(Held{at.Worker, at.Namespace, at.Name, at.Trace, at.Phase, h.why, since, since.Add(most)})
	}
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-h.free:
		again = true
	case <-timer.C:
		again = h.slow
	case <-at.Done:
	case <-at.Closing:
	}
	d.mu.Lock()
	delete(d.holds, h)
	again = again && !h.past
	d.mu.Unlock()
	if told {
		d.cfg.Tell(Held{Worker: at.Worker, Namespace: at.Namespace, Name: at.Name, Trace: at.Trace, Phase: at.Phase})
	}
	return again
}
