package librarytest

import (
	"context"
	"io"
	"net/http"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"github.com/reconcile-tracer/tracer/internal/clustertest"
	"github.com/reconcile-tracer/tracer/tracer"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
	"github.com/reconcile-tracer/tracer/tracer/tracertest"
)

// heldWatches hold back what watches bring until release is closed, from when
// hold is closed on.
type heldWatches struct{ hold, release chan struct{} }

func (h heldWatches) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		res, err := next.RoundTrip(r)
		if err == nil && r.URL.Query().Has("watch") {
			res.Body = heldBody{res.Body, h, r.Context().Done()}
		}
		return res, err
	})
}

type heldBody struct {
	io.ReadCloser
	heldWatches
	gone <-chan struct{}
}

func (b heldBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	select {
	case <-b.hold:
		select {
		case <-b.release:
		case <-b.gone:
		}
	default:
	}
	return n, err
}

// watch starts an informer for the namespace's ConfigMaps, whose events add
// the object's key to the queue.
func (r *rig) watch() cache.SharedIndexInformer {
	r.Helper()
	factory := informers.NewSharedInformerFactoryWithOptions(r.kube, 0, informers.WithNamespace(r.namespace))
	informer := factory.Core().V1().ConfigMaps().Informer()
	handler := r.queue.Handler(configMaps, func(q tracer.Adder[string]) cache.ResourceEventHandler {
		add := func(obj any) {
			if m, ok := obj.(*corev1.ConfigMap); ok && m.Name != "kube-root-ca.crt" {
				q.Add(cache.MetaObjectToName(m).String())
			}
		}
		return cache.ResourceEventHandlerFuncs{AddFunc: add, UpdateFunc: func(_, obj any) { add(obj) }}
	})
	if _, err := informer.AddEventHandler(handler); err != nil {
		r.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	factory.Start(ctx.Done())
	r.Cleanup(func() { cancel(); factory.Shutdown() })
	if !cache.WaitForCacheSync(r.Context().Done(), informer.HasSynced) {
		r.Fatal("the cache did not sync")
	}
	return informer
}

func TestAStaleReadTellsHowLongTheCacheLagged(t *testing.T) {
	held := heldWatches{make(chan struct{}), make(chan struct{})}
	r := newRig(t, asProtobuf, held.wrap)
	informer := r.watch()
	close(held.hold)
	var made *corev1.ConfigMap
	key := r.namespace + "/a"
	read := func(ctx context.Context) {
		_, _, err := r.tracer.Indexer(ctx, configMaps, informer.GetIndexer()).GetByKey(key)
		if err != nil {
			t.Error(err)
		}
	}
	first := r.reconcile(key, func(ctx context.Context) {
		var err error
		made, err = r.kube.CoreV1().ConfigMaps(r.namespace).Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		read(ctx)
	})
	wantStale(t, first, first.Writes[0])
	second := r.reconcile(key, read)
	wantStale(t, second, first.Writes[0])
	close(held.release)
	clustertest.Eventually(t, "the cache has caught up", func(context.Context) bool {
		_, there, _ := informer.GetIndexer().GetByKey(key)
		return there
	})
	// Now the write's own event comes, and the cache is fresh.
	r.pass(key, func(ctx context.Context) { read(ctx) })
	third := r.rec.WaitReconciles(key, 3)[2]
	if got := third.Reads[0].Attrs.Text(semconv.AttrReadStale); got != semconv.StaleNo {
		t.Errorf("after the event the read is stale=%q, want %q", got, semconv.StaleNo)
	}
	wantOwnWrite(t, third, made, first.Writes[0])
}

// wantStale checks that the cache lagged behind one write since its answer.
func wantStale(t *testing.T, r tracertest.Reconcile, w tracertest.Span) {
	t.Helper()
	read := r.Reads[0]
	if got := read.Attrs.Text(semconv.AttrReadStale); got != semconv.StaleYes || read.Attrs.Int(semconv.AttrReadStaleBy) != 1 {
		t.Fatalf("the read is %v, want one stale by 1", read.Attrs)
	}
	since := time.UnixMicro(read.Attrs.Int(semconv.AttrReadStaleSince))
	if since.Before(w.From.Truncate(time.Microsecond)) || since.After(w.To) || since.After(read.From) {
		t.Errorf("stale since %v, want when the write was answered, within %v and %v", since, w.From, w.To)
	}
}

// wantOwnWrite checks that one of r's causes is the write that made obj.
func wantOwnWrite(t *testing.T, r tracertest.Reconcile, obj *corev1.ConfigMap, w tracertest.Span) {
	t.Helper()
	for _, c := range r.Causes {
		if c.UID == string(obj.UID) && c.ResourceVersion == obj.ResourceVersion {
			if c.By != semconv.BySelf || c.Write.SpanID != w.SpanID || c.What != semconv.CauseAdd {
				t.Errorf("its own write came as %+v, want an add by self, linked to span %s", c, w.SpanID)
			}
			return
		}
	}
	t.Errorf("the write's event is not among the causes %+v", r.Causes)
}
