package flow

import (
	"cmp"
	"container/list"
	"slices"
	"strings"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// pass is a Reconcile row under assembly. Its spans come in any order, and
// more of them may come when it is done.
type pass struct {
	row *Reconcile
	// frozen says that row has been given out: edit copies it first.
	frozen bool
	queued bool
	given  bool
	gone   bool

	// rooted says that the root span has come, lost that the pass was given
	// up without it.
	rooted, lost bool
	// settled says that controller and item are known and that links which
	// waited for that have been resolved.
	settled  bool
	dequeued bool

	run    *run
	seen   []uint64
	starts []start
	plans  []plan
	began  int64 // the root's start by its span.start record
	toldAt int64 // the time of that record
	tally  tally
	// outdatedAt is when a later pass of the item was seen, 0: not yet.
	outdatedAt  int64
	item        *itemSlot
	nthFrom     int64 // the From by which it is numbered
	links       []*link
	index       []version
	itemCounted bool
	readied     bool  // the ready wait knows of the dequeue
	delayed     bool  // the delayed wait of Next is known
	closedAt    int64 // the Start that ended ready waits
	marks       marks // the rules that it may be evidence of
	bytes       int
	elem        *list.Element
}

// start is a span that is still open, by a span.start record.
type start struct {
	span  uint64
	id    string
	name  string
	at    int64
	attrs Attrs
	plan  []string // what it has planned so far
}

// plan is what one compute span planned.
type plan struct {
	at      int64
	span    uint64
	actions []Action
}

func (s *State) pass(trace string, from *run) *pass {
	p := s.passes[trace]
	if p == nil {
		p = &pass{row: newReconcile(trace, from.source.id.Instance), run: from}
		p.tally.bucket = -1
		p.elem = s.open.PushBack(p)
		s.passes[trace] = p
	}
	return p
}

func newReconcile(trace, source string) *Reconcile {
	return &Reconcile{
		Row: RowReconcile, Key: trace, Source: source, CauseCounts: map[string]int{},
		Causes: []Cause{}, Phases: []Phase{}, Reads: []Read{}, Plan: []Action{}, Writes: []Write{},
	}
}

// edit returns p's row for changing, and p as touched.
func (s *State) edit(p *pass) *Reconcile {
	if !p.queued {
		p.queued = true
		s.dirty = append(s.dirty, p)
	}
	return p.own()
}

// own returns p's row, a copy of it where it has been given out.
func (p *pass) own() *Reconcile {
	if p.frozen {
		p.row, p.frozen = p.row.clone(), false
	}
	return p.row
}

// clone copies what the fold changes in place. What it only ever replaces is
// shared: CauseCounts, Plan, and the slices inside causes, reads and writes.
func (r *Reconcile) clone() *Reconcile {
	c := *r
	c.Causes = slices.Clone(r.Causes)
	c.Phases = slices.Clone(r.Phases)
	c.Reads = slices.Clone(r.Reads)
	c.Writes = slices.Clone(r.Writes)
	return &c
}

func (p *pass) publish() Row {
	p.queued = false
	if p.gone || !p.known() {
		return nil
	}
	p.given = true
	return p.view()
}

// view is p's row to give out. What is still open is shown, but kept apart.
func (p *pass) view() *Reconcile {
	if len(p.starts) == 0 {
		p.frozen = true
		return p.row
	}
	row := p.row.clone()
	for _, st := range p.starts {
		st.show(row)
	}
	return row
}

// known says that the row can be placed: whose pass it is, over what. A root
// that does not say leaves it where it is.
func (p *pass) known() bool {
	return p.row.Controller != "" && (p.row.Item != "" || p.rooted)
}

// over says that nothing of the pass goes on.
func (p *pass) over() bool { return p.rooted || p.lost }

// see remembers a span of p, and says whether it is to be taken in: once, and
// up to maxSpans. The root is always, or the pass would never end.
func (p *pass) see(span uint64, root bool) bool {
	i, found := slices.BinarySearch(p.seen, span)
	if found || p.full() && (!root || p.rooted) {
		return false
	}
	p.seen = slices.Insert(p.seen, i, span)
	return true
}

// full says that p takes no more spans in.
func (p *pass) full() bool { return len(p.seen) >= maxSpans }

func (p *pass) has(span uint64) bool {
	_, found := slices.BinarySearch(p.seen, span)
	return found
}

// span takes one finished span in.
func (s *State) span(sp *Span) {
	take, seq := taker(sp.Name), sp.Attrs.num(semconv.AttrSeq)
	if take == nil {
		s.takeServer(sp)
		if sp.Epoch == "" && seq == 0 {
			return // who numbers nothing and reconciles nothing is no emitter
		}
	}
	r := s.hear(sp.Source, sp.Epoch)
	repeated := s.number(r, seq)
	if take == nil || !usable(sp.TraceID) {
		return
	}
	if repeated && s.passes[sp.TraceID] == nil {
		return // of a pass that has been evicted since
	}
	p := s.pass(sp.TraceID, r)
	n := spanNumber(sp.SpanID)
	if !p.see(n, strings.HasPrefix(sp.Name, semconv.SpanReconcilePrefix)) {
		if p.full() && !p.has(n) {
			s.edit(p).OmittedSpans++
		}
		return
	}
	p.run = r
	p.forget(n)
	s.edit(p)
	take(s, p, sp)
}

// taker is what takes in spans of this name, nil for names that the contract
// does not know.
func taker(name string) func(*State, *pass, *Span) {
	switch name {
	case semconv.SpanDequeue:
		return (*State).takeDequeue
	case semconv.SpanFetch, semconv.SpanApply, semconv.SpanRequeue:
		return (*State).takePhase
	case semconv.SpanCompute:
		return (*State).takeCompute
	case semconv.SpanRead:
		return (*State).takeRead
	case semconv.SpanWrite:
		return (*State).takeWrite
	}
	if strings.HasPrefix(name, semconv.SpanReconcilePrefix) {
		return (*State).takeRoot
	}
	return nil
}

// settle derives what follows from the spans of p that have come.
func (s *State) settle(p *pass) {
	if p.gone {
		return
	}
	p.deriveTimes()
	s.weigh(p)
	if !p.known() {
		return
	}
	if !p.settled {
		p.settled = true
		for _, l := range p.links {
			s.resolve(l)
		}
	}
	s.bind(p.row.Controller, p.run.source)
	s.count(p)
	s.passToItem(p)
	s.passToWaits(p)
}

// deriveTimes sets From of a pass whose root has not come, and Start.
func (p *pass) deriveTimes() {
	row := p.row
	if !p.rooted {
		row.From = p.firstTime()
	}
	row.Start = p.startTime()
	if row.Start == 0 && p.rooted {
		row.Start = row.From
	}
}

func (p *pass) firstTime() int64 {
	first := p.began
	earlier := func(t int64) {
		if first == 0 || t < first {
			first = t
		}
	}
	if len(p.row.Phases) > 0 {
		earlier(p.row.Phases[0].From)
	}
	for _, st := range p.starts {
		earlier(st.at)
	}
	return first
}

// startTime is when a worker took the item: the end of dequeue, or else the
// begin of what came first after it.
func (p *pass) startTime() int64 {
	var first int64
	for _, ph := range p.row.Phases {
		if ph.Name == semconv.SpanDequeue {
			return ph.To
		}
		if first == 0 {
			first = ph.From
		}
	}
	for _, st := range p.starts {
		if st.name != semconv.SpanDequeue && isPhase(st.name) && (first == 0 || st.at < first) {
			first = st.at
		}
	}
	return first
}

func isPhase(name string) bool { return phaseRank(name) > 0 }

// phaseRank is the place of a phase in the loop, from 1; 0 for other names.
func phaseRank(name string) int {
	switch name {
	case semconv.SpanDequeue:
		return 1
	case semconv.SpanFetch:
		return 2
	case semconv.SpanCompute:
		return 3
	case semconv.SpanApply:
		return 4
	case semconv.SpanRequeue:
		return 5
	}
	return 0
}

func comparePhases(a, b Phase) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(phaseRank(a.Name), phaseRank(b.Name)), cmp.Compare(a.To, b.To))
}

// insert puts e into a sorted list.
func insert[E any](list []E, e E, compare func(a, b E) int) []E {
	i, _ := slices.BinarySearchFunc(list, e, compare)
	return slices.Insert(list, i, e)
}

// insertEnds is insert into a list of which the first and the last maxEnds are
// kept. Which ones are kept does not depend on the order of arrival.
func insertEnds[E any](list []E, e E, compare func(a, b E) int) []E {
	list = insert(list, e, compare)
	if len(list) > 2*maxEnds {
		list = slices.Delete(list, maxEnds, maxEnds+1)
	}
	return list
}
