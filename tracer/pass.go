package tracer

import (
	"time"

	"github.com/reconcile-tracer/tracer/tracer/control"
)

// Get waits for an item and starts its reconcile. The caller must call Done
// with it. quit says that the queue has ended.
func (q *Queue[T]) Get() (item T, quit bool) {
	if q.missing() {
		return item, true
	}
	item, quit = q.typed.Get()
	if !quit && q.t.Enabled() {
		q.start(item)
	}
	return item, quit
}

// Done ends the item's reconcile. If it was added meanwhile, it is ready again.
func (q *Queue[T]) Done(item T) {
	if q.missing() {
		return
	}
	if !q.t.Enabled() {
		q.typed.Done(item)
		return
	}
	if q.t.control.Armed() {
		q.reconcileOf(item).ends()
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
	took, worker := i.taken, q.workers.take()
	i.taken = taken{}
	q.mu.Unlock()
	if took.since.IsZero() || took.since.After(now) {
		took.since = now
	}
	var pass *control.Pass
	if q.t.control.Armed() {
		namespace, name := q.key(it)
		pass = q.t.beforeDequeue(namespace, name, worker, took.causes.all(), q.closing.done)
		now = q.clock.Now()
	}
	r := q.newReconcile(it, took, requeues, worker, now, pass)
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
	q.workers.free(i.worker)
	return pop
}

// newReconcile makes the root span and the dequeue span.
func (q *Queue[T]) newReconcile(it T, took taken, requeues, worker int, now time.Time, pass *control.Pass) *reconcile {
	namespace, name := q.key(it)
	return q.t.startPass(passStart{
		namespace: namespace, name: name, worker: worker, now: now, took: took, requeues: requeues,
		pass: pass, closing: q.closing.done,
	})
}
