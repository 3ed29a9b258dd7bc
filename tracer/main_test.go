package tracer_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"go.uber.org/goleak"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"github.com/reconcile-tracer/tracer/tracer"
	"github.com/reconcile-tracer/tracer/tracer/tracertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var podSet = schema.GroupVersionKind{Group: "demo.reconcile-tracer.io", Version: "v1alpha1", Kind: "PodSet"}

// start starts a tracer that sends to rec and ends with the test.
func start(t *testing.T, rec *tracertest.Recorder) *tracer.Tracer {
	t.Helper()
	return startAt(t, rec.URL(), 0)
}

func startAt(t *testing.T, endpoint string, buffer int) *tracer.Tracer {
	t.Helper()
	tr, err := tracer.Start(t.Context(), tracer.Config{
		Controller: "podset", For: podSet, Endpoint: endpoint, BufferSpans: buffer,
		Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatalf("starting: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = tr.Shutdown(ctx)
	})
	return tr
}

// newQueue makes a queue that ends with the test and waits little.
func newQueue(t *testing.T, tr *tracer.Tracer) *tracer.Queue[string] {
	t.Helper()
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[string](10*time.Millisecond, time.Second)
	q := tracer.NewQueue(tr, limiter, tracer.QueueConfig[string]{})
	t.Cleanup(q.ShutDown)
	return q
}

// adding is a handler whose events add the object's own key.
func adding(q *tracer.Queue[string]) cache.ResourceEventHandler {
	return q.Handler(podSet, func(q tracer.Adder[string]) cache.ResourceEventHandler {
		add := func(obj any) {
			key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj)
			if err == nil {
				q.Add(key)
			}
		}
		return cache.ResourceEventHandlerFuncs{
			AddFunc:    add,
			UpdateFunc: func(_, obj any) { add(obj) },
			DeleteFunc: add,
		}
	})
}

// pass takes the next item, runs work on it and is done with it.
func pass(t *testing.T, q *tracer.Queue[string], work func(ctx context.Context, item string)) string {
	t.Helper()
	item, quit := q.Get()
	if quit {
		t.Fatal("the queue has ended")
	}
	defer q.Done(item)
	if work != nil {
		work(q.Context(t.Context(), item), item)
	}
	return item
}
