package ctrlruntime

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Controller traces one controller that NewManager cannot do by itself: one
// whose requests are of another type, or that the manager does not run.
//
//	traced, err := ctrlruntime.Trace(mgr, "workload", gvk, key)
//	builder.TypedControllerManagedBy[Request](mgr).Named("workload").
//		WithOptions(controller.TypedOptions[Request]{NewQueue: traced.NewQueue}).
//		WatchesRawSource(…).
//		Complete(traced.Reconciler(r))
type Controller[T comparable] struct {
	reconciler *reconciler[T] // nil when tracing is off
}

// Trace makes a Controller of that name, which reconciles the kind gvk (empty:
// not known). Key gives the namespace and name that a request means (nil: what
// fmt.Sprint makes of it is the name). With a manager that is not NewManager's,
// or without an endpoint, it traces nothing. Call it before the manager starts.
func Trace[T comparable](mgr manager.Manager, name string, gvk schema.GroupVersionKind, key func(T) (namespace, name string)) *Controller[T] {
	m, ok := mgr.(*managed)
	if !ok {
		return &Controller[T]{}
	}
	if key == nil {
		key = func(request T) (string, string) { return "", fmt.Sprint(request) }
	}
	c := &controller{setup: m.setup, name: name, workers: 1, given: gvk}
	m.setup.register(c)
	return &Controller[T]{&reconciler[T]{by: c, key: key}}
}

// NewQueue is for the option of that name. It makes controller-runtime's
// priority queue, traced.
func (c *Controller[T]) NewQueue(name string, limiter workqueue.TypedRateLimiter[T]) workqueue.TypedRateLimitingInterface[T] {
	plain := func(name string, limiter workqueue.TypedRateLimiter[T]) workqueue.TypedRateLimitingInterface[T] {
		return priorityqueue.New(name, func(o *priorityqueue.Opts[T]) { o.RateLimiter = limiter })
	}
	if c.reconciler == nil {
		return plain(name, limiter)
	}
	return c.reconciler.queues(plain)(name, limiter)
}

// Reconciler wraps the controller's reconciler. It is for one only.
func (c *Controller[T]) Reconciler(next reconcile.TypedReconciler[T]) reconcile.TypedReconciler[T] {
	if c.reconciler == nil || next == nil {
		return next
	}
	c.reconciler.next = next
	return c.reconciler
}
