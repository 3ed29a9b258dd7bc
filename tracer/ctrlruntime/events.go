package ctrlruntime

import (
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/reconcile-tracer/tracer/tracer"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// handling are the events that are being handled, by goroutine: client-go calls
// each listener from one goroutine, and handlers add to the queue there. It is
// one for the process, because Predicate and queues must find it without help.
var handling sync.Map // int64 → *handled

// handled is an event while it is handled.
type handled struct {
	event     *tracer.Event
	added     atomic.Bool            // a request was added
	droppedBy atomic.Pointer[string] // the predicate that said no
}

// current is the event that the calling goroutine handles, nil for none.
func current() *handled {
	h, _ := handling.Load(goroutineID())
	e, _ := h.(*handled)
	return e
}

// listener tells what event is being handled. It stands between an informer
// and controller-runtime's handler.
type listener struct {
	next    toolscache.ResourceEventHandler
	gvk     schema.GroupVersionKind
	by      *controller // nil when it is not known whose it is
	dropper string      // the predicate behind every drop, empty when not known
}

// OnAdd handles an object that is new, or new to us.
func (l *listener) OnAdd(obj any, initial bool) {
	what := semconv.CauseAdd
	if initial {
		what = semconv.CauseInitialList
	}
	l.during(what, nil, obj, func() { l.next.OnAdd(obj, initial) })
}

// OnUpdate handles a change, or the same version seen again.
func (l *listener) OnUpdate(old, obj any) {
	l.during(semconv.CauseUpdate, old, obj, func() { l.next.OnUpdate(old, obj) })
}

// OnDelete handles a deletion, also one that the watch missed.
func (l *listener) OnDelete(obj any) {
	l.during(semconv.CauseDelete, nil, obj, func() { l.next.OnDelete(obj) })
}

func (l *listener) during(what string, old, obj any, handle func()) {
	id := goroutineID()
	h := &handled{event: &tracer.Event{What: what, GVK: l.gvk, Old: old, Object: obj, At: time.Now()}}
	handling.Store(id, h)
	defer handling.Delete(id)
	handle()
	if l.by == nil || h.added.Load() {
		return
	}
	dropper := l.dropper
	if by := h.droppedBy.Load(); by != nil {
		dropper = *by
	}
	if dropper != "" {
		l.by.trace().Drop(h.event, dropper)
	}
}

// dropperOf is the name of the predicates behind every event that leads to no
// request, as far as the handler tells without being touched: For's handler
// always adds, so it must have been one of them. Those of Predicate say so
// themselves.
func dropperOf(h toolscache.ResourceEventHandler) string {
	v := reflect.ValueOf(h)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return ""
	}
	handler, predicates := v.Elem().FieldByName("handler"), v.Elem().FieldByName("predicates")
	if !handler.IsValid() || handler.Kind() != reflect.Interface || !isForHandler(handler.Elem()) ||
		!predicates.IsValid() || predicates.Kind() != reflect.Slice {
		return ""
	}
	var names []string
	for i := range predicates.Len() {
		if name := typeName(predicates.Index(i).Elem()); name != "" {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}
