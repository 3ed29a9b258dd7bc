package tracer

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// QueueConfig configures a Queue; its zero value is usable.
type QueueConfig[T comparable] struct {
	// Name is the name for client-go's queue metrics. Empty: no metrics.
	Name string
	// MetricsProvider is client-go's. Default: the global one.
	MetricsProvider workqueue.MetricsProvider
	// Clock is the queue's clock. Default: the real one.
	Clock clock.WithTicker
	// Key gives the namespace and name of the object that an item means.
	// Default: strings are "namespace/name" or "name", types.NamespacedName
	// and cache.ObjectName are what they say, anything else is its fmt.Sprint.
	Key func(item T) (namespace, name string)
}

// Queue is client-go's rate-limiting queue, built from its own parts, that
// knows why each item is in it. It is a workqueue.TypedRateLimitingInterface
// and behaves like client-go's in every respect. NewQueue makes it; a nil one
// and the zero value take nothing and have ended.
type Queue[T comparable] struct {
	t        *Tracer
	limiter  workqueue.TypedRateLimiter[T]
	delaying workqueue.TypedDelayingInterface[T]
	typed    *workqueue.Typed[T]
	clock    clock.WithTicker
	key      func(T) (namespace, name string)

	mu      sync.Mutex
	items   map[T]*item
	workers workerNumbers
	closing closing
}

var _ workqueue.TypedRateLimitingInterface[string] = (*Queue[string])(nil)

// NewQueue builds a queue whose reconciles t traces. A nil t or one that is
// off gives a plain queue. A nil limiter is client-go's default controller
// rate limiter.
func NewQueue[T comparable](t *Tracer, limiter workqueue.TypedRateLimiter[T], cfg QueueConfig[T]) *Queue[T] {
	if limiter == nil {
		limiter = workqueue.DefaultTypedControllerRateLimiter[T]()
	}
	if cfg.Clock == nil {
		cfg.Clock = clock.RealClock{}
	}
	if cfg.Key == nil {
		cfg.Key = defaultKey[T]
	}
	q := &Queue[T]{t: t, limiter: limiter, clock: cfg.Clock, key: sparing(cfg.Key), items: map[T]*item{}, closing: newClosing()}
	q.typed = workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[T]{
		Name: cfg.Name, MetricsProvider: cfg.MetricsProvider, Clock: cfg.Clock, Queue: &order[T]{q: q},
	})
	q.delaying = workqueue.NewTypedDelayingQueueWithConfig(workqueue.TypedDelayingQueueConfig[T]{
		Name: cfg.Name, MetricsProvider: cfg.MetricsProvider, Clock: cfg.Clock,
		Queue: &inner[T]{TypedInterface: q.typed, q: q},
	})
	t.updateState(func(s *controllerState) { s.refresh = append(s.refresh, q.tellAll) })
	return q
}

// toldAtOnce is how many items are announced while the queue's lock is held.
const toldAtOnce = 256

// tellAll announces every item, a few at a time: with very many of them the
// controller's own Adds must not wait for it.
func (q *Queue[T]) tellAll() {
	q.mu.Lock()
	items := slices.Collect(maps.Keys(q.items))
	q.mu.Unlock()
	for some := range slices.Chunk(items, toldAtOnce) {
		q.tell(some)
	}
}

func (q *Queue[T]) tell(items []T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, it := range items {
		if i := q.items[it]; i != nil {
			q.announce(it, i)
		}
	}
}

func defaultKey[T comparable](it T) (namespace, name string) {
	switch k := any(it).(type) {
	case types.NamespacedName:
		return k.Namespace, k.Name
	case cache.ObjectName:
		return k.Namespace, k.Name
	case string:
		if namespace, name, ok := strings.Cut(k, "/"); ok {
			return namespace, name
		}
		return "", k
	default:
		return "", fmt.Sprint(it)
	}
}

// Add adds an item at once. Through the queue itself the cause is generic.
func (q *Queue[T]) Add(item T) { q.addNow(item, semconv.CauseGeneric) }

