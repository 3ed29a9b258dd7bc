package ctrlruntime

import (
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/reconcile-tracer/tracer/tracer"
)

// queue is a controller's own queue that tells a Follower what goes in and
// comes out. It never changes what the queue does.
type queue[T comparable] struct {
	workqueue.TypedRateLimitingInterface[T]
	limiter *limiter[T] // nil when the queue has one of its own
	follow  *tracer.Follower[T]
}

// priorityQueue is one with priorities. The two are apart because
// controller-runtime asks a queue whether it has them.
type priorityQueue[T comparable] struct {
	*queue[T]
	inner priorityqueue.PriorityQueue[T]
}

var _ priorityqueue.PriorityQueue[string] = (*priorityQueue[string])(nil)

// followQueue makes a queue and wraps it; it has priorities if the queue has.
func followQueue[T comparable](t *tracer.Tracer, next newQueue[T], name string, given workqueue.TypedRateLimiter[T],
	key func(T) (namespace, name string),
) (workqueue.TypedRateLimitingInterface[T], *tracer.Follower[T]) {
	asked := &limiter[T]{TypedRateLimiter: given}
	inner := next(name, asked)
	if inner == nil {
		return nil, nil
	}
	if !asked.isOf(inner) {
		asked = nil
	}
	q := &queue[T]{TypedRateLimitingInterface: inner, limiter: asked, follow: tracer.Follow(t, inner.NumRequeues, key)}
	if p, ok := inner.(priorityqueue.PriorityQueue[T]); ok {
		return &priorityQueue[T]{q, p}, q.follow
	}
	return q, q.follow
}

// Add adds an item at once.
func (q *queue[T]) Add(item T) {
	q.follow.Add(item, addition(), func() { q.TypedRateLimitingInterface.Add(item) })
}

// AddAfter adds an item when after has passed.
func (q *queue[T]) AddAfter(item T, after time.Duration) {
	a := addition()
	a.After = after
	q.follow.Add(item, a, func() { q.TypedRateLimitingInterface.AddAfter(item, after) })
}

// AddRateLimited adds an item when the rate limiter says so.
func (q *queue[T]) AddRateLimited(item T) {
	if !q.asIs() {
		q.follow.Add(item, q.limited(item, addition()), func() {})
	}
	q.TypedRateLimitingInterface.AddRateLimited(item)
}

// limited is an addition for which the queue is about to ask its rate limiter.
// As in the priority queue, a shorter delay that was given counts.
func (q *queue[T]) limited(item T, a tracer.Addition) tracer.Addition {
	a.Limited = true
	if q.limiter == nil {
		a.Unknown = true
		return a
	}
	d, known := q.limiter.ahead(item)
	a.Unknown = !known
	if a.After == 0 || d < a.After {
		a.After = d
	}
	return a
}

// asIs tells whether there is nothing to tell.
func (q *queue[T]) asIs() bool { return !q.follow.Enabled() || q.ShuttingDown() }

// Get waits for an item.
func (q *queue[T]) Get() (T, bool) {
	item, shutdown := q.TypedRateLimitingInterface.Get()
	if !shutdown {
		q.follow.Take(item, 0)
	}
	return item, shutdown
}

// Done ends the work on an item.
func (q *queue[T]) Done(item T) {
	q.follow.Done(item)
	q.TypedRateLimitingInterface.Done(item)
}

// ShutDown ends the queue.
func (q *queue[T]) ShutDown() {
	q.follow.Closing()
	q.TypedRateLimitingInterface.ShutDown()
	q.follow.ShutDown()
}

// ShutDownWithDrain ends the queue when all work is done.
func (q *queue[T]) ShutDownWithDrain() {
	q.follow.Closing()
	q.TypedRateLimitingInterface.ShutDownWithDrain()
	q.follow.ShutDown()
}

// Add adds an item at once, with priority 0.
func (q *priorityQueue[T]) Add(item T) { q.AddWithOpts(priorityqueue.AddOpts{}, item) }

// AddAfter adds an item when after has passed, with priority 0.
func (q *priorityQueue[T]) AddAfter(item T, after time.Duration) {
	q.AddWithOpts(priorityqueue.AddOpts{After: after}, item)
}

// AddRateLimited adds an item when the rate limiter says so, with priority 0.
func (q *priorityQueue[T]) AddRateLimited(item T) {
	q.AddWithOpts(priorityqueue.AddOpts{RateLimited: true}, item)
}

// AddWithOpts adds items.
func (q *priorityQueue[T]) AddWithOpts(o priorityqueue.AddOpts, items ...T) {
	if !q.asIs() {
		for _, item := range items {
			q.tell(o, item)
		}
	}
	q.inner.AddWithOpts(o, items...)
}

// tell tells that an item is about to be added.
func (q *priorityQueue[T]) tell(o priorityqueue.AddOpts, item T) {
	a := addition()
	a.After = o.After
	if o.Priority != nil {
		a.Priority = *o.Priority
	}
	if o.RateLimited {
		a = q.limited(item, a)
	}
	q.follow.Add(item, a, func() {})
}

// Get waits for the item with the highest priority.
func (q *priorityQueue[T]) Get() (T, bool) {
	item, _, shutdown := q.GetWithPriority()
	return item, shutdown
}

// GetWithPriority waits for the item with the highest priority.
func (q *priorityQueue[T]) GetWithPriority() (T, int, bool) {
	item, priority, shutdown := q.inner.GetWithPriority()
	if !shutdown {
		q.follow.Take(item, priority)
	}
	return item, priority, shutdown
}

// addition is one because of the event that is being handled, if there is one.
func addition() tracer.Addition {
	h := current()
	if h == nil {
		return tracer.Addition{}
	}
	h.added.Store(true)
	return tracer.Addition{Event: h.event}
}
