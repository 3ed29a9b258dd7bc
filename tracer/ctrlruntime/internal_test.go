package ctrlruntime

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache/informertest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlcontroller "sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/reconcile-tracer/tracer/tracer"
)

func TestGoroutineIDs(t *testing.T) {
	own := goroutineID()
	if own == 0 || own != goroutineID() {
		t.Fatalf("%d, then %d, want the same number twice", own, goroutineID())
	}
	var other int64
	var running sync.WaitGroup
	running.Go(func() { other = goroutineID() })
	running.Wait()
	if other == 0 || other == own {
		t.Errorf("another goroutine is %d, this one %d", other, own)
	}
}

func TestKindOfReflector(t *testing.T) {
	for description, want := range map[string]string{
		"*v1.Pod": "Pod", "apps/v1, Kind=Deployment": "Deployment", "/v1, Kind=ConfigMap": "ConfigMap", "Pod": "Pod", "": "",
	} {
		if got := kindOfReflector(description); got != want {
			t.Errorf("%q: %q, want %q", description, got, want)
		}
	}
}

func newSetup(log *strings.Builder) *setup {
	return &setup{scheme: scheme.Scheme, config: Config{Tracer: tracer.Config{Logger: slog.New(slog.NewTextHandler(log, nil))}}}
}

// unmanaged makes a controller of controller-runtime's.
func unmanaged[T comparable](t *testing.T) ctrlcontroller.TypedController[T] {
	t.Helper()
	c, err := ctrlcontroller.NewTypedUnmanaged("c", ctrlcontroller.TypedOptions[T]{
		SkipNameValidation: new(true),
		Reconciler:         reconcile.TypedFunc[T](func(context.Context, T) (reconcile.Result, error) { return reconcile.Result{}, nil }),
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestAdoptLeavesOthersAlone(t *testing.T) {
	var log strings.Builder
	s := newSetup(&log)
	f := manager.RunnableFunc(func(context.Context) error { return nil })
	if _, ok := s.adopt(f).(manager.RunnableFunc); !ok || log.Len() > 0 {
		t.Errorf("a function was wrapped, or complained about: %s", log.String())
	}
	typed := unmanaged[string](t)
	if s.adopt(typed) != manager.Runnable(typed) || !strings.Contains(log.String(), "ctrlruntime.Trace") {
		t.Errorf("a controller of other requests was wrapped, or nothing was said: %s", log.String())
	}
	if len(s.all()) > 0 {
		t.Error("something is traced")
	}
}

func TestAdoptTwiceIsOnce(t *testing.T) {
	s := newSetup(&strings.Builder{})
	c := unmanaged[reconcile.Request](t)
	first, second := s.adopt(c).(*runnable), s.adopt(c).(*runnable)
	if first.by != second.by || len(s.all()) != 1 {
		t.Errorf("%d controllers, want one", len(s.all()))
	}
}

// The kind is that of For, however it is watched.
func TestKindOfController(t *testing.T) {
	deployment := appsv1.SchemeGroupVersion.WithKind("Deployment")
	meta, free := &metav1.PartialObjectMetadata{}, &unstructured.Unstructured{}
	meta.SetGroupVersionKind(deployment)
	free.SetGroupVersionKind(deployment)
	for name, obj := range map[string]client.Object{"typed": &appsv1.Deployment{}, "metadata": meta, "unstructured": free} {
		t.Run(name, func(t *testing.T) {
			s := newSetup(&strings.Builder{})
			c := unmanaged[reconcile.Request](t)
			other := handler.Funcs{}
			for _, src := range []source.Source{
				source.Kind[client.Object](&informertest.FakeInformers{}, &appsv1.ReplicaSet{}, other),
				source.Kind[client.Object](&informertest.FakeInformers{}, obj, &handler.EnqueueRequestForObject{}),
			} {
				if err := c.Watch(src); err != nil {
					t.Fatal(err)
				}
			}
			if got := s.adopt(c).(*runnable).by.find(); got != deployment {
				t.Errorf("kind %v, want %v", got, deployment)
			}
		})
	}
}

func TestKindOfControllerByName(t *testing.T) {
	s := newSetup(&strings.Builder{})
	c := unmanaged[reconcile.Request](t)
	if err := c.Watch(source.Kind[client.Object](&informertest.FakeInformers{}, &appsv1.ReplicaSet{}, handler.Funcs{})); err != nil {
		t.Fatal(err)
	}
	by := s.adopt(c).(*runnable).by
	if got := by.find(); got != (schema.GroupVersionKind{}) {
		t.Errorf("kind %v of a controller named c, want none", got)
	}
	by.name = "replicaset"
	if got := by.find(); got.Kind != "ReplicaSet" {
		t.Errorf("kind %v of a controller named replicaset", got)
	}
}

// An event is the current one on its own goroutine, while it is handled.
func TestCurrentEvent(t *testing.T) {
	var during, elsewhere *handled
	l := &listener{next: toolscache.ResourceEventHandlerFuncs{AddFunc: func(any) {
		during = current()
		var running sync.WaitGroup
		running.Go(func() { elsewhere = current() })
		running.Wait()
	}}}
	l.OnAdd(&appsv1.Deployment{}, true)
	if during == nil || during.event.What != "initial_list" {
		t.Errorf("the event is %+v, want that of the first list", during)
	}
	if elsewhere != nil || current() != nil {
		t.Error("the event is known to another goroutine, or afterwards")
	}
}

func TestCurrentEventEndsWithAPanic(t *testing.T) {
	l := &listener{next: toolscache.ResourceEventHandlerFuncs{AddFunc: func(any) { panic("ouch") }}}
	func() {
		defer func() { _ = recover() }()
		l.OnAdd(&appsv1.Deployment{}, false)
	}()
	if current() != nil {
		t.Error("the event is still current")
	}
}

func BenchmarkGoroutineID(b *testing.B) {
	for b.Loop() {
		goroutineID()
	}
}
