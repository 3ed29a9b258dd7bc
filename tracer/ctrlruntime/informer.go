package ctrlruntime

import (
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
)

// wrapInformer has an informer's handlers called by listeners. What was a
// client-go informer stays one.
func wrapInformer(i cache.Informer, gvk schema.GroupVersionKind, by *controller) cache.Informer {
	l := listening{gvk, by}
	if shared, ok := i.(toolscache.SharedIndexInformer); ok {
		return &sharedInformer{shared, l}
	}
	return &informer{i, l}
}

// listening is whose listeners an informer gets.
type listening struct {
	gvk schema.GroupVersionKind
	by  *controller
}

func (l listening) to(h toolscache.ResourceEventHandler) toolscache.ResourceEventHandler {
	if h == nil {
		return nil
	}
	return &listener{next: h, gvk: l.gvk, by: l.by, dropper: quiet(func() string { return dropperOf(h) })}
}

// informer is any informer.
type informer struct {
	cache.Informer
	listening
}

// AddEventHandler adds a handler.
func (i *informer) AddEventHandler(h toolscache.ResourceEventHandler) (toolscache.ResourceEventHandlerRegistration, error) {
	return i.Informer.AddEventHandler(i.to(h))
}

// AddEventHandlerWithResyncPeriod adds a handler.
func (i *informer) AddEventHandlerWithResyncPeriod(h toolscache.ResourceEventHandler, every time.Duration) (toolscache.ResourceEventHandlerRegistration, error) {
	return i.Informer.AddEventHandlerWithResyncPeriod(i.to(h), every)
}

// AddEventHandlerWithOptions adds a handler.
func (i *informer) AddEventHandlerWithOptions(h toolscache.ResourceEventHandler, o toolscache.HandlerOptions) (toolscache.ResourceEventHandlerRegistration, error) {
	return i.Informer.AddEventHandlerWithOptions(i.to(h), o)
}

// sharedInformer is one of client-go's.
type sharedInformer struct {
	toolscache.SharedIndexInformer
	listening
}

// AddEventHandler adds a handler.
func (i *sharedInformer) AddEventHandler(h toolscache.ResourceEventHandler) (toolscache.ResourceEventHandlerRegistration, error) {
	return i.SharedIndexInformer.AddEventHandler(i.to(h))
}

// AddEventHandlerWithResyncPeriod adds a handler.
func (i *sharedInformer) AddEventHandlerWithResyncPeriod(h toolscache.ResourceEventHandler, every time.Duration) (toolscache.ResourceEventHandlerRegistration, error) {
	return i.SharedIndexInformer.AddEventHandlerWithResyncPeriod(i.to(h), every)
}

// AddEventHandlerWithOptions adds a handler.
func (i *sharedInformer) AddEventHandlerWithOptions(h toolscache.ResourceEventHandler, o toolscache.HandlerOptions) (toolscache.ResourceEventHandlerRegistration, error) {
	return i.SharedIndexInformer.AddEventHandlerWithOptions(i.to(h), o)
}

// awaits makes it visible that the controller waits for the cache of a kind;
// what it returns is to be told how to see that it waits no more.
func (c *controller) awaits(kind string) func(hasSynced func() bool) {
	if c == nil {
		return func(func() bool) {}
	}
	c.watch(kind)
	var synced atomic.Pointer[func() bool]
	c.trace().WatchSync(kind, func() bool {
		has := synced.Load()
		return has != nil && (*has)()
	})
	return func(hasSynced func() bool) { synced.Store(&hasSynced) }
}
