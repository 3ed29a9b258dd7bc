package tracer

import (
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// Get waits for an item and starts its reconcile. The caller must call Done
// with it. quit says that the queue has ended.
func (q *Queue[T]) Get() (item T, quit bool) {
	item, quit = q.typed.Get()
	if !quit && q.t.Enabled() {
		q.start(item)
	}
	return item, quit
}

// Done ends the item's reconcile. If it was added meanwhile, it is ready again.
func (q *Queue[T]) Done(item T) {
	if !q.t.Enabled() {
		q.typed.Done(item)
		return
	}
	pop := q.end(item)
	q.typed.Done(item)
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := q.items[item]; i != nil {
		i.done(pop)
		q.changed(item)
	}
}

// start begins the reconcile of an item that was just popped.
func (q *Queue[T]) start(it T) {
	now, requeues := q.clock.Now(), q.limiter.NumRequeues(it)
	q.mu.Lock()
	i := q.item(it)
	took, worker := i.taken, q.takeWorker()
	i.taken = taken{}
	q.mu.Unlock()
	if took.since.IsZero() || took.since.After(now) {
		took.since = now
	}
	r := q.newReconcile(it, took, requeues, worker, now)
	q.mu.Lock()
	defer q.mu.Unlock()
	i.reconcile, i.worker = r, worker
}

// end finishes the item's reconcile, if it has one, and tells which pop it
// began with.
func (q *Queue[T]) end(it T) (pop int) {
	q.mu.Lock()
	i := q.items[it]
	if i == nil {
		q.mu.Unlock()
		return 0
	}
	r := i.reconcile
	pop, i.reconcile = i.pops, nil
	q.mu.Unlock()
	if r == nil {
		return pop
	}
	r.finish(time.Now())
	q.mu.Lock()
	defer q.mu.Unlock()
	q.workers[i.worker-1] = false
	return pop
}

// takeWorker takes the smallest number, from 1, that no worker has. Lock held.
func (q *Queue[T]) takeWorker() int {
	for n, used := range q.workers {
		if !used {
			q.workers[n] = true
			return n + 1
		}
	}
	q.workers = append(q.workers, true)
	return len(q.workers)
}

// newReconcile makes the root span, from when the item was ready, and the
// dequeue span with all that is known of the causes.
func (q *Queue[T]) newReconcile(it T, took taken, requeues, worker int, now time.Time) *reconcile {
	namespace, name := q.key(it)
	root := q.t.newRoot(namespace, name, worker, took.since)
	arrivals := took.causes.all()
	links := make([]trace.Link, 0, len(arrivals))
	causes := make([]cause, len(arrivals))
	for n, a := range arrivals {
		causes[n] = q.t.writes.resolve(a.cause)
		if w := causes[n].write; w.IsValid() {
			links = append(links, trace.Link{SpanContext: w})
		}
	}
	r := newReconcile(q.t, root, now)
	dequeue := r.child(root, semconv.SpanDequeue, took.since, trace.WithLinks(links...), trace.WithAttributes(
		attribute.Int(semconv.AttrQueueDepth, took.depth),
		attribute.Int(semconv.AttrQueueNumRequeues, requeues),
		attribute.StringSlice(semconv.AttrCauseCounts, took.causes.list())))
	for n, c := range causes {
		dequeue.AddEvent(semconv.EventCause, trace.WithTimestamp(c.at), trace.WithAttributes(c.attributes(arrivals[n].raced)...))
	}
	dequeue.End(trace.WithTimestamp(now))
	return r
}
