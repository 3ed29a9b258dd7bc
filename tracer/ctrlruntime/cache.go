package ctrlruntime

import (
	"context"
	"reflect"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// tracedCache is a manager's cache whose reads are recorded and whose informers
// tell what event is being handled.
type tracedCache struct {
	cache.Cache
	scheme *runtime.Scheme
	mapper meta.RESTMapper

	mu     sync.Mutex
	stores map[storeKey]versionedStore // nil for one that does not know its version
}

// versionedStore is a store that knows how far it has come (client-go 0.36 and
// newer).
type versionedStore interface{ LastStoreSyncResourceVersion() string }

// storeKey names an informer: the cache has others for the typed objects of a
// kind, for those of no type and for metadata alone.
type storeKey struct {
	gvk schema.GroupVersionKind
	how string
}

func newTracedCache(c cache.Cache, scheme *runtime.Scheme, mapper meta.RESTMapper) *tracedCache {
	return &tracedCache{Cache: c, scheme: scheme, mapper: mapper, stores: map[storeKey]versionedStore{}}
}

// Get reads an object.
func (c *tracedCache) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	ctx, p := within(ctx)
	gvk, err := apiutil.GVKForObject(obj, c.scheme)
	if p == nil || err != nil {
		return c.Cache.Get(ctx, key, obj, opts...)
	}
	r := &readStore{store: c.store(keyOf(gvk, obj)), get: func() error { return c.Cache.Get(ctx, key, obj, opts...) }, got: obj}
	_, _, err = p.tracer.Indexer(ctx, gvk, r).GetByKey(key.String())
	if err == nil {
		c.find(ctx, keyOf(gvk, obj), obj)
	}
	return err
}

// List reads objects.
func (c *tracedCache) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	ctx, p := within(ctx)
	gvk, err := apiutil.GVKForObject(list, c.scheme)
	if p == nil || err != nil {
		return c.Cache.List(ctx, list, opts...)
	}
	gvk.Kind = strings.TrimSuffix(gvk.Kind, "List")
	r := &readStore{store: c.store(keyOf(gvk, list)), get: func() error { return c.Cache.List(ctx, list, opts...) }, list: list}
	p.tracer.Indexer(ctx, gvk, r).List()
	return r.err
}

// store is a store that is read, with its version if it knows that.
type store struct {
	key       storeKey
	versioned versionedStore
}

// store is the store that a read goes to.
func (c *tracedCache) store(key storeKey) store {
	c.mu.Lock()
	defer c.mu.Unlock()
	return store{key, c.stores[key]}
}

// find looks once for a store that nobody has asked an informer of: the cache
// made it by itself when it was read.
func (c *tracedCache) find(ctx context.Context, key storeKey, obj client.Object) {
	c.mu.Lock()
	_, known := c.stores[key]
	if !known {
		c.stores[key] = nil
	}
	c.mu.Unlock()
	if known {
		return
	}
	if i, err := c.Cache.GetInformer(ctx, obj, cache.BlockUntilSynced(false)); err == nil && i != nil {
		c.remember(key, i)
	}
}

// keyOf is the key of the informer for objects like obj, or lists of them.
func keyOf(gvk schema.GroupVersionKind, obj any) storeKey {
	t := strings.TrimSuffix(reflect.TypeOf(obj).String(), "List")
	if !strings.HasSuffix(t, "Unstructured") && !strings.HasSuffix(t, "PartialObjectMetadata") {
		t = "" // typed
	}
	return storeKey{gvk, t}
}

// GetInformer returns the informer for a kind.
func (c *tracedCache) GetInformer(ctx context.Context, obj client.Object, opts ...cache.InformerGetOption) (cache.Informer, error) {
	gvk, err := apiutil.GVKForObject(obj, c.scheme)
	if err != nil {
		return c.Cache.GetInformer(ctx, obj, opts...)
	}
	return c.informer(ctx, keyOf(gvk, obj), func() (cache.Informer, error) { return c.Cache.GetInformer(ctx, obj, opts...) })
}

// GetInformerForKind returns the informer for a kind.
func (c *tracedCache) GetInformerForKind(ctx context.Context, gvk schema.GroupVersionKind, opts ...cache.InformerGetOption) (cache.Informer, error) {
	return c.informer(ctx, storeKey{gvk: gvk}, func() (cache.Informer, error) { return c.Cache.GetInformerForKind(ctx, gvk, opts...) })
}

// RemoveInformer ends the informer for a kind.
func (c *tracedCache) RemoveInformer(ctx context.Context, obj client.Object) error {
	if gvk, err := apiutil.GVKForObject(obj, c.scheme); err == nil {
		c.mu.Lock()
		delete(c.stores, keyOf(gvk, obj))
		c.mu.Unlock()
	}
	return c.Cache.RemoveInformer(ctx, obj)
}

// informer gets an informer, which may take until it has its first list, and
// wraps it.
func (c *tracedCache) informer(ctx context.Context, key storeKey, get func() (cache.Informer, error)) (cache.Informer, error) {
	by := controllerOf(ctx)
	synced := by.awaits(key.gvk.Kind)
	i, err := get()
	if err != nil || i == nil {
		return i, err
	}
	by.watchResource(c.resourceOf(key.gvk))
	synced(i.HasSynced)
	c.remember(key, i)
	return wrapInformer(i, key.gvk, by), nil
}

// resourceOf is a kind's resource, a plural, "" when not known.
func (c *tracedCache) resourceOf(gvk schema.GroupVersionKind) string {
	if c.mapper == nil {
		return ""
	}
	mapping, err := c.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		return ""
	}
	return mapping.Resource.Resource
}

// remember keeps the store of an informer.
func (c *tracedCache) remember(key storeKey, i cache.Informer) {
	var store versionedStore
	if shared, ok := i.(toolscache.SharedIndexInformer); ok {
		store, _ = shared.GetIndexer().(versionedStore)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stores[key] = store
}

// readStore lets one read of the cache be recorded as one of an indexer.
type readStore struct {
	toolscache.Indexer // nil: nothing else of it is called

	store store
	get   func() error
	got   client.Object
	list  client.ObjectList
	err   error
}

// LastStoreSyncResourceVersion is the store's version, "" when not known.
func (r *readStore) LastStoreSyncResourceVersion() string {
	if r.store.versioned == nil {
		return ""
	}
	return r.store.versioned.LastStoreSyncResourceVersion()
}

// StoreID tells which store this stands for.
func (r *readStore) StoreID() any { return r.store.key }

// GetByKey reads the object.
func (r *readStore) GetByKey(string) (any, bool, error) {
	err := r.get()
	return r.got, err == nil, err
}

// List reads the objects.
func (r *readStore) List() []any {
	if r.err = r.get(); r.err != nil {
		return nil
	}
	var found []any
	_ = meta.EachListItem(r.list, func(obj runtime.Object) error {
		found = append(found, obj)
		return nil
	})
	return found
}
