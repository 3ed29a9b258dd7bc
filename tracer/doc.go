// Package tracer shows a Kubernetes controller's reconciliation loop live. It
// makes one trace of each reconcile, with a span for each phase (dequeue,
// fetch, compute, apply, requeue), for each read and for each write, and sends
// it to a hub over OTLP within 25 ms. The names are those of package semconv.
//
// # Use
//
//	t, err := tracer.Start(ctx, tracer.Config{Controller: "podset", For: gvk})
//	defer t.Shutdown(context.WithoutCancel(ctx))    // flushes, for 5 s at most
//	cfg.Wrap(t.Transport)                           // *rest.Config: API reads and writes
//	queue := tracer.NewQueue(t, limiter, tracer.QueueConfig[string]{Name: "podset"})
//	informer.AddEventHandler(queue.Handler(gvk, func(q tracer.Adder[string]) cache.ResourceEventHandler {
//		return cache.ResourceEventHandlerFuncs{AddFunc: func(obj any) { q.Add(key(obj)) }, …}
//	}))
//	t.WatchSync("PodSet", informer.HasSynced)
//	t.Workers(2)
//
// and in each worker:
//
//	item, quit := queue.Get()
//	if quit { return false }
//	defer queue.Done(item)
//	ctx := queue.Context(ctx, item)                 // API requests with it belong to the reconcile
//	defer tracer.RecordPanic(ctx)
//	lister := listers.NewPodLister(t.Indexer(ctx, gvk, informer.GetIndexer()))
//	…
//	tracer.Finish(ctx, err)                         // before AddRateLimited, AddAfter or Forget
//
// # Phases
//
// Phases are inferred: reads make a fetch, writes an apply, what lies between
// a compute; from the decision (the first AddRateLimited, AddAfter, Forget or
// Finish after the last read or write) to Done is the requeue. Phase marks them by hand; from
// then on nothing is inferred for that reconcile. Every reconcile has all five
// phases in order: one in which nothing happened has no length.
//
// # Reads and writes
//
// Reads of the cache are those through Tracer.Indexer; requests are those
// through Tracer.Transport whose context is the reconcile's. Bodies are looked
// at as they pass, JSON and Kubernetes protobuf alike; of CBOR, and of what is
// compressed, the version stays unknown. A write changed nothing (noop) when
// its answer has the version that was sent, read or made before.
//
// # Results
//
// What a reconcile came to is known from what the controller does anyway:
// AddRateLimited means requeue, AddAfter means requeue_after, neither means
// success. With Finish(ctx, err) and an error it is error; if the item is then
// not requeued, terminal_error, because nobody tries again. An error that is
// context.DeadlineExceeded is timeout. Calls count for the reconcile of that
// item that is under way, from whichever goroutine they come, except those
// through a handler's Adder. An immediate Add by the reconciler itself is a
// generic cause and does not change the result.
//
// # Causes
//
// The queue is client-go's own, built from its parts so that every Add is seen
// with its cause. A key added five times while it waits, or while it is being
// processed, is one reconcile with five causes. An Add does not cancel a
// delay: as with client-go the item comes twice. Two Adds of one item in one
// event are one cause.
//
// # Who did it
//
// The versions that this controller's own writes made are kept, the newest
// 4096. An event whose object has one of them is by self and linked to the
// write. One that comes while a write to that resource is still unanswered is
// unknown until Get, which looks again; the hub does so once more. A deletion
// has no version to join by: it is joined by UID and marked inferred.
//
// # Other frameworks
//
// A controller whose queue is somebody else's is traced through a Follower, to
// which an adapter tells what goes in and comes out. Package ctrlruntime is the
// one for controller-runtime.
//
// # Never in the way
//
// Without an endpoint everything is passed through at the cost of an atomic
// load. With one, a hub that is down, slow, hung or talks nonsense changes no
// result, and no reconcile waits for it: spans wait in a bounded buffer, and
// what does not fit is dropped and counted. Tracing itself takes CPU: measure it
// with make bench-library. No object is ever written to. No Secret or ConfigMap values, environment values, annotations,
// managedFields values, headers or error bodies leave the process.
//
// Everything exported is safe for concurrent use unless it says otherwise, and
// harmless when misused: a nil Tracer is off, Done without Get does what
// client-go does, a context that holds no reconcile is left alone.
package tracer
