// Package ctrlruntime shows the reconciliation loop of every controller of a
// controller-runtime manager. It is package tracer for controller-runtime: one
// trace a reconcile, with all its causes, reads and writes.
//
// # Use
//
// One call in main.go takes another's place; no controller changes:
//
//	mgr, err := ctrlruntime.NewManager(cfg, ctrl.Options{…}, ctrlruntime.Config{})
//
// instead of
//
//	mgr, err := ctrl.NewManager(cfg, ctrl.Options{…})
//
// The hub is named by OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_HEADERS;
// without an endpoint NewManager is ctrl.NewManager.
//
// # What is seen without another line
//
// Every controller that is added to the manager and whose requests are
// reconcile.Request, also one that comes from somebody else's package: its queue
// with priorities and delays, its workers, the results as controller-runtime
// counts them, panics, time-outs and terminal errors; the informer events behind
// each request of For, Owns and Watches; reads of the cache and of the API,
// writes; leader election and the start of the caches. The trace id is
// controller-runtime's reconcileID.
//
// # What asks for a line
//
//   - Which of several predicates dropped an event: Predicate gives one a name.
//     Without, a drop is seen where the handler is that of For.
//   - A controller whose requests are of another type, or that the manager does
//     not run: Trace.
//   - What a reconcile plans: tracer.Plan; phases by hand: tracer.Phase.
//
// # How
//
// NewManager wraps the manager's transport, cache and client through the options
// that there are for it, and Manager.Add. A controller is one of
// controller-runtime's own, a struct with the exported fields Do and NewQueue:
// these are wrapped by reflection before it starts. A version in which they are
// no more is run untraced, and a line in the log says so.
//
// What a reconciler reads and writes is joined to it by the context that it is
// given, or else, when it makes one of its own, by the goroutine that it is
// called on. Requests with a context of its own from further goroutines are not
// seen.
//
// A handler adds to the queue on the goroutine on which the informer calls it,
// and by that its adds are joined to the event. What a handler adds later, from
// another goroutine, and what comes through source.Channel or source.Func is a
// generic cause. The queue is controller-runtime's own, its order is private:
// what is shown of order and ready time is a model's (workqueue.modelled).
package ctrlruntime