// Manual adds an item because a person or a program asked for it.
func (q *Queue[T]) Manual(item T) { q.addNow(item, semconv.CauseManual) }

func (q *Queue[T]) addNow(item T, what string) {
	if !q.missing() {
		q.addFor(item, q.own(what))
	}
}

// missing tells that there is no queue to do anything with: a nil one, or one
// that NewQueue has not made.
func (q *Queue[T]) missing() bool { return q == nil || q.typed == nil }

// AddAfter adds an item when delay has passed.
func (q *Queue[T]) AddAfter(item T, delay time.Duration) {
	if q.missing() {
		return
	}
	real := q.realDelay(item, delay)
	q.decide(item, func(o *outcome) {
		o.requeue, o.delay, o.count = semconv.ResultRequeueAfter, real, q.limiter.NumRequeues(item)
		o.after = max(o.after, delay)
	})
	q.addAfterFor(item, delay, q.own(semconv.CauseRequeueAfter))
}

// AddRateLimited adds an item when the rate limiter says so.
func (q *Queue[T]) AddRateLimited(item T) {
	if q.missing() {
		return
	}
	delay := q.limiter.When(item)
	real := q.realDelay(item, delay)
	q.decide(item, func(o *outcome) {
		o.requeue, o.delay, o.count, o.limited = semconv.ResultRequeue, real, q.limiter.NumRequeues(item), delay
	})
	q.addAfterFor(item, delay, q.own(semconv.CauseBackoff))
}

