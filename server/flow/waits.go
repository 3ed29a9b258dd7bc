package flow

import (
	"slices"
	"strconv"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

type waitSlot = slot[Wait, *Wait, waitNote]

// The states of a wait.
const (
	waitReady   = "ready"
	waitDelayed = "delayed"
)

const (
	// maxItemWaits is how many waits of an item can still be closed or refined.
	maxItemWaits = 16
	// maxItemRecords is how many queue.item records of an item are remembered.
	maxItemRecords = 16
)

// waitNote says where a wait's row comes from. A wait is told of twice: by
// queue.item records while it lasts, and by the pass before or after it. A
// ready wait has the same key from both, because it begins when the dequeue
// span does. A delay really begins a little before the pass that asked for it
// is done, so there the record's wait takes the place of the pass's.
type waitNote struct {
	item *itemSlot
	run  *run
	// heard is the time of the newest record that holds the wait.
	heard int64
	// recorded says that a record told of it, exact that a dequeue span did.
	recorded, exact bool
	// passFrom and passTo are of the pass that announced it, announced is the
	// end that it told; 0 otherwise.
	passFrom, passTo, announced int64
	// timed says that the wait stands in State.delayed.
	timed bool
}

// ReadyWaitKey is the key of the stay in the queue from which an item was taken:
// it began at the reconcile's From.
func ReadyWaitKey(controller, item string, from int64) string {
	return waitKey(controller, item, waitReady, from)
}

func waitKey(controller, item, state string, from int64) string {
	return controller + "/" + item + "/" + state + "/" + strconv.FormatInt(from, 10)
}

// passToWaits tells the waits of p's item what the pass shows: that the item
// was ready until a worker took it, and that it is delayed afterwards.
func (s *State) passToWaits(p *pass) {
	if p.item == nil {
		return
	}
	if p.dequeued && !p.readied {
		p.readied = true
		s.readyUntilTaken(p)
	}
	if p.rooted && !p.delayed {
		p.delayed = true
		s.delayedAfter(p)
	}
	if start := p.row.Start; start != 0 && start != p.closedAt {
		p.closedAt = start
		s.closeReady(p.item, start)
	}
}

// readyUntilTaken makes or completes the ready wait that the dequeue span of p
// covers.
func (s *State) readyUntilTaken(p *pass) {
	i := slices.IndexFunc(p.row.Phases, func(ph Phase) bool { return ph.Name == semconv.SpanDequeue })
	if i < 0 {
		return
	}
	dequeue := p.row.Phases[i]
	sl := s.wait(p.item, p.run, waitReady, dequeue.From)
	next := *sl.row
	next.To = max(dequeue.To, next.From)
	next.Priority = p.row.Queue.Priority
	next.Causes = causeTotal(p.row)
	if n := len(p.row.Causes); n > 0 {
		next.Why = p.row.Causes[n-1].What
	}
	sl.note.exact = true
	s.setWait(sl, next)
}

// delayedAfter makes the delayed wait that p's result announces, unless a
// record has told of it.
func (s *State) delayedAfter(p *pass) {
	row := p.row
	announced := announcement{row.From, row.To, row.Next.At}
	if row.Next.At <= row.To || slices.ContainsFunc(p.item.note.waits, announced.isRecorded) {
		return
	}
	sl := s.wait(p.item, p.run, waitDelayed, row.To)
	sl.note.passFrom, sl.note.passTo, sl.note.announced = row.From, row.To, row.Next.At
	next := *sl.row
	next.Until, next.Why, next.Requeues = row.Next.At, row.Next.Why, row.Next.Requeues
	s.setWait(sl, next)
	s.timeDelay(sl)
}

// closeReady ends what is ready at the moment at which a worker took the item.
func (s *State) closeReady(it *itemSlot, start int64) {
	for _, sl := range it.note.waits {
		w := sl.row
		if w.State != waitReady || sl.note.exact || w.From > start {
			continue
		}
		if w.To == 0 || w.To > start {
			next := *w
			next.To = start
			s.setWait(sl, next)
		}
	}
}

// wait returns the wait of an item that began at a time, a new one if need be.
func (s *State) wait(it *itemSlot, r *run, state string, from int64) *waitSlot {
	controller, item := it.row.Controller, it.row.Item
	key := waitKey(controller, item, state, from)
	if sl := s.waits.slots[key]; sl != nil {
		return sl
	}
	sl := s.waits.put(s, Wait{Row: RowWait, Key: key, Controller: controller, Item: item, State: state, From: from})
	sl.note.item, sl.note.run = it, r
	s.touchItem(it)
	if len(it.note.waits) >= maxItemWaits {
		it.note.waits = slices.Delete(it.note.waits, 0, 1)
	}
	it.note.waits = append(it.note.waits, sl)
	return sl
}

// setWait replaces a wait's row, and lets its item know.
func (s *State) setWait(sl *waitSlot, next Wait) {
	s.waits.set(s, sl, next)
	s.touchItem(sl.note.item)
}

// announcement is a delay as a pass tells of it: it began during the pass, which
// was from to to, and ends at until.
type announcement struct{ from, to, until int64 }

// sameEnd is how far two tellings of the end of one delay may lie apart.
const sameEnd = 5_000

// isRecorded says whether sl is this delay, told of by a record. As in client-go
// a delay that runs already ends at the earlier of both times: then it began
// before the pass, and the ends are the same.
func (a announcement) isRecorded(sl *waitSlot) bool {
	return sl.note.recorded && sl.row.State == waitDelayed && a.is(sl.row.From, sl.row.Until)
}

func (a announcement) is(since, until int64) bool {
	if since > a.to {
		return false
	}
	return since >= a.from || until >= a.until-sameEnd && until <= a.until+sameEnd
}

// timeDelay lets time end a delayed wait.
func (s *State) timeDelay(sl *waitSlot) {
	if sl.row.To != 0 || sl.row.Until == 0 {
		return
	}
	if !sl.note.timed {
		sl.note.timed = true
		if len(s.delayed) >= 2*s.limits.Waits {
			s.delayed = slices.DeleteFunc(s.delayed, func(o *waitSlot) bool { return o.gone })
		}
		s.delayed = append(s.delayed, sl)
	}
	if due := sl.row.Until + fireGrace; s.nextFire == 0 || due < s.nextFire {
		s.nextFire = due
	}
}

// fireDelays ends the delayed waits whose time has passed: nothing else can
// have become of them, even if nobody says so.
func (s *State) fireDelays() {
	if s.nextFire == 0 || s.now < s.nextFire {
		return
	}
	s.nextFire = 0
	s.delayed = slices.DeleteFunc(s.delayed, func(sl *waitSlot) bool {
		if over := sl.gone || sl.row.To != 0; over {
			sl.note.timed = false
			return true
		}
		due := sl.row.Until + fireGrace
		if due > s.now {
			if s.nextFire == 0 || due < s.nextFire {
				s.nextFire = due
			}
			return false
		}
		sl.note.timed = false
		s.endWait(sl, sl.row.Until)
		return true
	})
}

func (s *State) endWait(sl *waitSlot, at int64) {
	next := *sl.row
	next.To = max(at, next.From)
	s.setWait(sl, next)
}

// forgetWait is told of an evicted wait.
func (s *State) forgetWait(sl *waitSlot) {
	it := sl.note.item
	it.note.waits = slices.DeleteFunc(it.note.waits, func(o *waitSlot) bool { return o == sl })
	s.touchItem(it)
}
