package tracer

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/trace"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// Event is an informer's event, as an adapter tells a Follower of it. It is
// passed by pointer: the same pointer is the same event.
type Event struct {
	// What is semconv.CauseInitialList, CauseAdd, CauseUpdate or CauseDelete.
	What string
	// GVK is the kind of the object.
	GVK schema.GroupVersionKind
	// Old is the object before an update, nil otherwise; Object is the object
	// or its tombstone. They are only read, and only until the Follower's
	// method returns.
	Old, Object any
	// At is when the event came.
	At time.Time

	told atomic.Pointer[toldEvent]
}

// toldEvent is what an event means to one tracer.
type toldEvent struct {
	t *Tracer
	event
}

// of is the event as a cause for t.
func (e *Event) of(t *Tracer) *event {
	if told := e.told.Load(); told != nil && told.t == t {
		return &told.event
	}
	t.state.eventOf(e.GVK.Kind)
	told := &toldEvent{t, event{t.eventCause(e.What, e.GVK, e.Old, e.Object, e.At)}}
	e.told.Store(told)
	return &told.event
}

// Addition says how and why an item was added to a queue.
type Addition struct {
	// Event is what made a handler add it, nil for none.
	Event *Event
	// Limited says that the rate limiter gave the delay.
	Limited bool
	// After is the delay, 0 or less for none.
	After time.Duration
	// Unknown says that the delay is not known: the queue has a rate limiter of
	// its own, which nobody else may ask.
	Unknown bool
	// Priority is 0 unless the queue has priorities; the higher one goes first.
	Priority int
}

// what is the kind of the cause of an addition without an event; returned says
// that the item's reconciler has just returned, so that it was decided by that.
func (a Addition) what(returned bool) string {
	switch {
	case !returned:
		return semconv.CauseGeneric
	case a.Limited:
		return semconv.CauseBackoff
	case a.After > 0:
		return semconv.CauseRequeueAfter
	}
	return semconv.CauseGeneric
}

// never is when an item is ready of which nobody knows when it will be.
var never = time.Unix(1<<40, 0)

// ready is when the item is ready, never where that is not known.
func (a Addition) ready(now time.Time) time.Time {
	if a.Unknown {
		return never
	}
	return now.Add(max(a.After, 0))
}

// Follower traces the reconciles of a queue that the library does not build.
// It is for those who adapt another framework, like package ctrlruntime: they
// tell it what goes into the queue and comes out, and it keeps a model of the
// queue in which an item is at most once, as in controller-runtime's. Order and
// ready time are the model's, and are labelled so. A Follower is safe for
// concurrent use; one of a tracer that is off does nothing.
//
// For each item the calls are Add, Take, Start, Return, perhaps Add again, and
// Done. A call that is left out loses what it would have told, nothing else.
type Follower[T comparable] struct {
	t        *Tracer
	key      func(T) (namespace, name string)
	requeues func(T) int

	mu      sync.Mutex
	items   map[T]*followed
	idle    []T // items without anything to say, longest first
	workers workerNumbers
	added   int64
	ready   int // how many items wait for a worker
	closing closing
}

// Follow makes a Follower. Requeues is the rate limiter's NumRequeues (nil: no
// number is told), key gives the namespace and name that an item means (nil:
// as in QueueConfig).
func Follow[T comparable](t *Tracer, requeues func(T) int, key func(T) (namespace, name string)) *Follower[T] {
	if requeues == nil {
		requeues = func(T) int { return 0 }
	}
	if key == nil {
		key = defaultKey[T]
	}
	f := &Follower[T]{t: t, key: sparing(key), requeues: requeues, items: map[T]*followed{}, closing: newClosing()}
	t.updateState(func(s *controllerState) { s.refresh = append(s.refresh, f.tellAll) })
	return f
}

// Enabled tells whether there is any use in telling the Follower something.
func (f *Follower[T]) Enabled() bool { return f != nil && f.t.Enabled() }

// Add tells that an item is about to be added; add then adds it. With tracing
// off only add is called.
func (f *Follower[T]) Add(item T, a Addition, add func()) {
	if !f.Enabled() {
		add()
		return
	}
	now := time.Now()
	var e *event
	if a.Event != nil {
		e = a.Event.of(f.t)
	}
	requeues := f.requeues(item)
	f.change(item, func(i *followed) { f.put(item, i, a, e, requeues, now) })
	add()
}

// put puts an item into the model. Lock held.
func (f *Follower[T]) put(it T, i *followed, a Addition, e *event, requeues int, now time.Time) {
	arr := &arrival{event: e}
	if e != nil {
		arr.cause = e.cause
	} else {
		arr.cause = cause{what: a.what(i.returned), by: semconv.ByUnknown, at: now}
		if arr.what != semconv.CauseGeneric {
			arr.by = semconv.BySelf
			i.decide(arr.what, a, requeues)
		}
	}
	if i.entry == nil {
		i.entry = &entry{since: now, ready: a.ready(now), why: arr.what, requeues: requeues, priority: a.Priority, order: f.next()}
	} else {
		i.entry.again(a, arr.what, requeues, now, f.next)
	}
	if !i.entry.causes.has(e) {
		i.entry.causes.add(arr)
	}
	i.entry.wait(now, func() { f.due(it) })
}

