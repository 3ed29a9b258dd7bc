package tracer

import (
	"k8s.io/client-go/util/workqueue"
)

// inner is what client-go's delaying queue adds to: client-go's own queue. Its
// Add is called by the delaying queue alone, so it means that a delay is over.
type inner[T comparable] struct {
	workqueue.TypedInterface[T]
	q *Queue[T]
}

// Add adds an item whose delay is over.
func (in *inner[T]) Add(it T) { in.q.addDue(it) }

// order is the queue's order: first in, first out. client-go calls it under
// its lock, so what it tells of order and time is exact. The queue's own lock
// is taken inside that one, never the other way round.
type order[T comparable] struct {
	q     *Queue[T]
	items []T
	count int64
}

// Push puts an item at the end.
func (o *order[T]) Push(it T) {
	o.items = append(o.items, it)
	o.count++
	if o.q.t.Enabled() {
		o.q.onPush(it, o.count)
	}
}

// Touch notes that an item which waits was added again.
func (o *order[T]) Touch(it T) {
	if o.q.t.Enabled() {
		o.q.onTouch(it)
	}
}

// Len is how many items wait.
func (o *order[T]) Len() int { return len(o.items) }

// Pop takes the first item.
func (o *order[T]) Pop() T {
	var none T
	it := o.items[0]
	o.items[0] = none // lets go of what it holds
	o.items = o.items[1:]
	if o.q.t.Enabled() {
		o.q.onPop(it, len(o.items))
	}
	return it
}

func (q *Queue[T]) onPush(it T, count int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := q.item(it)
	i.pushed(q.clock.Now(), count)
	q.announce(it, i)
}

func (q *Queue[T]) onTouch(it T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.item(it).noticed()
}

func (q *Queue[T]) onPop(it T, depth int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := q.item(it)
	i.popped(depth)
	q.announce(it, i)
}
