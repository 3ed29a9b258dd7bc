package tracer

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
)

// Adder is what an event handler needs of the queue.
type Adder[T comparable] interface {
	Add(item T)
	AddAfter(item T, delay time.Duration)
	AddRateLimited(item T)
}

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
// knows why each item is in it. It is a workqueue.TypedRateLimitingInterface.
type Queue[T comparable] struct {
	workqueue.TypedRateLimitingInterface[T]
}

var _ workqueue.TypedRateLimitingInterface[string] = (*Queue[string])(nil)

// NewQueue builds a queue whose reconciles t traces. A nil t or one that is
// off gives a plain queue. A nil limiter is client-go's default controller
// rate limiter.
func NewQueue[T comparable](t *Tracer, limiter workqueue.TypedRateLimiter[T], cfg QueueConfig[T]) *Queue[T] {
	return &Queue[T]{workqueue.NewTypedRateLimitingQueue(limiter)}
}

// Context returns ctx for the reconcile of item that is under way: what is
// done with it is recorded there. Without one it returns ctx as it is.
func (q *Queue[T]) Context(ctx context.Context, item T) context.Context { return ctx }

// Manual adds item because a person or a program asked for it.
func (q *Queue[T]) Manual(item T) { q.Add(item) }

// Handler returns an event handler for an informer of gvk. build is called at
// once, with an Adder bound to this handler: what is added through it while an
// event is handled has that event as its cause. The result is for one
// AddEventHandler only, because client-go calls a listener from one goroutine.
func (q *Queue[T]) Handler(gvk schema.GroupVersionKind, build func(q Adder[T]) cache.ResourceEventHandler) cache.ResourceEventHandler {
	return build(q)
}
