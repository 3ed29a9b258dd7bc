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

// takeDrop counts events that a predicate dropped. One record tells of the
// newest of a predicate and kind, and how many there were so far; without that
// number, of one. A record that is not newer than the last of its predicate and
// kind is taken for a repetition.
func (s *State) takeDrop(r *run, l *Log) {
	name := l.Attrs.text(semconv.AttrController)
	if name == "" {
		return
	}
	rep := s.bind(name, r.source)
	d := rep.drops(l.Attrs.text(semconv.AttrDropPredicate) + "/" + l.Attrs.text(semconv.AttrObjectKind))
	if l.At <= d.at {
		return
	}
	n := d.grown(l.Attrs.num(semconv.AttrDropCount))
	d.at = l.At
	s.editController(rep.controller).Dropped += n
	if sm := s.sample(name, l.At); sm != nil {
		s.editSample(sm).Drops += int(n)
	}
}

// maxDroppers is for how many predicates and kinds of one process drops are
// counted apart.
const maxDroppers = 256

// dropped is what the newest record of a predicate and kind said.
type dropped struct{ at, count int64 }

// drops returns what is known of a predicate and kind; all that are too many
// are one.
func (rep *replica) drops(by string) *dropped {
	if len(rep.dropped) >= maxDroppers && rep.dropped[by] == nil {
		by = ""
	}
	if rep.dropped == nil {
		rep.dropped = map[string]*dropped{}
	}
	if rep.dropped[by] == nil {
		rep.dropped[by] = &dropped{}
	}
	return rep.dropped[by]
}

// grown takes in a count so far and returns by how much it has grown: from 0
// when the process has begun anew, by 1 when there is no count.
func (d *dropped) grown(count int64) int64 {
	if count <= 0 || count > maxSeq {
		return 1
	}
	n := count - d.count
	if n < 0 {
		n = count
	}
	d.count = count
	return n
}
