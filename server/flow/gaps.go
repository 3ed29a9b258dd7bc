package flow

import (
	"slices"
	"strconv"
)

type gapSlot = slot[Gap, *Gap, none]

// The reasons of a gap that the fold can tell.
const (
	// reasonDrop: the emitter said so.
	reasonDrop = "emitter_drop"
	// reasonRetention: the stream that is folded begins later than they came.
	reasonRetention = "retention"
	// reasonInFlight: the request that was about them never came.
	reasonInFlight = "in_flight"
	// reasonRejected: the request came without them, and the emitter had
	// dropped none.
	reasonRejected = "rejected"
)

// number notes the number of a span of r and says whether it had come before.
// Zero means that the emitter does not number.
func (s *State) number(r *run, n int64) (repeated bool) {
	s.touchNumbers(r)
	if n <= 0 || n > maxSeq {
		r.plain = true
		return false
	}
	if r.got.has(n) {
		return true
	}
	r.fresh = append(r.fresh, n)
	return false
}

func (s *State) touchNumbers(r *run) {
	if !r.queued {
		r.queued = true
		s.numbered = append(s.numbered, r)
	}
}

// claim takes in what a request said of itself.
func (s *State) claim(e *Emitter) {
	r := s.hear(e.Source, e.Epoch)
	s.touchNumbers(r)
	if e.Dropped > r.dropped {
		r.dropped, r.droppedAt = e.Dropped, s.now
	}
	if e.First <= 0 || e.Last < e.First || e.Last > maxSeq {
		return
	}
	about := seqs{e.First, e.Last}
	r.top = max(r.top, e.Last)
	r.claimed = bounded(r.claimed.add(about))
	if r.plain && len(r.fresh) == 0 {
		// It numbers its requests and not its spans: all of them came.
		r.came(s, about)
	}
}

// bounded joins the oldest ranges of a set that has become too large.
func bounded(rs ranges) ranges {
	for len(rs) > 2*maxHoles {
		rs[1].first = rs[0].first
		rs = slices.Delete(rs, 0, 1)
	}
	return rs
}

// foldNumbers finds the holes in the numbers of the runs that were heard of.
func (s *State) foldNumbers() {
	for _, r := range s.numbered {
		for _, c := range runsOf(r.fresh) {
			r.came(s, c)
		}
		r.fresh, r.plain, r.queued = r.fresh[:0], false, false
		s.findHoles(r)
	}
	clear(s.numbered)
	s.numbered = s.numbered[:0]
}

// came notes spans that came, some of them perhaps after they had been given up.
func (r *run) came(s *State, c seqs) {
	r.got = bounded(r.got.add(c))
	r.known = r.known.add(c)
	r.top = max(r.top, c.last)
	if len(r.gaps) > 0 {
		s.closeGaps(r, c)
	}
}

// findHoles compares what is known with what must exist.
func (s *State) findHoles(r *run) {
	missing := r.known.missing(r.top)
	for len(missing) > maxHoles { // too many to wait for
		s.announce(r, r.holeAt(missing[0], s.now))
		missing = missing[1:]
	}
	var holes []hole
	for _, m := range missing {
		holes = append(holes, r.holeAt(m, s.now))
	}
	r.holes = holes
	s.watchHoles(r)
}

// holeAt is the hole m, noticed when the first hole that it was part of was.
func (r *run) holeAt(m seqs, now int64) hole {
	for _, h := range r.holes {
		if h.first <= m.last && m.first <= h.last {
			return hole{m, h.since, h.from}
		}
	}
	return hole{m, now, r.before}
}

func (s *State) watchHoles(r *run) {
	if !r.holed && (len(r.holes) > 0 || r.unexplainedDrops() > 0) {
		r.holed = true
		s.holed = append(s.holed, r)
	}
}

// unexplainedDrops is how many spans the emitter dropped which no gap shows.
// Gaps of which nothing is known may be these drops, told of late.
func (r *run) unexplainedDrops() int64 { return r.dropped - r.explained - r.inFlight }

// announceGaps makes gaps of the holes whose grace is over.
func (s *State) announceGaps() {
	if len(s.holed) == 0 {
		return
	}
	s.holed = slices.DeleteFunc(s.holed, func(r *run) bool {
		r.holes = slices.DeleteFunc(r.holes, func(h hole) bool {
			over := s.now >= h.since+gapGrace
			if over {
				s.announce(r, h)
			}
			return over
		})
		if len(r.holes) == 0 && s.now >= r.droppedAt+gapGrace {
			s.announceUnnumbered(r)
		}
		r.holed = len(r.holes) > 0 || r.unexplainedDrops() > 0
		return !r.holed
	})
}

