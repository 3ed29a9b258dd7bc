package flow

import "slices"

// stepBack takes in that the clock of a process was set back to a time: what
// was noted as newest of its controller lies in a future that has not come, and
// must not keep what comes now from counting.
func (s *State) stepBack(rep *replica, to int64) {
	for _, d := range rep.dropped {
		d.at = min(d.at, to)
	}
	name := rep.controller.row.Key
	of := func(r *run, controller string) bool { return r != nil && r.source == rep.source && controller == name }
	s.items.each(func(it *itemSlot) {
		if of(it.note.run, it.row.Controller) {
			it.note.stepBack(to)
		}
	})
	s.waits.each(func(w *waitSlot) {
		if of(w.note.run, w.row.Controller) {
			w.note.heard = min(w.note.heard, to)
		}
	})
}

func (n *itemNote) stepBack(to int64) {
	n.facets.at = min(n.facets.at, to)
	n.newest.at = min(n.newest.at, to)
	n.idle.at = min(n.idle.at, to)
	n.lastTo = min(n.lastTo, to)
	n.foundAt = min(n.foundAt, to)
	n.deletedAt = min(n.deletedAt, to)
	n.numbers.fix(len(n.numbers.newest)) // what comes from now on comes after them
	n.recent = slices.DeleteFunc(n.recent, func(h heldAt) bool { return h.at > to })
}
