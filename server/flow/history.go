package flow

// history is what the rules look at: the newest passes of one item, how long
// nothing has happened since, and what is planned.
type history struct {
	passes []*pass
	marks  marks
	// now is the time, or when the controller was last heard of.
	now int64
	// alive says that the controller is there.
	alive bool
	// busy is when something began that is still to come or under way: a wait
	// or a pass that is not done; 0 for nothing.
	busy int64
	// dropped says that predicates have dropped events of a kind.
	dropped func(kind string) bool
	// due is when time alone may change what the rules say; 0 is never.
	due int64
}

func (s *State) history(it *itemSlot) *history {
	h := &history{passes: it.note.passes, now: s.now, dropped: func(string) bool { return false }}
	for _, p := range h.passes {
		h.marks |= p.marks
	}
	if c := s.controllers[it.row.Controller]; c != nil {
		h.dropped = c.drops
		if h.alive = c.row.Connected; !h.alive {
			h.now = max(c.row.Since, c.row.Heard)
		}
	}
	begins := func(at int64) {
		if h.busy == 0 || at < h.busy {
			h.busy = at
		}
	}
	for _, p := range it.note.open {
		begins(p.row.From)
	}
	for _, w := range it.note.waits {
		if w.row.To == 0 {
			begins(w.row.From)
		}
	}
	return h
}

// drops says whether predicates of a controller have dropped events of a kind.
func (c *controller) drops(kind string) bool {
	for _, rep := range c.replicas {
		for by, d := range rep.dropped {
			if d.at != 0 && (by == "" || hasKind(by, kind)) {
				return true
			}
		}
	}
	return false
}

// hasKind says that a key of replica.dropped is of a kind.
func hasKind(by, kind string) bool {
	n := len(by) - len(kind)
	return n > 0 && by[n:] == kind && by[n-1] == '/'
}

// row is the row of a pass.
func (h *history) row(i int) *Reconcile { return h.passes[i].row }

// newest says that no pass came after.
func (h *history) newest(i int) bool { return i == len(h.passes)-1 }

// verdict is what a rule says of one pass.
type verdict int

const (
	// other passes end a streak, neutral ones neither make nor end it.
	other verdict = iota
	neutral
	shows
)

// quiet is how long after a pass, and after what it has planned, a streak may
// still go on.
const quiet = 10 * second

// stretch is passes in a row that show something: those that do, and the places
// of the first and the last, neutral ones at the end included.
type stretch struct {
	first, last int
	passes      []*pass
	full        bool
	// fromStart says that nothing that is known speaks against its having begun
	// before the first pass that is known.
	fromStart bool
}

func (r *stretch) add(i int, p *pass, least int) {
	if len(r.passes) == 0 {
		r.first = i
	}
	r.last = i
	r.passes = append(r.passes, p)
	r.full = r.full || len(r.passes) >= least
}

// stretches finds where a rule holds for passes in a row: it begins with least
// of them that show it, and has none after that but neutral ones between them.
func (h *history) stretches(least int, is func(i int) verdict) []stretch {
	var all []stretch
	r := stretch{fromStart: true}
	for i := range h.passes {
		v := is(i)
		switch {
		case v == shows:
			r.add(i, h.passes[i], least)
		case v == neutral && r.full:
			r.last = i
		default:
			if r.full {
				all = append(all, r)
			}
			r = stretch{fromStart: r.fromStart && v == neutral}
		}
	}
	if r.full {
		all = append(all, r)
	}
	return all
}

// streaks makes episodes of passes in a row. Each goes on until a pass that is
// otherwise, or until nothing has come for a while.
func (h *history) streaks(least int, is func(i int) verdict, summary func(r stretch) func(bool) string) []episode {
	var all []episode
	for _, r := range h.stretches(least, is) {
		e := h.episode(r, summary(r))
		e.to = e.last
		until := max(e.last, h.row(r.last).Next.At) + quiet
		if h.newest(r.last) && h.alive && h.now < until {
			e.to = 0
			h.lookAt(until)
		}
		all = append(all, e)
	}
	return all
}

func (h *history) episode(r stretch, summary func(more bool) string) episode {
	return episode{
		from: r.passes[0].row.From, last: h.row(r.last).To, evidence: r.passes,
		atStart: r.fromStart, summary: summary,
	}
}

// rests makes episodes of passes after which nothing happened for a time: that
// is the fault. Each goes on until something does.
func (h *history) rests(least int64, is func(i int) bool, summary func(r stretch) func(bool) string) []episode {
	var all []episode
	for _, r := range h.stretches(1, func(i int) verdict {
		if is(i) {
			return shows
		}
		return other
	}) {
		if e, ok := h.rest(r, least, summary(r)); ok {
			all = append(all, e)
		}
	}
	return all
}

// rest makes an episode of passes in a row, and says whether nothing happened
// for long enough after one of them.
func (h *history) rest(r stretch, least int64, summary func(bool) string) (episode, bool) {
	e := h.episode(r, summary)
	longest := int64(0)
	for i := r.first; i < r.last; i++ {
		longest = max(longest, h.row(i+1).From-h.row(i).To)
	}
	end := h.now
	switch {
	case !h.newest(r.last):
		end = h.row(r.last + 1).From
		e.to = max(end, e.last)
	case h.busy != 0:
		end = min(end, h.busy)
		e.to = max(end, e.last)
	case !h.alive:
		e.to = max(end, e.last)
	default:
		h.lookAt(max(e.last+least, h.now+second))
	}
	return e, max(longest, end-e.last) >= least
}

// lookAt notes when to look again.
func (h *history) lookAt(at int64) {
	if h.due == 0 || at < h.due {
		h.due = at
	}
}
