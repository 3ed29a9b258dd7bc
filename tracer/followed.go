package tracer

import (
	"maps"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"

	"github.com/reconcile-tracer/tracer/tracer/control"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// keptIdle is how many items that are through are remembered, to tell why one
// comes again whose Add crossed with a worker taking it.
const keptIdle = 256

// followed is the model of one item of a followed queue.
type followed struct {
	record func() record

	entry     *entry // nil when it is not in the queue
	active    bool
	returned  bool
	unlocked  time.Time // when a worker was done with it last
	taken     takenFollowed
	reconcile *reconcile
	worker    int
	last      *arrival // the newest cause of the pass before
	idle      bool     // in the Follower's list of idle items
}

// takenFollowed is what a worker took, and when.
type takenFollowed struct {
	taken
	at                 time.Time
	priority, requeues int
	pass               *control.Pass
}

// entry is an item's place in the queue: delayed until it is ready.
type entry struct {
	causes       causeSet
	since, ready time.Time
	due          bool
	why          string
	requeues     int
	priority     int
	order        int64
	timer        *time.Timer
}

// again adds an item that is in the queue already: the earlier time and the
// higher priority count, and a raised one puts it behind its like.
func (e *entry) again(a Addition, why string, requeues int, now time.Time, next func() int64) {
	if ready := a.ready(now); !e.due && ready.Before(e.ready) {
		e.ready, e.why, e.requeues = ready, why, requeues
	}
	if a.Priority > e.priority {
		e.priority, e.order = a.Priority, next()
	}
}

// wait makes an entry due, or has due called when it will be.
func (e *entry) wait(now time.Time, due func()) {
	e.stop()
	if e.due = e.due || !e.ready.After(now); !e.due && !e.unknown() {
		e.timer = time.AfterFunc(e.ready.Sub(now), due)
	}
}

// unknown says that nobody knows when the item will be ready.
func (e *entry) unknown() bool { return e.ready.Equal(never) }

// isDue makes an entry due whose time has come, and tells whether it did.
func (e *entry) isDue(now time.Time) bool {
	if e.due || e.ready.After(now) {
		return false
	}
	e.due = true
	return true
}

func (e *entry) stop() {
	if e.timer != nil {
		e.timer.Stop()
	}
}

// waits tells whether the item waits for a worker.
func (i *followed) waits() bool { return i.entry != nil && i.entry.due && !i.active }

// take moves the item from the queue to a worker. When nothing is known of why
// it is there, its last Add came while a worker was already taking it, and that
// pass has it among its causes: here it comes again.
func (i *followed) take(now time.Time) {
	took := takenFollowed{at: now, taken: taken{since: now}}
	switch {
	case i.entry != nil:
		i.entry.stop()
		took.causes = i.entry.causes
		took.since = later(i.entry.ready, i.unlocked)
		if took.since.After(now) {
			took.since = now
		}
	case i.last != nil:
		again := *i.last
		again.raced, again.event = true, nil
		took.causes.add(&again)
	}
	i.entry, i.active, i.returned, i.reconcile = nil, true, false, nil
	i.last = took.causes.newest()
	i.taken = took
}

func (i *followed) done(now time.Time) {
	i.active, i.returned, i.reconcile, i.worker = false, false, nil, 0
	i.unlocked = now
	i.taken = takenFollowed{}
}

// decide tells the reconcile that has returned what comes next.
func (i *followed) decide(what string, a Addition, requeues int) {
	result := semconv.ResultRequeue
	if what == semconv.CauseRequeueAfter {
		result = semconv.ResultRequeueAfter
	}
	i.reconcile.decide(time.Now(), func(o *outcome) { o.requeue, o.delay, o.count, o.unknown = result, a.After, requeues, a.Unknown })
}

// attributes are those of the item's log record.
func (i *followed) attributes() []attribute.KeyValue {
	attrs := []attribute.KeyValue{attribute.Bool(semconv.AttrQueueModelled, true)}
	if i.active {
		attrs = append(attrs, attribute.Bool(semconv.AttrItemActive, true))
	}
	switch e := i.entry; {
	case e == nil, e.unknown():
	case !e.due:
		attrs = append(attrs,
			attribute.Int64(semconv.AttrItemDelayedSince, e.since.UnixMicro()),
			attribute.Int64(semconv.AttrItemDelayedUntil, e.ready.UnixMicro()),
			attribute.String(semconv.AttrItemDelayedWhy, e.why),
			attribute.Int(semconv.AttrItemRequeues, e.requeues))
	case i.active:
		attrs = append(attrs, attribute.Bool(semconv.AttrItemDirty, true))
	default:
		attrs = append(attrs,
			attribute.Int64(semconv.AttrItemReadySince, later(e.ready, i.unlocked).UnixMicro()),
			attribute.Int64(semconv.AttrItemReadyOrder, e.order),
			attribute.Int(semconv.AttrQueuePriority, e.priority),
			e.causes.attribute())
	}
	return attrs
}

// change changes an item's model and announces it.
func (f *Follower[T]) change(it T, change func(*followed)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := f.items[it]
	if i == nil {
		i = &followed{record: func() record { return f.record(it) }}
		f.items[it] = i
	}
	before := i.waits()
	change(i)
	switch {
	case i.waits() && !before:
		f.ready++
	case before && !i.waits():
		f.ready--
	}
	f.announce(it, i)
	f.retire(it, i)
}

// retire remembers an item that has nothing to say any more for a while.
func (f *Follower[T]) retire(it T, i *followed) {
	if i.entry != nil || i.active || i.idle {
		return
	}
	i.idle = true
	f.idle = append(f.idle, it)
	if len(f.idle) <= keptIdle {
		return
	}
	oldest := f.idle[0]
	f.idle = append(f.idle[:0], f.idle[1:]...)
	if i := f.items[oldest]; i != nil {
		i.idle = false
		if i.entry == nil && !i.active {
			delete(f.items, oldest)
		}
	}
}

// tellAll announces every item that has something to say, a few at a time.
func (f *Follower[T]) tellAll() {
	f.mu.Lock()
	items := slices.Collect(maps.Keys(f.items))
	f.mu.Unlock()
	for some := range slices.Chunk(items, toldAtOnce) {
		f.tell(some)
	}
}

func (f *Follower[T]) tell(items []T) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, it := range items {
		if i := f.items[it]; i != nil && (i.entry != nil || i.active) {
			f.announce(it, i)
		}
	}
}

func (f *Follower[T]) announce(it T, i *followed) {
	namespace, name := f.key(it)
	f.t.put("item/"+namespace+"/"+name, i.record)
}

// record is an item's place in the queue now.
func (f *Follower[T]) record(it T) record {
	namespace, name := f.key(it)
	attrs := append(f.t.objectRef(namespace, name), attribute.String(semconv.AttrController, f.t.cfg.Controller))
	f.mu.Lock()
	defer f.mu.Unlock()
	if i := f.items[it]; i != nil {
		attrs = append(attrs, i.attributes()...)
	}
	return record{at: time.Now(), event: semconv.LogQueueItem, attrs: attrs}
}