// realDelay is how long the item will be delayed when it is to be for d: a delay
// that is running already ends at the earlier of both times, as in client-go.
func (q *Queue[T]) realDelay(it T, d time.Duration) time.Duration {
	if !q.t.Enabled() {
		return d
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := q.items[it]; i != nil && i.delay != nil {
		return max(0, min(d, i.delay.until.Sub(q.clock.Now())))
	}
	return d
}

// Forget ends the item's back-off.
func (q *Queue[T]) Forget(item T) {
	if q.missing() {
		return
	}
	q.limiter.Forget(item)
	q.decide(item, func(*outcome) {})
}

// NumRequeues is how often the rate limiter was asked for the item since it
// was forgotten.
func (q *Queue[T]) NumRequeues(item T) int {
	if q.missing() {
		return 0
	}
	return q.limiter.NumRequeues(item)
}

// Len is how many items are ready.
func (q *Queue[T]) Len() int {
	if q.missing() {
		return 0
	}
	return q.typed.Len()
}

// ShutDown ends the queue: what is ready is still given out, what is delayed
// is not.
func (q *Queue[T]) ShutDown() {
	if q.missing() {
		return
	}
	q.closing.close()
	q.delaying.ShutDown()
	q.forgetDelays()
}

// ShutDownWithDrain is ShutDown and waits until every item that was given out
// is Done.
func (q *Queue[T]) ShutDownWithDrain() {
	if q.missing() {
		return
	}
	q.closing.close() // else a worker that is held would never be Done
	q.delaying.ShutDownWithDrain()
	q.ShutDown() // also ends the goroutine that waits for delays, at once
}

// ShuttingDown tells whether ShutDown was called.
func (q *Queue[T]) ShuttingDown() bool { return q.missing() || q.typed.ShuttingDown() }

// own makes the arrival of a cause that is no event.
func (q *Queue[T]) own(what string) *arrival {
	if !q.t.Enabled() {
		return nil
	}
	by := semconv.ByUnknown
	switch what {
	case semconv.CauseBackoff, semconv.CauseRequeueAfter:
		by = semconv.BySelf
	case semconv.CauseManual:
		by = semconv.ByOther
	}
	return &arrival{cause: cause{what: what, by: by, at: q.clock.Now()}}
}

// addFor adds an item because of a, which is nil when tracing is off.
func (q *Queue[T]) addFor(it T, a *arrival) {
	if a == nil {
		q.typed.Add(it)
		return
	}
	q.launched(it, []*arrival{a}, func() { q.typed.Add(it) })
}

// launched runs add, which adds it, with its causes in flight.
func (q *Queue[T]) launched(it T, arrivals []*arrival, add func()) {
	q.mu.Lock()
	hooks := q.item(it).launch(arrivals)
	q.mu.Unlock()
	add()
	q.mu.Lock()
	defer q.mu.Unlock()
	q.item(it).land(arrivals, hooks)
	q.changed(it)
}

// addAfterFor adds an item after a delay because of a.
func (q *Queue[T]) addAfterFor(it T, d time.Duration, a *arrival) {
	switch {
	case a == nil || q.typed.ShuttingDown():
		q.delaying.AddAfter(it, d)
	case d <= 0:
		q.launched(it, []*arrival{a}, func() { q.delaying.AddAfter(it, d) })
	default:
		q.mu.Lock()
		q.item(it).postpone(a, q.clock.Now(), d, q.limiter.NumRequeues(it))
		q.changed(it)
		q.mu.Unlock()
		q.delaying.AddAfter(it, d)
	}
}

// addDue adds an item for the delaying queue.
func (q *Queue[T]) addDue(it T) {
	if !q.t.Enabled() {
		q.typed.Add(it)
		return
	}
	q.mu.Lock()
	i := q.item(it)
	arrivals, more := i.due(q.clock.Now())
	i.more(more)
	q.mu.Unlock()
	q.launched(it, arrivals, func() { q.typed.Add(it) })
}

// decide tells the item's reconcile, if one is under way, what comes next.
func (q *Queue[T]) decide(it T, change func(*outcome)) {
	if !q.t.Enabled() {
		return
	}
	if r := q.reconcileOf(it); r != nil {
		r.decide(time.Now(), change)
	}
}

func (q *Queue[T]) reconcileOf(it T) *reconcile {
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := q.items[it]; i != nil {
		return i.reconcile
	}
	return nil
}

// Context returns ctx for the reconcile of item that is under way: what is
// done with it is recorded there. Without one it returns ctx as it is.
func (q *Queue[T]) Context(ctx context.Context, item T) context.Context {
	if q.missing() {
		return ctx
	}
	if !q.t.Enabled() {
		return ctx
	}
	r := q.reconcileOf(item)
	if r == nil {
		return ctx
	}
	r.enterFetch(ctx.Done())
	return context.WithValue(ctx, reconcileKey{}, r)
}

// item returns the state of an item and makes it if need be. Lock held.
func (q *Queue[T]) item(it T) *item {
	i := q.items[it]
	if i == nil {
		i = &item{record: func() record { return q.record(it) }}
		q.items[it] = i
	}
	return i
}

// changed announces an item's state and lets go of one that says nothing any
// more. Lock held.
func (q *Queue[T]) changed(it T) {
	i := q.items[it]
	if i == nil {
		return
	}
	q.announce(it, i)
	if i.idle() {
		delete(q.items, it)
	}
}

// announce has the item's record made and sent at the next flush.
func (q *Queue[T]) announce(it T, i *item) {
	namespace, name := q.key(it)
	q.t.put("item/"+namespace+"/"+name, i.record)
}

// record is an item's place in the queue now.
func (q *Queue[T]) record(it T) record {
	namespace, name := q.key(it)
	attrs := append(q.t.objectRef(namespace, name), attribute.String(semconv.AttrController, q.t.cfg.Controller))
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := q.items[it]; i != nil {
		attrs = append(attrs, i.attributes()...)
	}
	return record{at: q.clock.Now(), event: semconv.LogQueueItem, attrs: attrs}
}

// forgetDelays ends what the queue's end makes void.
func (q *Queue[T]) forgetDelays() {
	if !q.t.Enabled() {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for it, i := range q.items {
		if i.delay != nil {
			i.delay = nil
			q.changed(it)
		}
	}
}
