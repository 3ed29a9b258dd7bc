package ctrlruntime

import (
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// kinds finds the kind of a type, as a *runtime.Scheme does.
type kinds interface {
	ObjectKinds(runtime.Object) ([]schema.GroupVersionKind, bool, error)
}

// newQueue is the type of a controller's NewQueue.
type newQueue[T comparable] = func(name string, limiter workqueue.TypedRateLimiter[T]) workqueue.TypedRateLimitingInterface[T]

// internalController is where controller-runtime has its controllers.
const internalController = "sigs.k8s.io/controller-runtime/pkg/internal/controller"

// adopt traces a controller and leaves any other runnable as it is.
func (s *setup) adopt(r manager.Runnable) manager.Runnable {
	v := reflect.ValueOf(r)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct || v.Elem().Type().PkgPath() != internalController {
		return r
	}
	c := s.controllerFrom(r, v.Elem())
	if c == nil {
		s.config.Tracer.Logger.Warn("a controller is not traced: its requests are not reconcile.Request, or this version "+
			"of controller-runtime is not known; use ctrlruntime.Trace for it", "type", v.Type().String())
		return r
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.workers, c.elected = int(v.Elem().FieldByName("MaxConcurrentReconciles").Int()), needsElection(r)
	c.find = func() schema.GroupVersionKind {
		return quiet(func() schema.GroupVersionKind { return s.kindOf(v.Elem(), c.name) })
	}
	return &runnable{Runnable: r, by: c}
}

// controllerFrom has a controller's queue and reconciler wrapped, unless they
// are already; nil when that cannot be done.
func (s *setup) controllerFrom(r manager.Runnable, v reflect.Value) *controller {
	name, do, queue := v.FieldByName("Name"), v.FieldByName("Do"), v.FieldByName("NewQueue")
	if !v.FieldByName("MaxConcurrentReconciles").CanInt() || name.Kind() != reflect.String || !do.IsValid() || !queue.IsValid() {
		return nil
	}
	if own, ok := do.Interface().(interface{ controller() *controller }); ok {
		return own.controller()
	}
	next, ok := do.Interface().(reconcile.Reconciler)
	make, ok2 := queue.Interface().(newQueue[reconcile.Request])
	if !ok || !ok2 || do.Type() != reflect.TypeFor[reconcile.Reconciler]() || !do.CanSet() || !queue.CanSet() {
		return nil
	}
	c := &controller{setup: s, name: name.String()}
	rec := &reconciler[reconcile.Request]{next: next, by: c, key: requestKey}
	do.Set(reflect.ValueOf(rec))
	queue.Set(reflect.ValueOf(rec.queues(make)))
	s.register(c)
	return c
}

func requestKey(r reconcile.Request) (namespace, name string) { return r.Namespace, r.Name }

// queues makes queues that are traced.
func (r *reconciler[T]) queues(next newQueue[T]) newQueue[T] {
	return func(name string, limiter workqueue.TypedRateLimiter[T]) workqueue.TypedRateLimitingInterface[T] {
		t := r.by.trace()
		if limiter == nil || !t.Enabled() {
			return next(name, limiter)
		}
		q, follow := followQueue(t, next, name, limiter, r.key)
		if follow != nil {
			r.follow.Store(follow)
		}
		return q
	}
}

// controller is the controller that the reconciler is of.
func (r *reconciler[T]) controller() *controller { return r.by }

// isForHandler tells whether v is the handler that For uses.
func isForHandler(v reflect.Value) bool {
	return v.IsValid() && v.Type() == reflect.TypeFor[*handler.EnqueueRequestForObject]()
}

// kindOf looks at the sources of a controller that has not started for the kind
// that it reconciles: that of For, otherwise the one that has its name.
func (s *setup) kindOf(v reflect.Value, name string) schema.GroupVersionKind {
	sources := v.FieldByName("startWatches")
	if !sources.IsValid() || sources.Kind() != reflect.Slice {
		return schema.GroupVersionKind{}
	}
	var named schema.GroupVersionKind
	for i := range sources.Len() {
		source := reflect.Indirect(sources.Index(i).Elem())
		if source.Kind() != reflect.Struct {
			continue
		}
		kind, how := source.FieldByName("Type"), source.FieldByName("Handler")
		if kind.Kind() != reflect.Interface || how.Kind() != reflect.Interface {
			continue
		}
		gvk := s.kindOfType(reflect.Indirect(kind.Elem()))
		if isForHandler(how.Elem()) {
			return gvk
		}
		if strings.EqualFold(gvk.Kind, name) {
			named = gvk
		}
	}
	return named
}

// kindOfType is the kind of an object's struct, of which only the type may be
// used; the objects of no type of their own say what they are.
func (s *setup) kindOfType(v reflect.Value) schema.GroupVersionKind {
	if v.Kind() != reflect.Struct {
		return schema.GroupVersionKind{}
	}
	if meta := v.FieldByName("TypeMeta"); meta.IsValid() && meta.FieldByName("Kind").String() != "" {
		return schema.FromAPIVersionAndKind(meta.FieldByName("APIVersion").String(), meta.FieldByName("Kind").String())
	}
	if content := v.FieldByName("Object"); content.IsValid() && content.Kind() == reflect.Map {
		return schema.FromAPIVersionAndKind(textAt(content, "apiVersion"), textAt(content, "kind"))
	}
	obj, ok := reflect.New(v.Type()).Interface().(runtime.Object)
	if !ok || s.scheme == nil {
		return schema.GroupVersionKind{}
	}
	gvks, _, err := s.scheme.ObjectKinds(obj)
	if err != nil || len(gvks) == 0 {
		return schema.GroupVersionKind{}
	}
	return gvks[0]
}

// textAt is a string in a map of anything, "" for what is none.
func textAt(content reflect.Value, key string) string {
	if content.Type() != reflect.TypeFor[map[string]any]() {
		return ""
	}
	if v := content.MapIndex(reflect.ValueOf(key)); v.IsValid() && v.Elem().Kind() == reflect.String {
		return v.Elem().String()
	}
	return ""
}
