package flow

import "github.com/reconcile-tracer/tracer/tracer/semconv"

// takeControl takes in what the presenter told a controller to do, or how that
// ended. One that has ended stays so.
func (s *State) takeControl(l *Log) {
	a := l.Attrs
	key, name := a.text(semconv.AttrControlID), a.text(semconv.AttrController)
	if key == "" || name == "" {
		return
	}
	if old := s.controls.slots[key]; old != nil && old.row.To != 0 {
		return
	}
	s.controls.put(s, Control{
		Row: RowControl, Key: key, Controller: name,
		Item:    itemName(a.text(semconv.AttrNamespace), a.text(semconv.AttrObjectName)),
		Command: a.text(semconv.AttrControlCommand), Phase: a.text(semconv.AttrControlPhase),
		Text: a.text(semconv.AttrControlText), By: a.text(semconv.AttrControlBy),
		From: a.num(semconv.AttrControlFrom), To: a.num(semconv.AttrControlTo), Until: a.num(semconv.AttrControlUntil),
		Lifted: a.text(semconv.AttrControlLifted),
	})
}

// Standing returns the commands that have not ended, oldest first. The rows are
// never changed again.
func (s *State) Standing() []*Control {
	var out []*Control
	s.controls.each(func(sl *slot[Control, *Control, none]) {
		if sl.row.To == 0 {
			out = append(out, sl.row)
		}
	})
	return out
}

// endAllHolds ends the holds of a controller's process that is gone.
func (s *State) endAllHolds(controller string, of *source, at int64) {
	s.holds.each(func(sl *slot[Hold, *Hold, holdNote]) {
		if h := sl.row; h.To == 0 && h.Controller == controller && sl.note.source == of {
			next := *h
			next.To = max(at, h.From)
			s.holds.set(s, sl, next)
		}
	})
}
