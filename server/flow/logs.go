package flow

import (
	"strconv"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// log takes one log record in.
func (s *State) log(l *Log) {
	if l.Event == semconv.LogControl {
		s.takeControl(l) // the hub's own, which is no controller's process
		return
	}
	if l.Event == semconv.LogLessonBeat {
		s.takeBeat(l) // who teaches is no controller
		return
	}
	r := s.hear(l.Source, l.Epoch)
	switch l.Event {
	case semconv.LogSpanStart:
		s.takeStart(r, l)
	case semconv.LogQueueItem:
		s.takeQueueItem(r, l)
	case semconv.LogControllerState:
		s.takeState(r, l)
	case semconv.LogHold:
		s.takeHold(r, l)
	case semconv.LogDrop:
		s.takeDrop(r, l)
	}
}

// takeHold takes a hold record in: a worker that is held since a time, or,
// without a time, one that is not held any more.
func (s *State) takeHold(r *run, l *Log) {
	a := l.Attrs
	name := a.text(semconv.AttrController)
	if name == "" {
		return
	}
	s.bind(name, r.source)
	worker := int(a.num(semconv.AttrWorker))
	since := a.num(semconv.AttrHoldSince)
	s.endHolds(name, worker, since, l.At)
	if since == 0 {
		return
	}
	key := name + "/" + strconv.Itoa(worker) + "/" + strconv.FormatInt(since, 10)
	if old := s.holds.slots[key]; old != nil && old.row.To != 0 {
		return
	}
	sl := s.holds.put(s, Hold{
		Row: RowHold, Key: key, Controller: name,
		Item:      itemName(a.text(semconv.AttrNamespace), a.text(semconv.AttrObjectName)),
		Reconcile: clip(l.TraceID), Worker: worker,
		Phase: a.text(semconv.AttrHoldPhase), Why: a.text(semconv.AttrHoldWhy),
		From: since, Until: a.num(semconv.AttrHoldUntil),
	})
	sl.note.source = r.source
}

// holdNote says of which process a hold is.
type holdNote struct{ source *source }

// endHolds ends the holds of a worker that began before since, or before now
// if it is held no more.
func (s *State) endHolds(controller string, worker int, since, at int64) {
	end := since
	if end == 0 {
		end = at
	}
	s.holds.each(func(sl *slot[Hold, *Hold, holdNote]) {
		h := sl.row
		if h.To == 0 && h.Controller == controller && h.Worker == worker && h.From < end {
			next := *h
			next.To = end
			s.holds.set(s, sl, next)
		}
	})
}
