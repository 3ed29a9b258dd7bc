package flow

import (
	"cmp"
	"container/list"
	"slices"
)

// State is the fold: everything the hub knows, and nothing else. It is not
// safe for concurrent use; one goroutine owns it.
type State struct {
	limits Limits
	now    int64
	offset uint64
	// first and firstNow are the offset and the time at which the fold began.
	first    uint64
	firstNow int64

	passes map[string]*pass
	// open and done hold the passes, oldest first.
	open, done list.List
	bytes      int

	edges *table[Edge, *Edge, none]
	waits *table[Wait, *Wait, waitNote]
	holds *table[Hold, *Hold, holdNote]
	gaps  *table[Gap, *Gap, none]
	// controls are what the presenter told controllers to do.
	controls *table[Control, *Control, none]
	items    *table[Item, *Item, itemNote]

	findings *table[Finding, *Finding, findingNote]
	// suspects are the items of which time alone may change a finding,
	// nextSuspect the first time at which one of them has to be looked at.
	suspects    []*itemSlot
	nextSuspect int64
	// undiagnosed are the items whose passes the step under way has touched.
	undiagnosed []*itemSlot

	samples     map[sampleKey]*sample
	sampleOrder list.List
	// sampleFloor is the newest second of which a sample was evicted.
	sampleFloor int64

	controllers     map[string]*controller
	controllerOrder list.List

	sources     map[string]*source
	sourceOrder list.List
	// holed are the runs whose numbers have holes in grace, or drops that no
	// hole explains yet, and replaced those whose process has gone on.
	holed    []*run
	replaced []*run
	// outdated are open passes whose item has been taken again since.
	outdated []*pass

	beats beats

	versions map[version]*made
	servers  serverIndex

	lastRun *run

	// delayed are the open delayed waits, nextFire the first time at which
	// one of them may be over by itself.
	delayed  []*waitSlot
	nextFire int64

	// What the step under way has touched.
	numbered   []*run
	dirty      []*pass
	renumbered []*pass // got another number, and need not be settled for it
	dirtyItems []*itemSlot
	changed    []changed
	gone       []Output
}

// none is the note of rows that need none.
type none struct{}

// New returns an empty State. The zero Limits are the defaults.
func New(limits Limits) *State {
	l := limits.withDefaults()
	s := &State{
		limits:      l,
		passes:      map[string]*pass{},
		edges:       newTable[Edge, *Edge, none](l.Edges, equal[Edge], nil),
		waits:       newTable[Wait, *Wait, waitNote](l.Waits, equal[Wait], func(w *Wait) bool { return w.To == 0 }),
		holds:       newTable[Hold, *Hold, holdNote](l.Holds, equal[Hold], func(h *Hold) bool { return h.To == 0 }),
		controls:    newTable[Control, *Control, none](l.Controls, equal[Control], func(c *Control) bool { return c.To == 0 }),
		gaps:        newTable[Gap, *Gap, none](l.Gaps, equal[Gap], func(g *Gap) bool { return !g.Closed }),
		items:       newTable[Item, *Item, itemNote](l.Items, equal[Item], func(i *Item) bool { return i.Current != "" || i.Ready || i.Delayed }),
		findings:    newTable[Finding, *Finding, findingNote](l.Findings, sameFinding, func(f *Finding) bool { return f.To == 0 }),
		samples:     map[sampleKey]*sample{},
		controllers: map[string]*controller{},
		sources:     map[string]*source{},
		versions:    map[version]*made{},
		servers:     newServerIndex(),
		beats:       beats{slots: map[string]*beatSlot{}},
	}
	s.items.left = s.forgetItem
	s.waits.left = s.forgetWait
	return s
}

// Now is the newest time that the fold has been told, in microseconds since
// the epoch; 0 before the first step.
func (s *State) Now() int64 { return s.now }

// Offset is the newest offset that the fold has been told.
func (s *State) Offset() uint64 { return s.offset }

