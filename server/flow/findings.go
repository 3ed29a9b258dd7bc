package flow

import (
	"cmp"
	"slices"
	"strconv"
)

type findingSlot = slot[Finding, *Finding, findingNote]

// findingNote is when the newest evidence of a finding was done.
type findingNote struct{ last int64 }

func sameFinding(a, b *Finding) bool {
	return a.Key == b.Key && a.To == b.To && a.Summary == b.Summary && slices.Equal(a.Evidence, b.Evidence)
}

// diagnosis is what findings need of an item. They are made anew from its
// newest passes each time, so that the order in which these came does not
// matter.
type diagnosis struct {
	// passes are the newest ones done, by their end; cut says that there were
	// older ones.
	passes []*pass
	cut    bool
	// marks are those of the passes, and perhaps of some that are not among them
	// any more.
	marks marks
	// findings are those of the item that are kept.
	findings []*findingSlot
	// asked says that it stands in State.undiagnosed, suspected that it stands
	// in State.suspects, to be looked at when due.
	asked, suspected bool
	due              int64
}

func comparePasses(a, b *pass) int {
	return cmp.Or(cmp.Compare(a.row.To, b.row.To), cmp.Compare(a.row.Key, b.row.Key))
}

// suspect takes a pass that is done, or of which more has become known.
func (s *State) suspect(it *itemSlot, p *pass) {
	p.marks = marksOf(p.row)
	it.note.marks |= p.marks
	it.note.keepPass(p)
	s.ask(it)
}

// keepPass keeps p if it is one of the newest.
func (d *diagnosis) keepPass(p *pass) {
	i, found := slices.BinarySearchFunc(d.passes, p, comparePasses)
	if found {
		return
	}
	d.passes = slices.Insert(d.passes, i, p)
	if len(d.passes) > maxItemPasses {
		d.passes[0] = nil
		d.passes, d.cut = slices.Delete(d.passes, 0, 1), true
	}
}

// forget takes out a pass that is evicted.
func (d *diagnosis) forget(p *pass) {
	if i := slices.Index(d.passes, p); i >= 0 {
		d.passes, d.cut = slices.Delete(d.passes, i, i+1), true
	}
}

// suspicious says that there is a reason to look closer.
func (d *diagnosis) suspicious() bool { return d.marks != 0 || len(d.findings) > 0 }

// ask has an item looked at in this step, if there is a reason: its passes, its
// place in the queue or the time may have changed what can be said of it.
func (s *State) ask(it *itemSlot) {
	if !it.note.asked && it.note.suspicious() {
		it.note.asked = true
		s.undiagnosed = append(s.undiagnosed, it)
	}
}

// askAll has every item of a controller that is back looked at: what rested
// while it was away may go on resting.
func (s *State) askAll(controller string) {
	s.items.each(func(it *itemSlot) {
		if it.row.Controller == controller {
			s.ask(it)
		}
	})
}

// diagnose brings the findings up to date with what the step has changed, and
// with the time.
func (s *State) diagnose() {
	s.askSuspects()
	for _, it := range s.undiagnosed {
		it.note.asked = false
		if !it.gone {
			s.diagnoseItem(it)
		}
	}
	clear(s.undiagnosed)
	s.undiagnosed = s.undiagnosed[:0]
}

// askSuspects asks for the items that are due by time alone.
func (s *State) askSuspects() {
	if s.nextSuspect == 0 || s.now < s.nextSuspect {
		return
	}
	s.nextSuspect = 0
	s.suspects = slices.DeleteFunc(s.suspects, func(it *itemSlot) bool {
		if it.gone || it.note.due == 0 {
			it.note.suspected = false
			return true
		}
		if it.note.due > s.now {
			s.wakeAt(it.note.due)
			return false
		}
		it.note.suspected = false
		s.ask(it)
		return true
	})
}

func (s *State) wakeAt(due int64) {
	if s.nextSuspect == 0 || due < s.nextSuspect {
		s.nextSuspect = due
	}
}

func (s *State) diagnoseItem(it *itemSlot) {
	h := s.history(it)
	it.note.marks = h.marks
	var found []episode
	for _, r := range rules() {
		if h.marks&r.mark != 0 {
			for _, e := range r.find(h, r.mark) {
				e.rule = r.name
				found = append(found, e)
			}
		}
	}
	s.showFindings(it, found)
	s.lookAgain(it, h.due)
}