func (f *Follower[T]) next() int64 { f.added++; return f.added }

// due is called when an item's delay is over.
func (f *Follower[T]) due(item T) {
	now := time.Now()
	f.change(item, func(i *followed) {
		if i.entry != nil && i.entry.isDue(now) {
			i.entry.order = f.next()
			for _, a := range i.entry.causes.all() {
				if a.event == nil && a.what != semconv.CauseGeneric {
					a.at = i.entry.ready
				}
			}
		}
	})
}

// Take tells that a worker got an item.
func (f *Follower[T]) Take(item T, priority int) {
	if !f.Enabled() {
		return
	}
	now, requeues := time.Now(), f.requeues(item)
	f.change(item, func(i *followed) {
		depth := f.ready
		if i.waits() {
			depth--
		}
		i.take(now)
		i.taken.depth, i.taken.priority, i.taken.requeues = depth, priority, requeues
		f.workers.free(i.worker) // of a pass that was never done
		i.worker = f.workers.take()
	})
	if f.t.control.Armed() {
		f.holdTaken(item)
	}
}

// holdTaken holds the worker that has just taken an item, if a debugger says so.
func (f *Follower[T]) holdTaken(item T) {
	f.mu.Lock()
	i := f.items[item]
	if i == nil {
		f.mu.Unlock()
		return
	}
	worker, causes := i.worker, i.taken.causes.all()
	f.mu.Unlock()
	namespace, name := f.key(item)
	pass := f.t.beforeDequeue(namespace, name, worker, causes, f.closing.done)
	f.mu.Lock()
	defer f.mu.Unlock()
	i.taken.pass, i.taken.at = pass, time.Now()
}

// Start begins the reconcile of an item that was taken and returns its
// context: what is done with that is recorded there. Its trace gets the given
// id; a zero one is replaced by a random one.
func (f *Follower[T]) Start(ctx context.Context, item T, id trace.TraceID) context.Context {
	if !f.Enabled() {
		return ctx
	}
	f.mu.Lock()
	i := f.items[item]
	if i == nil || !i.active || i.reconcile != nil {
		f.mu.Unlock()
		return ctx
	}
	took, worker := i.taken, i.worker
	f.mu.Unlock()
	namespace, name := f.key(item)
	r := f.t.startPass(passStart{
		namespace: namespace, name: name, id: id, worker: worker, now: took.at, took: took.taken,
		requeues: took.requeues, priority: took.priority, modelled: true, pass: took.pass, closing: f.closing.done,
	})
	f.mu.Lock()
	i.reconcile = r
	f.mu.Unlock()
	r.enterFetch(ctx.Done())
	return context.WithValue(ctx, reconcileKey{}, r)
}

// Return tells that the reconciler returned err, or that it panicked. What the
// controller adds from now until Done is what was decided.
func (f *Follower[T]) Return(item T, err error, panicked bool) {
	if !f.Enabled() {
		return
	}
	f.mu.Lock()
	i := f.items[item]
	if i == nil || i.reconcile == nil {
		f.mu.Unlock()
		return
	}
	r := i.reconcile
	f.mu.Unlock()
	r.before(nil, semconv.SpanRequeue)
	f.mu.Lock()
	defer f.mu.Unlock()
	i.returned = true
	r.decide(time.Now(), func(o *outcome) {
		if o.err == nil {
			o.err = err
		}
		o.panicked = o.panicked || panicked
	})
}

// Done tells that a worker is done with an item. Call it before the queue's.
func (f *Follower[T]) Done(item T) {
	if !f.Enabled() {
		return
	}
	now := time.Now()
	f.mu.Lock()
	var r *reconcile
	if i := f.items[item]; i != nil {
		r = i.reconcile
	}
	f.mu.Unlock()
	if r != nil {
		if f.t.control.Armed() {
			r.ends()
			now = time.Now()
		}
		r.finish(now)
	}
	f.change(item, func(i *followed) {
		f.workers.free(i.worker)
		i.done(now)
	})
}

// Closing tells that the queue is about to end: a worker that a debugger holds
// goes on, so that whoever waits for it to be done does not wait in vain.
func (f *Follower[T]) Closing() {
	if f != nil {
		f.closing.close()
	}
}

// ShutDown tells that the queue has ended: what waits in it will not come.
func (f *Follower[T]) ShutDown() {
	if f == nil {
		return
	}
	f.Closing()
	f.mu.Lock()
	defer f.mu.Unlock()
	for it, i := range f.items {
		if i.entry != nil {
			i.entry.stop()
			i.entry = nil
			f.announce(it, i)
		}
	}
	f.ready = 0
}
