package ctrlruntime_test

import (
	"context"
	"io"
	"log/slog"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/reconcile-tracer/tracer/tracer"
	"github.com/reconcile-tracer/tracer/tracer/ctrlruntime"
	"github.com/reconcile-tracer/tracer/tracer/ctrlruntime/internal/clustertest"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
	"github.com/reconcile-tracer/tracer/tracer/tracertest"
)

func TestMain(m *testing.M) {
	log.SetLogger(logr.Discard())
	os.Exit(clustertest.Main(m))
}

// world is one manager on a namespace of its own, and what it sends.
type world struct {
	t         *testing.T
	namespace string
	client    client.Client // not the manager's, so its writes are others'
	rec       *tracertest.Recorder
	mgr       manager.Manager
	stop      func() // ends the manager and waits for it
}

// newWorld makes a manager whose cache is that of a namespace of its own: each
// informer of it is one that client-go made, with a selector.
func newWorld(t *testing.T, change ...func(*manager.Options)) *world {
	t.Helper()
	w := &world{t: t, rec: tracertest.NewRecorder(t)}
	cfg := clustertest.Config(t)
	c, err := client.New(cfg, client.Options{})
	if err != nil {
		t.Fatalf("making a client: %v", err)
	}
	w.client = c
	w.namespace = w.newNamespace()
	options := manager.Options{
		Metrics:    server.Options{BindAddress: "0"},
		Controller: ctrlconfig.Controller{SkipNameValidation: new(true)},
		Cache:      cache.Options{DefaultLabelSelector: labels.SelectorFromSet(labels.Set{"world": w.namespace})},
	}
	for _, f := range change {
		f(&options)
	}
	w.mgr, err = ctrlruntime.NewManager(cfg, options, ctrlruntime.Config{
		Tracer: tracer.Config{Endpoint: w.rec.URL(), Logger: slog.New(slog.NewTextHandler(io.Discard, nil))},
	})
	if err != nil {
		t.Fatalf("making a manager: %v", err)
	}
	return w
}

func (w *world) newNamespace() string {
	w.t.Helper()
	made := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}
	if err := w.client.Create(w.t.Context(), made); err != nil {
		w.t.Fatalf("making a namespace: %v", err)
	}
	w.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := w.client.Delete(ctx, made); err != nil {
			w.t.Errorf("deleting the namespace: %v", err)
		}
	})
	return made.Name
}

// start runs the manager until the test ends.
func (w *world) start() {
	w.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.mgr.Start(ctx) }()
	w.stop = func() {
		if cancel(); ended == nil {
			return
		}
		if err := <-ended; err != nil {
			w.t.Errorf("the manager ended with: %v", err)
		}
		ended = nil
	}
	w.t.Cleanup(func() { w.stop() })
}

// startSynced starts the manager and waits until the caches of kinds have their
// first lists.
func (w *world) startSynced(kinds ...string) {
	w.t.Helper()
	w.start()
	w.rec.WaitRecord(semconv.LogControllerState, func(r tracertest.Record) bool {
		synced := r.Attrs.List(semconv.AttrStateSynced)
		return !slices.ContainsFunc(kinds, func(kind string) bool { return !slices.Contains(synced, kind) })
	})
}

// meta names an object of the world.
func (w *world) meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: w.namespace, Name: name, Labels: map[string]string{"world": w.namespace}}
}

func (w *world) configMap(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: w.meta(name)}
}

func (w *world) create(obj client.Object) {
	w.t.Helper()
	if err := w.client.Create(w.t.Context(), obj); err != nil {
		w.t.Fatalf("creating %s: %v", obj.GetName(), err)
	}
}

// passes waits for n passes of an object.
func (w *world) passes(name string, n int) []tracertest.Reconcile {
	w.t.Helper()
	return w.rec.WaitReconciles(w.namespace+"/"+name, n)
}

// pass waits for a pass of an object that is as match wants.
func (w *world) pass(name, what string, match func(tracertest.Reconcile) bool) tracertest.Reconcile {
	w.t.Helper()
	var found tracertest.Reconcile
	if !w.rec.Wait(func() bool {
		all := w.rec.Reconciles(w.namespace + "/" + name)
		n := slices.IndexFunc(all, match)
		if n >= 0 {
			found = all[n]
		}
		return n >= 0
	}) {
		w.t.Fatalf("no pass of %s %s; there are:\n%+v", name, what, w.rec.Reconciles(w.namespace+"/"+name))
	}
	return found
}

// cause is the first cause that match takes, and whether there is one.
func cause(r tracertest.Reconcile, match func(tracertest.Cause) bool) (tracertest.Cause, bool) {
	n := slices.IndexFunc(r.Causes, match)
	if n < 0 {
		return tracertest.Cause{}, false
	}
	return r.Causes[n], true
}