// Step takes one input in and returns what it changed: at most one Output for
// each row, with the row's final state, first what is gone. The fold owns the
// input from then on; the rows that it returns are never changed again. It
// has no errors: what does not follow the contract is not taken in.
func (s *State) Step(in Input) []Output {
	s.now = max(s.now, in.Now)
	if s.first == 0 {
		s.first, s.firstNow = in.Offset, s.now
	}
	s.offset = max(s.offset, in.Offset)
	s.forgetServers() // by time, so that what comes now finds none of them
	for i := range in.Emitters {
		// First, so that records which do not name their run find the newest.
		s.hear(in.Emitters[i].Source, in.Emitters[i].Epoch)
	}
	for i := range in.Spans {
		s.span(&in.Spans[i])
	}
	for i := range in.Logs {
		s.log(&in.Logs[i])
	}
	for i := range in.Emitters {
		s.claim(&in.Emitters[i])
	}
	s.foldNumbers()
	s.tick()
	s.settlePasses()
	s.evict()
	s.refreshItems()
	s.diagnose()
	return s.outputs()
}

// tick does what is due by time alone.
func (s *State) tick() {
	s.announceGaps()
	s.loseReplaced()
	s.loseOutdated()
	s.checkSilence()
	s.fireDelays()
	s.forgetServers()
}

// settlePasses derives what follows from the passes touched; settling one may
// touch others.
func (s *State) settlePasses() {
	for i := 0; i < len(s.dirty); i++ {
		s.settle(s.dirty[i])
	}
}

func (s *State) refreshItems() {
	for i := 0; i < len(s.dirtyItems); i++ {
		s.refreshItem(s.dirtyItems[i])
	}
}

func (s *State) outputs() []Output {
	out := s.gone
	for _, p := range s.renumbered {
		s.edit(p)
	}
	for _, p := range s.dirty {
		out = appendRow(out, p)
	}
	for _, c := range s.changed {
		out = appendRow(out, c)
	}
	s.gone = nil
	clear(s.dirty)
	clear(s.renumbered)
	clear(s.dirtyItems)
	clear(s.changed)
	s.dirty, s.renumbered = s.dirty[:0], s.renumbered[:0]
	s.dirtyItems, s.changed = s.dirtyItems[:0], s.changed[:0]
	return out
}

func appendRow(out []Output, c changed) []Output {
	if row := c.publish(); row != nil {
		out = append(out, Output{Row: row})
	}
	return out
}

// retract says that a row which was given out is gone.
func (s *State) retract(row Row) {
	s.gone = append(s.gone, Output{Gone: &RowRef{Kind: row.Kind(), ID: row.ID()}})
}

// Pending says that something waits for time to pass, so that the fold has to
// be stepped with an empty input about once a second: a connected controller
// may fall silent, a hole in an emitter's numbers become a gap, a delay end, a
// finding begin or end, or the passes of a process that was replaced, or whose root was
// lost, be given up.
func (s *State) Pending() bool {
	if len(s.holed) > 0 || len(s.replaced) > 0 || len(s.outdated) > 0 || len(s.delayed) > 0 || len(s.suspects) > 0 {
		return true
	}
	for _, c := range s.controllers {
		if c.row.Connected {
			return true
		}
	}
	return false
}

// Rows returns every row, those of one kind together and in the order of time
// and key. Replacing rows by the outputs of later steps gives what Rows gives
// then. The rows are never changed again.
func (s *State) Rows() []Row {
	var rows []Row
	for _, kind := range []func([]Row) []Row{
		s.controllerRows, s.items.appendTo, s.passRows, s.waits.appendTo, s.holds.appendTo, s.controls.appendTo,
		s.edges.appendTo, s.gaps.appendTo, s.findings.appendTo, s.sampleRows, s.beats.appendTo,
	} {
		start := len(rows)
		rows = kind(rows)
		slices.SortFunc(rows[start:], byTime)
	}
	return rows
}

func byTime(a, b Row) int {
	return cmp.Or(cmp.Compare(startOf(a), startOf(b)), cmp.Compare(a.ID(), b.ID()))
}

// startOf is when the row's interval begins, 0 for rows of now.
func startOf(r Row) int64 {
	switch r := r.(type) {
	case *Reconcile:
		return r.From
	case *Wait:
		return r.From
	case *Hold:
		return r.From
	case *Control:
		return r.From
	case *Sample:
		return r.From
	case *Edge:
		return r.From
	case *Gap:
		return r.From
	case *Finding:
		return r.From
	case *Beat:
		return r.From
	}
	return 0
}