// announce makes a gap of a hole. It counts as known from then on.
func (s *State) announce(r *run, h hole) {
	r.known = r.known.add(h.seqs)
	g := Gap{First: h.first, Last: h.last, From: h.from, To: h.since, Reason: s.reason(r, h)}
	if g.Reason == reasonRetention {
		g.From, g.To = r.since, r.since // since then nothing is missing
	}
	s.openGap(r, g)
}

func (s *State) reason(r *run, h hole) string {
	// Of a run that was there from the beginning the first numbers have come
	// before, however late the next one comes.
	if h.first == 1 && s.first > 1 && r.since <= s.firstNow+gapGrace {
		return reasonRetention
	}
	if r.dropped-r.explained+r.unnumberedDrops() >= h.len() {
		r.explained += h.len() - s.takeUnnumbered(r, h.len())
		return reasonDrop
	}
	if r.claimed.has(h.first) && r.claimed.has(h.last) {
		return reasonRejected
	}
	r.inFlight += h.len()
	return reasonInFlight
}

// announceUnnumbered makes a gap of drops that left no hole.
func (s *State) announceUnnumbered(r *run) {
	n := r.unexplainedDrops()
	if n <= 0 {
		return
	}
	r.explained += n
	if len(r.unnumbered) >= maxHoles {
		r.unnumbered = slices.Delete(r.unnumbered, 0, 1)
	}
	r.unnumbered = append(r.unnumbered, s.gaps.put(s, r.gap(Gap{
		Key: r.gapKey("dropped-" + strconv.FormatInt(r.dropped, 10)), Count: n,
		From: r.droppedAt, To: r.droppedAt, Reason: reasonDrop,
	})))
}

// unnumberedDrops is how many spans are in gaps of drops whose numbers are not
// known yet.
func (r *run) unnumberedDrops() int64 {
	r.unnumbered = slices.DeleteFunc(r.unnumbered, func(sl *gapSlot) bool { return sl.gone })
	n := int64(0)
	for _, sl := range r.unnumbered {
		n += sl.row.Count
	}
	return n
}

// takeUnnumbered takes up to n spans out of the gaps of drops whose numbers
// were not known, oldest first, because a gap with their numbers takes their
// place, and returns how many it took. A gap that holds none any more goes.
func (s *State) takeUnnumbered(r *run, n int64) (took int64) {
	for _, sl := range r.unnumbered {
		next := *sl.row
		part := min(next.Count, n-took)
		took += part
		if next.Count -= part; next.Count == 0 {
			s.gaps.drop(s, sl)
			continue
		}
		s.gaps.set(s, sl, next)
	}
	return took
}

func (s *State) openGap(r *run, g Gap) {
	g.Key = r.gapKey(strconv.FormatInt(g.First, 10))
	g.Count = g.Last - g.First + 1
	r.gaps = slices.DeleteFunc(r.gaps, func(o *gapSlot) bool { return o.gone })
	if len(r.gaps) >= maxHoles {
		r.gaps = slices.Delete(r.gaps, 0, 1)
	}
	r.gaps = append(r.gaps, s.gaps.put(s, r.gap(g)))
}

func (r *run) gapKey(what string) string { return r.source.id.Instance + "/" + r.epoch + "/" + what }

// gap fills in whose gap it is; a controller is named when the source runs one
// alone.
func (r *run) gap(g Gap) Gap {
	g.Row, g.Source, g.Epoch = RowGap, r.source.id.Instance, r.epoch
	if len(r.source.replicas) == 1 {
		g.Controller = r.source.replicas[0].controller.row.Key
	}
	return g
}

// closeGaps closes, shortens or splits the gaps whose spans c came after all.
func (s *State) closeGaps(r *run, c seqs) {
	open := r.gaps
	r.gaps = nil
	for _, sl := range open {
		if sl.gone {
			continue
		}
		if sl.row.Last < c.first || sl.row.First > c.last {
			r.gaps = append(r.gaps, sl)
			continue
		}
		s.closeGap(r, sl, c)
	}
}

func (s *State) closeGap(r *run, sl *gapSlot, c seqs) {
	before := *sl.row
	next := before
	if c.first <= before.First {
		next.Closed = true
		next.Last = min(before.Last, c.last)
	} else {
		next.Last = c.first - 1
		r.gaps = append(r.gaps, sl)
	}
	next.Count = next.Last - next.First + 1
	s.gaps.set(s, sl, next)
	if before.Reason == reasonInFlight {
		r.inFlight -= min(before.Last, c.last) - max(before.First, c.first) + 1
	}
	if c.last < before.Last {
		rest := before
		rest.First = c.last + 1
		s.openGap(r, rest)
	}
}
