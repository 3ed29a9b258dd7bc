package flow

import (
	"github.com/reconcile-tracer/tracer/tracer/semconv"
	"slices"
)

// takeQueueItem takes a queue.item record in: one item's place in the queue.
// A late record refines the waits that it speaks of and changes nothing else.
func (s *State) takeQueueItem(r *run, l *Log) {
	a := l.Attrs
	controller := a.text(semconv.AttrController)
	name := itemName(a.text(semconv.AttrNamespace), a.text(semconv.AttrObjectName))
	if controller == "" || name == "" {
		return
	}
	s.bind(controller, r.source)
	it := s.item(controller, name)
	if a.has(semconv.AttrItemReadySince) {
		s.recordReady(it, r, l)
	}
	if a.has(semconv.AttrItemDelayedSince) {
		s.recordDelayed(it, r, l)
	}
	h := heldAt{l.At, a.num(semconv.AttrItemReadySince), a.num(semconv.AttrItemDelayedSince)}
	it.note.remember(h)
	for _, sl := range it.note.waits {
		s.endAbsent(sl, h)
	}
	if l.At >= it.note.facets.at {
		it.note.facets = facets{l.At, a.flag(semconv.AttrItemActive), a.flag(semconv.AttrItemDirty)}
		it.note.run = r
		if !it.note.facets.active {
			it.note.idle = taken{l.At, r.source.id.Instance}
		}
		s.touchItem(it)
	}
}

// remember keeps the newest records, by which a wait that is told of late can
// be ended.
func (n *itemNote) remember(h heldAt) {
	if len(n.recent) < maxItemRecords {
		n.recent = append(n.recent, h)
		return
	}
	oldest := 0
	for i := range n.recent {
		if n.recent[i].at < n.recent[oldest].at {
			oldest = i
		}
	}
	if n.recent[oldest].at < h.at {
		n.recent[oldest] = h
	}
}

// recordReady makes or refines the ready wait that a record tells of.
func (s *State) recordReady(it *itemSlot, r *run, l *Log) {
	a := l.Attrs
	since := a.num(semconv.AttrItemReadySince)
	sl := s.wait(it, r, waitReady, since)
	if !sl.note.recorded {
		sl.note.recorded = true
		s.closeByPasses(it, sl)
	}
	if l.At < sl.note.heard {
		return
	}
	sl.note.heard = l.At
	next := *sl.row
	next.Order = a.num(semconv.AttrItemReadyOrder)
	if !sl.note.exact {
		next.Priority = int(a.num(semconv.AttrQueuePriority))
		next.Causes, next.Why = readyCauses(a)
	}
	s.setWait(sl, next)
	s.endByRecords(it, sl)
}

// readyCauses reads how many causes have come so far, and the newest one where
// they are listed.
func readyCauses(a Attrs) (int, string) {
	list := a.list(semconv.AttrItemReadyCauses)
	if len(list) == 0 {
		return int(a.num(semconv.AttrItemReadyCauses)), ""
	}
	return len(list), list[len(list)-1]
}

// closeByPasses ends a ready wait that is told of late, by the passes that are
// known to have taken the item since.
func (s *State) closeByPasses(it *itemSlot, sl *waitSlot) {
	for _, p := range it.note.open {
		if start := p.row.Start; start >= sl.row.From {
			s.closeReady(it, start)
		}
	}
	if p := s.passes[it.note.lastKey]; p != nil && p.row.Start >= sl.row.From {
		s.closeReady(it, p.row.Start)
	}
}

// recordDelayed makes or refines the delayed wait that a record tells of.
func (s *State) recordDelayed(it *itemSlot, r *run, l *Log) {
	a := l.Attrs
	since := a.num(semconv.AttrItemDelayedSince)
	sl := s.wait(it, r, waitDelayed, since)
	sl.note.recorded = true
	s.replaceAnnounced(it, since, a.num(semconv.AttrItemDelayedUntil))
	if l.At < sl.note.heard {
		return
	}
	sl.note.heard = l.At
	next := *sl.row
	next.Why = a.text(semconv.AttrItemDelayedWhy)
	next.Requeues = int(a.num(semconv.AttrItemRequeues))
	if until := a.num(semconv.AttrItemDelayedUntil); until != next.Until {
		next.Until, next.To = until, 0
	}
	s.setWait(sl, next)
	s.endByRecords(it, sl)
	s.timeDelay(sl)
}

// replaceAnnounced drops the delayed waits that only passes have announced, now
// that a record tells of them: that one says when the delay really began.
func (s *State) replaceAnnounced(it *itemSlot, since, until int64) {
	for _, sl := range slices.Clone(it.note.waits) {
		if sl.row.State != waitDelayed || sl.note.recorded || sl.note.passTo == 0 {
			continue
		}
		if (announcement{sl.note.passFrom, sl.note.passTo, sl.note.announced}).is(since, until) {
			s.waits.drop(s, sl)
		}
	}
}

// endAbsent ends a recorded wait that the later record h does not hold. The
// earliest such record counts, in whatever order they come.
func (s *State) endAbsent(sl *waitSlot, h heldAt) {
	w := sl.row
	if !sl.note.recorded || sl.note.exact || sl.note.heard >= h.at || h.holds(w) {
		return
	}
	end := max(h.at, w.From)
	if w.State == waitDelayed && w.Until != 0 {
		end = max(min(h.at, w.Until), w.From)
	}
	if w.To == 0 || end < w.To {
		s.endWait(sl, end)
	}
}

// holds says that the record speaks of the wait as going on.
func (h heldAt) holds(w *Wait) bool {
	if w.State == waitReady {
		return h.ready != 0 && h.ready == w.From
	}
	return h.delayed != 0 && h.delayed == w.From
}

func (s *State) endByRecords(it *itemSlot, sl *waitSlot) {
	for _, h := range it.note.recent {
		s.endAbsent(sl, h)
	}
}
