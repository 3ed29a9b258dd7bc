package tracer

import (
	"context"
	"reflect"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// Indexer returns a view of an informer's indexer whose reads are recorded
// with ctx's reconcile. It lives as long as the reconcile and costs little to
// make; listers are built on it (listers.NewPodLister). A ctx without a
// reconcile gives indexer itself.
//
// A read is stale when own writes of that resource have not reached the store:
// by the store's own resourceVersion where it has one (client-go 0.36 and
// newer), otherwise by the objects read. Where a controller reads several
// stores of one resource (one for each namespace, say) it is unknown. The
// resource is found from gvk by the usual rule for plurals; where that does not
// hold nothing is said.
func (t *Tracer) Indexer(ctx context.Context, gvk schema.GroupVersionKind, indexer cache.Indexer) cache.Indexer {
	r := from(ctx)
	if r == nil || indexer == nil {
		return indexer
	}
	v := &view{Indexer: indexer, r: r, kind: gvk.Kind, resource: guessResource(gvk), done: ctx.Done()}
	v.store, _ = indexer.(versionedStore)
	v.id = idOf(indexer)
	return v
}

// idOf is what a store is told from others by. An adapter that makes an indexer
// for each read has it say which store it stands for: StoreID() any, comparable.
func idOf(indexer cache.Indexer) any {
	if s, ok := indexer.(interface{ StoreID() any }); ok {
		if id := s.StoreID(); reflect.ValueOf(id).Comparable() {
			return id
		}
		return nil
	}
	if reflect.ValueOf(indexer).Comparable() {
		return indexer
	}
	return nil
}

// versionedStore is a store that knows how far it has come.
type versionedStore interface{ LastStoreSyncResourceVersion() string }

// view is an indexer whose reads are a reconcile's.
type view struct {
	cache.Indexer
	r        *reconcile
	kind     string
	resource schema.GroupResource
	store    versionedStore // nil when the store does not know
	id       any            // by which the store is told from others
	done     <-chan struct{}
}

func (v *view) version() string {
	if v.store == nil {
		return ""
	}
	return v.store.LastStoreSyncResourceVersion()
}

// read is one read under way.
type read struct {
	v      *view
	began  time.Time
	before string
}

func (v *view) begin() read {
	v.r.beforeCall(v.done, false)
	return read{v, time.Now(), v.version()}
}

// end records the read; found are the objects that it gave, concerns tells
// which own writes it would have shown.
func (b read) end(found []any, concerns func(ownWrite) bool) {
	v := b.v
	var s staleness
	if after := v.version(); after != "" {
		s = v.r.t.writes.ofStore(v.resource, v.id, b.before, after)
	} else {
		s = v.r.t.writes.ofObjects(v.resource, v.id, versions(found), concerns)
	}
	attrs := []attribute.KeyValue{
		attribute.String(semconv.AttrReadSource, semconv.ReadCache),
		attribute.String(semconv.AttrReadKind, v.kind),
		attribute.Int(semconv.AttrReadCount, len(found)),
	}
	if s.stale != "" {
		attrs = append(attrs, attribute.String(semconv.AttrReadStale, s.stale))
	}
	if s.by > 0 {
		attrs = append(attrs,
			attribute.Int(semconv.AttrReadStaleBy, s.by),
			attribute.Int64(semconv.AttrReadStaleSince, s.since.UnixMicro()))
	}
	v.r.cacheRead(b.began, attrs)
	v.r.remember(found)
}

// remember notes the version of a single object that was read; lists are not
// worth it.
func (r *reconcile) remember(found []any) {
	if len(found) != 1 {
		return
	}
	if o := metadata(found[0]); o != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.read[string(o.GetUID())] = o.GetResourceVersion()
	}
}

// versions are the objects' versions by UID.
func versions(objs []any) map[string]string {
	out := make(map[string]string, len(objs))
	for _, obj := range objs {
		if o := metadata(obj); o != nil {
			out[string(o.GetUID())] = o.GetResourceVersion()
		}
	}
	return out
}

// cacheRead records a read that is over.
func (r *reconcile) cacheRead(began time.Time, attrs []attribute.KeyValue) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done {
		return
	}
	r.enter(semconv.SpanFetch, began)
	now := time.Now()
	r.child(r.span, semconv.SpanRead, began, trace.WithAttributes(attrs...)).End(trace.WithTimestamp(now))
	r.idle = now
}

func everything(ownWrite) bool { return true }

// List reads every object.
func (v *view) List() []any {
	b := v.begin()
	objs := v.Indexer.List()
	b.end(objs, everything)
	return objs
}

// Get reads the object that obj names.
func (v *view) Get(obj any) (any, bool, error) {
	b := v.begin()
	got, exists, err := v.Indexer.Get(obj)
	o := metadata(obj)
	b.end(one(got, exists), func(w ownWrite) bool {
		return o != nil && w.namespace == o.GetNamespace() && w.name == o.GetName()
	})
	return got, exists, err
}

// GetByKey reads the object of a key.
func (v *view) GetByKey(key string) (any, bool, error) {
	b := v.begin()
	got, exists, err := v.Indexer.GetByKey(key)
	namespace, name := defaultKey(key)
	b.end(one(got, exists), func(w ownWrite) bool { return w.namespace == namespace && w.name == name })
	return got, exists, err
}

func one(obj any, exists bool) []any {
	if !exists {
		return nil
	}
	return []any{obj}
}

// Index reads the objects that share an index value with obj.
func (v *view) Index(name string, obj any) ([]any, error) {
	b := v.begin()
	objs, err := v.Indexer.Index(name, obj)
	b.end(objs, everything)
	return objs, err
}

// ByIndex reads the objects of an index value.
func (v *view) ByIndex(name, value string) ([]any, error) {
	b := v.begin()
	objs, err := v.Indexer.ByIndex(name, value)
	b.end(objs, everything)
	return objs, err
}

// ListKeys reads every key.
func (v *view) ListKeys() []string {
	b := v.begin()
	keys := v.Indexer.ListKeys()
	b.endKeys(len(keys))
	return keys
}

// IndexKeys reads the keys of an index value.
func (v *view) IndexKeys(name, value string) ([]string, error) {
	b := v.begin()
	keys, err := v.Indexer.IndexKeys(name, value)
	b.endKeys(len(keys))
	return keys, err
}

// endKeys records a read of keys alone, which says nothing of versions.
func (b read) endKeys(n int) {
	b.v.r.cacheRead(b.began, []attribute.KeyValue{
		attribute.String(semconv.AttrReadSource, semconv.ReadCache),
		attribute.String(semconv.AttrReadKind, b.v.kind),
		attribute.Int(semconv.AttrReadCount, n),
	})
}
