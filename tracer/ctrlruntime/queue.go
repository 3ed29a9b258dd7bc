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
	limiter workqueue.TypedRateLimiter[T]
	follow  *tracer.Follower[T]
}

// priorityQueue is one with priorities. The two are apart because
// controller-runtime asks a queue whether it has them.
type priorityQueue[T comparable] struct {
	*queue[T]
	inner priorityqueue.PriorityQueue[T]
}

var _ priorityqueue.PriorityQueue[string] = (*priorityQueue[string])(nil)

// wrapQueue wraps a queue; it has priorities if inner has.
func wrapQueue[T comparable](inner workqueue.TypedRateLimitingInterface[T], limiter workqueue.TypedRateLimiter[T],
	follow *tracer.Follower[T],
) workqueue.TypedRateLimitingInterface[T] {
	q := &queue[T]{TypedRateLimitingInterface: inner, limiter: limiter, follow: follow}
	if p, ok := inner.(priorityqueue.PriorityQueue[T]); ok {
		return &priorityQueue[T]{q, p}
	}
	return q
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

// AddRateLimited adds an item when the rate limiter says so. The limiter is
// asked here, as the queue would, so that its answer is known.
func (q *queue[T]) AddRateLimited(item T) {
	if q.asIs() {
		q.TypedRateLimitingInterface.AddRateLimited(item)
		return
	}
	a := addition()
	a.Limited, a.After = true, q.limiter.When(item)
	q.follow.Add(item, a, func() { q.TypedRateLimitingInterface.AddAfter(item, a.After) })
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

// AddWithOpts adds items. The rate limiter is asked here, as the queue would,
// so that its answer is known.
func (q *priorityQueue[T]) AddWithOpts(o priorityqueue.AddOpts, items ...T) {
	if q.asIs() {
		q.inner.AddWithOpts(o, items...)
		return
	}
	a := addition()
	a.Limited = o.RateLimited
	if o.Priority != nil {
		a.Priority = *o.Priority
	}
	for _, item := range items {
		a.After = o.After
		if o.RateLimited {
			if limited := q.limiter.When(item); a.After == 0 || limited < a.After {
				a.After = limited
			}
		}
		q.follow.Add(item, a, func() {
			q.inner.AddWithOpts(priorityqueue.AddOpts{After: a.After, Priority: o.Priority}, item)
		})
	}
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
