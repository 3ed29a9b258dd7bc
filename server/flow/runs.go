package flow

import (
	"container/list"
	"slices"
)

// maxSeq is the highest number of a span that is believed.
const maxSeq = int64(1) << 53

// maxRuns is how many runs of one source are followed.
const maxRuns = 8

// source is an emitting process, by its instance id.
type source struct {
	id       Source
	heard    int64
	runs     []*run // oldest first
	replicas []*replica
	elem     *list.Element
}

// run is one run of an emitter, from a start of the process: the numbers of
// its spans begin at 1.
type run struct {
	source *source
	epoch  string
	since  int64 // when it was heard of first
	heard  int64
	// before is when the run was heard of before the newest input.
	before int64

	// fresh are the numbers seen in the step under way, plain whether spans
	// without a number came.
	fresh   []int64
	plain   bool
	queued  bool
	got     ranges // spans that came
	known   ranges // spans that came or are in a gap
	claimed ranges // spans that requests which came were about
	top     int64
	holes   []hole
	gaps    []*gapSlot // open ones
	// unnumbered are the gaps of drops whose numbers are not known, oldest first.
	unnumbered []*gapSlot

	// dropped is what the emitter says, explained how many of these a gap
	// shows, inFlight how many are in gaps that nobody has explained.
	dropped, explained, inFlight int64
	droppedAt                    int64
	holed                        bool
	replacedAt                   int64
}

// hole is a range of numbers that may still come.
type hole struct {
	seqs
	since int64 // when it was noticed
	from  int64 // when the run was heard of before that
}

// hear notes that an emitter has been heard of and returns its run. A record
// that does not say of which run it is belongs to the current one.
func (s *State) hear(id Source, epoch string) *run {
	if r := s.lastRun; r != nil && r.epoch == epoch && r.source.id == id && r.heard == s.now {
		return r
	}
	src := s.source(id)
	src.heard = s.now
	s.sourceOrder.MoveToBack(src.elem)
	for _, rep := range src.replicas {
		s.heardReplica(rep)
	}
	r := s.run(src, clip(epoch))
	if r.heard != s.now {
		r.before, r.heard = r.heard, s.now
	}
	s.lastRun = r
	return r
}

func (s *State) source(id Source) *source {
	id = named(id)
	src := s.sources[id.Instance]
	if src == nil {
		src = &source{id: id}
		s.sources[id.Instance] = src
		src.elem = s.sourceOrder.PushBack(src)
		for len(s.sources) > s.limits.Runs {
			s.forgetSource(s.sourceOrder.Front().Value.(*source))
		}
	}
	return src
}

// named gives an emitter without an instance id its service's name.
func named(id Source) Source {
	id = Source{Instance: clip(id.Instance), Service: clip(id.Service), Pod: clip(id.Pod)}
	if id.Instance == "" {
		id.Instance = id.Service
	}
	if id.Instance == "" {
		id.Instance = "unknown"
	}
	return id
}

func (s *State) run(src *source, epoch string) *run {
	for _, r := range slices.Backward(src.runs) {
		if r.epoch == epoch || epoch == "" {
			return r
		}
	}
	if n := len(src.runs); n > 0 && src.runs[n-1].epoch == "" {
		src.runs[n-1].epoch = epoch // it had not said until now
		return src.runs[n-1]
	}
	r := &run{source: src, epoch: epoch, since: s.now, heard: s.now, before: src.heard}
	for _, old := range src.runs {
		s.replace(old)
	}
	src.runs = append(src.runs, r)
	if len(src.runs) > maxRuns {
		s.forgetRun(src.runs[0])
		src.runs = slices.Delete(src.runs, 0, 1)
	}
	return r
}

// replace notes that the process of a run has started anew: what the run left
// open cannot end any more.
func (s *State) replace(r *run) {
	if r.replacedAt == 0 {
		r.replacedAt = s.now
		s.replaced = append(s.replaced, r)
	}
}

// loseReplaced gives up what replaced runs left open, after a grace.
func (s *State) loseReplaced() {
	if len(s.replaced) == 0 {
		return
	}
	s.replaced = slices.DeleteFunc(s.replaced, func(r *run) bool {
		if s.now < r.replacedAt+lostGrace {
			return false
		}
		s.giveUp(r.heard, "", func(o *run) bool { return o == r })
		return true
	})
}

// giveUp ends what the runs chosen left open of a controller (of all where it
// is ""): they were last heard of at a time, and their processes are gone.
func (s *State) giveUp(at int64, controller string, of func(*run) bool) {
	chosen := func(r *run, name string) bool {
		return r != nil && (controller == "" || name == controller) && of(r)
	}
	for e := s.open.Front(); e != nil; {
		p := e.Value.(*pass)
		e = e.Next()
		if chosen(p.run, p.row.Controller) {
			s.lose(p, at)
		}
	}
	s.items.each(func(it *itemSlot) {
		if chosen(it.note.run, it.row.Controller) {
			it.note.facets = facets{at: it.note.facets.at}
			s.touchItem(it)
		}
	})
	s.waits.each(func(w *waitSlot) {
		if w.row.To == 0 && chosen(w.note.run, w.row.Controller) {
			s.endWait(w, at)
		}
	})
}

// lose ends a pass without its root, at a time or when it was last known of.
func (s *State) lose(p *pass, at int64) {
	row := s.edit(p)
	row.Result = ResultLost
	row.To = max(at, p.firstTime())
	for _, ph := range row.Phases {
		row.To = max(row.To, ph.To)
	}
	for _, st := range p.starts {
		row.To = max(row.To, st.at)
	}
	p.lost, p.starts = true, nil
	s.finish(p)
}

// forgetSource drops the source that was not heard of for the longest time.
func (s *State) forgetSource(src *source) {
	for _, r := range src.runs {
		s.forgetRun(r)
	}
	for _, rep := range src.replicas {
		rep.controller.replicas = slices.DeleteFunc(rep.controller.replicas, func(o *replica) bool { return o == rep })
	}
	src.replicas = nil
	s.sourceOrder.Remove(src.elem)
	delete(s.sources, src.id.Instance)
	s.lastRun = nil
}

// forgetRun announces what of a run is missing, because nobody is going to
// look again.
func (s *State) forgetRun(r *run) {
	for _, h := range r.holes {
		s.announce(r, h)
	}
	r.holes = nil
	s.holed = slices.DeleteFunc(s.holed, func(o *run) bool { return o == r })
	s.replaced = slices.DeleteFunc(s.replaced, func(o *run) bool { return o == r })
}
