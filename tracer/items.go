package tracer

import (
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// item is one item's place in the queue and why it is there. The facets do not
// exclude each other: it can be active, dirty and delayed at once.
type item struct {
	record func() record // the queue.item record as of when it is called

	waiting causeSet   // what the next reconcile is caused by
	flying  []*arrival // inner Adds that have not returned
	raced   []*arrival // taken by a Pop before their Add took effect, maybe
	hooks   int        // how often client-go's queue pushed or touched it

	ready bool
	since time.Time
	order int64

	active    bool
	dirty     bool
	pops      int
	taken     taken
	reconcile *reconcile
	worker    int

	delay   *delay
	lastDue []*arrival // what the last delay that ended was for
}

// taken is what a Pop took.
type taken struct {
	causes causeSet
	since  time.Time
	depth  int
}

// delay is an item's stay in the waiting room.
type delay struct {
	since, until time.Time
	why          string
	requeues     int
	causes       causeSet
}

// idle tells whether nothing holds any more.
func (i *item) idle() bool {
	return !i.ready && !i.active && i.delay == nil && len(i.flying) == 0
}

// more counts causes of which only the number is known.
func (i *item) more(counts map[string]int) {
	for what, n := range counts {
		i.waiting.count(what, n)
	}
}

// launch notes an Add that is about to begin; the result tells land whether
// client-go's queue took notice.
func (i *item) launch(arrivals []*arrival) (hooks int) {
	for _, a := range arrivals {
		if i.waiting.has(a.event) {
			continue
		}
		a.flying = true
		i.flying = append(i.flying, a)
		i.waiting.add(a)
	}
	return i.hooks
}

// land notes that an Add has returned. When nothing shows that it had any
// effect the queue is shutting down, and its causes lead nowhere.
func (i *item) land(arrivals []*arrival, hooks int) {
	for _, a := range arrivals {
		a.flying = false
		if n := slices.Index(i.flying, a); n >= 0 {
			i.flying = slices.Delete(i.flying, n, n+1)
		}
	}
	unnoticed := i.hooks == hooks
	switch {
	case unnoticed && i.active:
		i.dirty = true
	case unnoticed && !i.ready && len(i.flying) == 0:
		i.waiting = causeSet{}
	}
	i.settleRaced()
}

// settleRaced lets go of arrivals that were taken early after all: had their
// Adds come later than the Pop, the item would be in the queue again.
func (i *item) settleRaced() {
	if i.ready || i.active {
		return
	}
	i.raced = slices.DeleteFunc(i.raced, func(a *arrival) bool { return !a.flying })
}

// noticed is called under client-go's lock when an Add (or Done) reached its
// queue. With a single Add under way it is known whose that was.
func (i *item) noticed() {
	i.hooks++
	if len(i.flying) == 1 {
		i.flying[0].landed = true
	}
}

func (i *item) pushed(now time.Time, order int64) {
	i.noticed()
	i.ready, i.since, i.order = true, now, order
	i.active, i.dirty = false, false
}

// popped takes the causes. Those whose Add may take effect only now, while the
// item is being processed, are kept for the pass that this would lead to.
func (i *item) popped(depth int) {
	i.pops++
	i.ready, i.active, i.dirty = false, true, false
	i.taken = taken{causes: causeSet{}, since: i.since, depth: depth}
	for _, a := range i.raced {
		again := *a
		again.raced = true
		i.taken.causes.add(&again)
	}
	i.raced = nil
	i.merge(&i.taken.causes, i.waiting)
	i.waiting = causeSet{}
	for _, a := range i.flying {
		if !a.landed {
			i.raced = append(i.raced, a)
		}
	}
}

// merge adds from to into, which holds little if anything.
func (i *item) merge(into *causeSet, from causeSet) {
	if into.total == 0 {
		*into = from
		return
	}
	kept, more := from.all(), from.beyond()
	for _, a := range kept {
		into.add(a)
	}
	for what, n := range more {
		into.count(what, n)
	}
}

// done ends the pass that began with the given pop, unless the item has been
// pushed, and maybe popped, since.
func (i *item) done(pop int) {
	if i.pops == pop && !i.ready {
		i.active, i.dirty = false, false
	}
	i.settleRaced()
}

// postpone notes an AddAfter. As in client-go a delay that is running already
// ends at the earlier of both times.
func (i *item) postpone(a *arrival, now time.Time, d time.Duration, requeues int) {
	until := now.Add(d)
	if i.delay == nil {
		i.delay = &delay{since: now, until: until, why: a.what, requeues: requeues}
	} else if until.Before(i.delay.until) {
		i.delay.until, i.delay.why, i.delay.requeues = until, a.what, requeues
	}
	if !i.delay.causes.has(a.event) {
		i.delay.causes.add(a)
	}
}

// due ends the delay if it is over and returns what it was for, with the counts
// of what is not kept. Own reasons come into the queue now, an event's cause
// keeps the event's time. When the delaying queue adds an item of which no
// delay is known, two AddAfters crossed, and the same reasons come again.
func (i *item) due(now time.Time) (due []*arrival, more map[string]int) {
	if i.delay == nil || i.delay.until.After(now) {
		return i.again(now), nil
	}
	due, more = i.delay.causes.all(), i.delay.causes.beyond()
	i.delay = nil
	i.lastDue = due
	for _, a := range due {
		if a.event == nil {
			a.at = now
		}
	}
	return due, more
}

func (i *item) again(now time.Time) []*arrival {
	if len(i.flying) > 0 || i.delay != nil || len(i.lastDue) == 0 {
		return nil
	}
	again := *i.lastDue[len(i.lastDue)-1]
	again.at, again.raced, again.event = now, true, nil
	return []*arrival{&again}
}

// attributes are those of the item's log record; what does not hold is absent.
func (i *item) attributes() []attribute.KeyValue {
	var attrs []attribute.KeyValue
	if i.ready {
		attrs = append(attrs,
			attribute.Int64(semconv.AttrItemReadySince, i.since.UnixMicro()),
			attribute.Int64(semconv.AttrItemReadyOrder, i.order),
			i.waiting.attribute())
	}
	if d := i.delay; d != nil {
		attrs = append(attrs,
			attribute.Int64(semconv.AttrItemDelayedSince, d.since.UnixMicro()),
			attribute.Int64(semconv.AttrItemDelayedUntil, d.until.UnixMicro()),
			attribute.String(semconv.AttrItemDelayedWhy, d.why),
			attribute.Int(semconv.AttrItemRequeues, d.requeues))
	}
	if i.active {
		attrs = append(attrs, attribute.Bool(semconv.AttrItemActive, true))
	}
	if i.dirty {
		attrs = append(attrs, attribute.Bool(semconv.AttrItemDirty, true))
	}
	return attrs
}
