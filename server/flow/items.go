package flow

import (
	"cmp"
	"slices"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

type itemSlot = slot[Item, *Item, itemNote]

// itemNote is what the fold must know of an item beside its row.
type itemNote struct {
	// run is the run that spoke of it last.
	run *run
	// open are the passes under way.
	open []*pass
	// facets are the newest record, recent the last few.
	facets facets
	recent []heldAt
	// lastTo and lastKey are of the newest pass done.
	lastTo  int64
	lastKey string
	// foundAt and deletedAt are the newest passes that found the object, and
	// that were caused by its delete and did not.
	foundAt, deletedAt int64
	// newest is when it was last taken, idle when a record last said that no
	// worker has it.
	newest, idle taken
	// waits are its newest waits.
	waits  []*waitSlot
	queued bool
	diagnosis
	numbers numbering
}

// taken is when a worker of a process took an item, or had none.
type taken struct {
	at     int64
	source string
}

// heldAt says which waits a queue.item record held, by when they began; 0: none.
type heldAt struct{ at, ready, delayed int64 }

// facets are an item's place in the queue by the newest queue.item record,
// beside its waits.
type facets struct {
	at            int64
	active, dirty bool
}

// item returns the item's slot, a new one if need be.
func (s *State) item(controller, item string) *itemSlot {
	key := controller + "/" + item
	if sl := s.items.slots[key]; sl != nil {
		s.items.order.MoveToBack(sl.elem)
		return sl
	}
	return s.items.put(s, Item{Row: RowItem, Key: key, Controller: controller, Item: item})
}

func (s *State) touchItem(it *itemSlot) {
	if !it.note.queued {
		it.note.queued = true
		s.dirtyItems = append(s.dirtyItems, it)
	}
}

// passToItem tells the item of a pass what has changed.
func (s *State) passToItem(p *pass) {
	if p.row.Item == "" {
		return
	}
	if p.item == nil || p.item.gone {
		p.item = s.item(p.row.Controller, p.row.Item)
		p.item.note.run = p.run
	}
	it := p.item
	s.touchItem(it)
	s.numberPass(it, p)
	here := slices.Index(it.note.open, p)
	switch {
	case p.over() && here >= 0:
		it.note.open = slices.Delete(it.note.open, here, here+1)
	case !p.over() && here < 0:
		it.note.open = append(it.note.open, p)
	}
	s.outdate(it, p)
	if p.rooted {
		s.doneForItem(it, p)
		s.suspect(it, p)
	}
}

// outdate notes which passes of an item cannot go on any more, because a worker
// of the same process has taken the item again since: their roots are lost, or
// late.
func (s *State) outdate(it *itemSlot, p *pass) {
	newest := it.note.newest
	if began := p.row.began(); began > newest.at {
		newest = taken{began, p.row.Source}
		it.note.newest = newest
	}
	for _, o := range it.note.open {
		if o.row.Source == newest.source && o.row.began() < newest.at {
			s.markOutdated(o)
		}
	}
}

// outdateIdle notes which passes of an item cannot go on any more, because
// their process has said since that no worker has the item.
func (s *State) outdateIdle(it *itemSlot) {
	idle := it.note.idle
	for _, o := range it.note.open {
		if at := o.goesOn(); at != 0 && at < idle.at && o.row.Source == idle.source {
			s.markOutdated(o)
		}
	}
}

func (s *State) markOutdated(p *pass) {
	if p.outdatedAt == 0 {
		p.outdatedAt = s.now
		s.outdated = append(s.outdated, p)
	}
}

// goesOn is the newest time at which a worker is known to have been at the
// pass, 0 when none is known: From alone may be of the time in the queue.
func (p *pass) goesOn() int64 {
	at := max(p.row.Start, p.toldAt)
	for _, ph := range p.row.Phases {
		at = max(at, ph.To)
	}
	for _, st := range p.starts {
		at = max(at, st.at)
	}
	return at
}

// began is when a worker took the item, or else the earliest that is known.
func (r *Reconcile) began() int64 {
	if r.Start != 0 {
		return r.Start
	}
	return r.From
}

// loseOutdated gives up the passes whose roots did not come within the grace.
func (s *State) loseOutdated() {
	if len(s.outdated) == 0 {
		return
	}
	s.outdated = slices.DeleteFunc(s.outdated, func(p *pass) bool {
		if p.over() || p.gone {
			return true
		}
		due := s.now >= p.outdatedAt+lostGrace
		if due {
			s.lose(p, 0)
		}
		return due
	})
}

// doneForItem counts a pass that is done, and shows it if it is the newest.
func (s *State) doneForItem(it *itemSlot, p *pass) {
	next, row := *it.row, p.row
	if !p.itemCounted {
		p.itemCounted = true
		next.Reconciles++
	}
	order := cmp.Or(cmp.Compare(row.To, it.note.lastTo), cmp.Compare(row.Key, it.note.lastKey))
	if order >= 0 {
		it.note.lastTo, it.note.lastKey = row.To, row.Key
		next.Previous, next.LastResult = row.Key, row.Result
		next.Requeues = 0
		if row.Next.Why != nextDone {
			next.Requeues = row.Next.Requeues
		}
		next.Generation, next.ObservedGeneration = row.Object.Generation, row.Object.ObservedGeneration
	}
	it.note.look(row)
	next.Gone = it.note.deletedAt > it.note.foundAt
	s.items.set(s, it, next)
}

// look notes whether the pass found the object. A pass that neither found it
// nor heard of its delete says nothing: events of children go on for a while.
func (n *itemNote) look(r *Reconcile) {
	switch {
	case r.Object.ResourceVersion != "":
		n.foundAt = max(n.foundAt, r.To)
	case foundGone(r):
		n.deletedAt = max(n.deletedAt, r.To)
	}
}

// foundGone says that the pass was caused by its own object's delete and found
// it gone.
func foundGone(r *Reconcile) bool {
	if r.Object.ResourceVersion != "" {
		return false
	}
	return slices.ContainsFunc(r.Causes, func(c Cause) bool {
		return c.What == semconv.CauseDelete && itemName(c.Namespace, c.Name) == r.Item &&
			(c.Kind == r.Object.Kind || r.Object.Kind == "")
	})
}

// refreshItem derives the item's row from the passes under way and the facets.
func (s *State) refreshItem(it *itemSlot) {
	it.note.queued = false
	if it.gone {
		return
	}
	s.outdateIdle(it)
	next, f := *it.row, it.note.facets
	next.Current, next.Phase = "", ""
	if p := newestOpen(it.note.open); p != nil {
		next.Current, next.Phase = p.row.Key, p.openPhase()
	}
	next.Ready, next.Delayed = waiting(it.note.waits)
	next.Dirty = f.dirty
	next.Active = next.Current != "" || f.active && f.at > it.note.lastTo
	s.countPlaces(it.row, &next)
	s.items.set(s, it, next)
	s.ask(it)
}

func newestOpen(open []*pass) *pass {
	if len(open) == 0 {
		return nil
	}
	return slices.MaxFunc(open, func(a, b *pass) int {
		return cmp.Or(cmp.Compare(a.row.From, b.row.From), cmp.Compare(a.row.Key, b.row.Key))
	})
}

// waiting says whether an item is ready or delayed, by its waits.
func waiting(waits []*waitSlot) (ready, delayed bool) {
	for _, w := range waits {
		if w.row.To == 0 {
			ready = ready || w.row.State == waitReady
			delayed = delayed || w.row.State == waitDelayed
		}
	}
	return ready, delayed
}

// countPlaces keeps the controller's counts of items ready and delayed.
func (s *State) countPlaces(before, after *Item) {
	depth := step(before.Ready, after.Ready)
	delayed := step(before.Delayed, after.Delayed)
	if depth == 0 && delayed == 0 {
		return
	}
	c := s.controllers[after.Controller]
	if c == nil {
		return // evicted; its items do not bring it back
	}
	row := s.editController(c)
	row.Depth = max(0, row.Depth+depth)
	row.Delayed = max(0, row.Delayed+delayed)
}

func step(before, after bool) int {
	switch {
	case after && !before:
		return 1
	case before && !after:
		return -1
	}
	return 0
}

// forgetItem is told of an evicted item.
func (s *State) forgetItem(it *itemSlot) {
	s.countPlaces(it.row, &Item{Controller: it.row.Controller})
	s.closeFindings(it)
}
