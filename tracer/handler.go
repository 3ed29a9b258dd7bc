package tracer

import (
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// Adder is what an event handler needs of the queue.
type Adder[T comparable] interface {
	// Add adds an item at once.
	Add(item T)
	// AddAfter adds an item when delay has passed.
	AddAfter(item T, delay time.Duration)
	// AddRateLimited adds an item when the rate limiter says so.
	AddRateLimited(item T)
}

// event is one informer event while it is handled.
type event struct{ cause cause }

// Handler returns an event handler for an informer of gvk. build is called at
// once, with an Adder bound to this handler: what is added through it while an
// event is handled has that event as its cause, also when it is added with a
// delay; at other times its cause is generic. The result is for one
// AddEventHandler only, because client-go calls a listener from one goroutine.
// A nil build, and one whose result is nil, give nil.
func (q *Queue[T]) Handler(gvk schema.GroupVersionKind, build func(q Adder[T]) cache.ResourceEventHandler) cache.ResourceEventHandler {
	if build == nil {
		return nil
	}
	if q.missing() || !q.t.Enabled() {
		return build(q)
	}
	h := &handler[T]{q: q, gvk: gvk}
	h.next = build(h)
	if h.next == nil {
		return nil
	}
	return h
}

// guessResource is the resource of a kind by the usual rule for plurals.
func guessResource(gvk schema.GroupVersionKind) schema.GroupResource {
	plural, _ := meta.UnsafeGuessKindToResource(gvk)
	return plural.GroupResource()
}

// handler runs the user's handler with the event as the cause of its Adds. It
// is the Adder that the user's handler has.
type handler[T comparable] struct {
	q    *Queue[T]
	gvk  schema.GroupVersionKind
	next cache.ResourceEventHandler
	now  atomic.Pointer[event]
}

var _ cache.ResourceEventHandler = (*handler[string])(nil)

// OnAdd handles a new object, or one of the first list.
func (h *handler[T]) OnAdd(obj any, initial bool) {
	what := semconv.CauseAdd
	if initial {
		what = semconv.CauseInitialList
	}
	h.during(what, nil, obj, func() { h.next.OnAdd(obj, initial) })
}

// OnUpdate handles a change, or the same version seen again.
func (h *handler[T]) OnUpdate(old, obj any) {
	h.during(semconv.CauseUpdate, old, obj, func() { h.next.OnUpdate(old, obj) })
}

// OnDelete handles a deletion, also one that the watch missed.
func (h *handler[T]) OnDelete(obj any) {
	h.during(semconv.CauseDelete, nil, obj, func() { h.next.OnDelete(obj) })
}

// during runs handle with the event as the current one.
func (h *handler[T]) during(what string, old, obj any, handle func()) {
	if !h.q.t.Enabled() {
		handle()
		return
	}
	h.q.t.state.eventOf(h.gvk.Kind)
	h.now.Store(&event{h.q.t.eventCause(what, h.gvk, old, obj, h.q.clock.Now())})
	defer h.now.Store(nil)
	handle()
}

// metadata is an object's metadata, nil where there is none.
func metadata(obj any) metav1.Object {
	if obj == nil {
		return nil
	}
	o, _ := spared(func() metav1.Object {
		o, err := meta.Accessor(obj)
		if err != nil {
			return nil
		}
		return o
	})
	return o
}

// arrival is that of the event under way, or of a generic cause.
func (h *handler[T]) arrival() *arrival {
	e := h.now.Load()
	if e == nil || !h.q.t.Enabled() {
		return h.q.own(semconv.CauseGeneric)
	}
	return &arrival{cause: e.cause, event: e}
}

// Add adds an item because of the event under way.
func (h *handler[T]) Add(item T) { h.q.addFor(item, h.arrival()) }

// AddAfter adds an item after a delay because of the event under way.
func (h *handler[T]) AddAfter(item T, d time.Duration) { h.q.addAfterFor(item, d, h.arrival()) }

// AddRateLimited adds an item when the rate limiter says so.
func (h *handler[T]) AddRateLimited(item T) {
	h.q.addAfterFor(item, h.q.limiter.When(item), h.arrival())
}