// lookAgain has the item looked at again at a time; 0 is never.
func (s *State) lookAgain(it *itemSlot, due int64) {
	it.note.due = due
	if due == 0 {
		return
	}
	s.wakeAt(due)
	if !it.note.suspected {
		it.note.suspected = true
		if len(s.suspects) >= 2*s.limits.Items {
			s.suspects = slices.DeleteFunc(s.suspects, func(o *itemSlot) bool { return o.gone })
		}
		s.suspects = append(s.suspects, it)
	}
}

// showFindings replaces the findings of an item by what was found. One whose
// beginning has left the window keeps its From; one that is not found any more
// though all of its passes are there was a mistake, of passes that came in
// another order.
func (s *State) showFindings(it *itemSlot, found []episode) {
	var kept []*findingSlot
	for _, e := range found {
		kept = append(kept, s.showEpisode(it, e))
	}
	for _, sl := range it.note.findings {
		switch {
		case sl.gone || slices.Contains(kept, sl):
		case !it.note.slid(sl.row.From):
			s.findings.drop(s, sl)
		default:
			s.endSlid(it, sl)
			kept = append(kept, sl)
		}
	}
	slices.SortFunc(kept, func(a, b *findingSlot) int {
		return cmp.Or(cmp.Compare(a.row.From, b.row.From), cmp.Compare(a.row.Rule, b.row.Rule))
	})
	it.note.findings = slices.DeleteFunc(kept, func(sl *findingSlot) bool { return sl.gone })
	if n := len(it.note.findings); n > maxItemPasses {
		it.note.findings = slices.Delete(it.note.findings, 0, n-maxItemPasses)
	}
}

// showEpisode makes the finding of an episode, or brings it up to date. One that
// ended before stays as it was, while its passes leave the window.
func (s *State) showEpisode(it *itemSlot, e episode) *findingSlot {
	old := it.note.continued(e)
	from, more := e.from, false
	if old != nil {
		if old.row.To != 0 && old.row.To == e.to {
			return old
		}
		from, more = old.row.From, old.row.From < e.from
	}
	sl := s.findings.put(s, e.row(it.row, from, more))
	sl.note.last = e.last
	return sl
}

// continued is the finding that an episode goes on with, the one that began
// last; nil for a new one.
func (d *diagnosis) continued(e episode) *findingSlot {
	if !d.cut || !e.atStart {
		return nil
	}
	for _, sl := range slices.Backward(d.findings) {
		if f := sl.row; !sl.gone && f.Rule == e.rule && f.From <= e.from && (f.To == 0 || f.To >= e.from) {
			return sl
		}
	}
	return nil
}

// slid says that a finding which began at a time has left the window.
func (d *diagnosis) slid(from int64) bool {
	return d.cut && (len(d.passes) == 0 || from < d.passes[0].row.From)
}

// endSlid ends a finding that was not found again, when newer passes have come.
func (s *State) endSlid(it *itemSlot, sl *findingSlot) {
	n := len(it.note.passes)
	if sl.row.To != 0 || n == 0 || it.note.passes[n-1].row.To <= sl.note.last {
		return
	}
	next := *sl.row
	next.To = sl.note.last
	s.findings.set(s, sl, next)
}

// closeFindings ends the findings of an evicted item.
func (s *State) closeFindings(it *itemSlot) {
	for _, sl := range it.note.findings {
		if !sl.gone && sl.row.To == 0 {
			next := *sl.row
			next.To = max(sl.note.last, next.From)
			s.findings.set(s, sl, next)
		}
	}
	it.note.findings = nil
}

// episode is one time that a rule holds, over some passes in a row.
type episode struct {
	rule     string
	from, to int64 // to is 0 while it goes on
	last     int64
	evidence []*pass
	// atStart says that it holds from the first pass that is known.
	atStart bool
	// summary says what was seen; more says that there was more of it before.
	summary func(more bool) string
}

// row is the finding of an episode.
func (e episode) row(it *Item, from int64, more bool) Finding {
	return Finding{
		Row: RowFinding, Key: e.rule + "/" + it.Key + "/" + strconv.FormatInt(from, 10),
		Rule: e.rule, Controller: it.Controller, Item: it.Item,
		From: from, To: e.to, Summary: e.summary(more), Evidence: traces(e.evidence),
	}
}

// maxEvidence is how many reconciles a finding names.
const maxEvidence = 8

// traces names the first and the last of the passes.
func traces(passes []*pass) []string {
	ids := make([]string, 0, min(len(passes), maxEvidence))
	for i, p := range passes {
		if i < maxEvidence/2 || i >= len(passes)-maxEvidence/2 {
			ids = append(ids, p.row.Key)
		}
	}
	return ids
}
