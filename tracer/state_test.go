package tracer_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
	"github.com/reconcile-tracer/tracer/tracer/tracertest"
)

// serveHub serves a hub that ends with the test, and gives its URL.
func serveHub(t *testing.T, hub http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(hub)
	t.Cleanup(server.Close)
	return server.URL
}

// waitState waits for a controller.state that match takes.
func waitState(rec *tracertest.Recorder, match func(a tracertest.Attrs) bool) tracertest.Attrs {
	return rec.WaitRecord(semconv.LogControllerState, func(r tracertest.Record) bool { return match(r.Attrs) }).Attrs
}

func TestTheStartUpLane(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	tr := start(t, rec)
	var synced atomic.Bool
	tr.WatchSync("PodSet", func() bool { return true })
	tr.WatchSync("Pod", synced.Load)
	tr.WatchSync("None", nil)
	tr.Workers(2)
	tr.Lease(semconv.LeaseWaiting)
	waitState(rec, func(a tracertest.Attrs) bool {
		return slices.Equal(a.List(semconv.AttrStateUnsynced), []string{"Pod"}) &&
			slices.Equal(a.List(semconv.AttrStateSynced), []string{"PodSet"})
	})
	synced.Store(true)
	tr.Lease(semconv.LeaseLeading)
	got := waitState(rec, func(a tracertest.Attrs) bool {
		return len(a.List(semconv.AttrStateSynced)) == 2 && a.Text(semconv.AttrStateLease) == semconv.LeaseLeading
	})
	wantAttrs(t, got, tracertest.Attrs{
		semconv.AttrController: "podset", semconv.AttrStateWorkers: int64(2), semconv.AttrStateStopping: false,
	})
	if err := tr.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	waitState(rec, func(a tracertest.Attrs) bool { return a.Bool(semconv.AttrStateStopping) })
}

func TestAWatchErrorIsShownUntilTheNextEvent(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	tr := start(t, rec)
	q := newQueue(t, tr)
	called := false
	handle := tr.WatchErrorHandler("PodSet", func(context.Context, *cache.Reflector, error) { called = true })
	handle(t.Context(), nil, apierrors.NewForbidden(schema.GroupResource{Resource: "podsets"}, "canary", errors.New("canary")))
	waitState(rec, func(a tracertest.Attrs) bool { return a.Text(semconv.AttrStateWatchError) == "PodSet: Forbidden" })
	if !called {
		t.Error("the user's handler was not called")
	}
	seen := len(rec.Records())
	adding(q).OnAdd(thing("a", 1, 1), false)
	rec.WaitRecord(semconv.LogControllerState, func(r tracertest.Record) bool {
		return r.Attrs.Text(semconv.AttrStateWatchError) == "" && len(rec.Records()) > seen
	})
}

func TestPlaceInTheQueue(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	tr := start(t, rec)
	q := newQueue(t, tr)
	has := func(names ...string) func(tracertest.Record) bool {
		return func(r tracertest.Record) bool {
			n := 0
			for _, name := range []string{
				semconv.AttrItemReadySince, semconv.AttrItemDelayedUntil, semconv.AttrItemActive, semconv.AttrItemDirty,
			} {
				if _, ok := r.Attrs[name]; ok {
					n++
					if !slices.Contains(names, name) {
						return false
					}
				}
			}
			return n == len(names) && r.Attrs.Text(semconv.AttrController) == "podset" && r.Attrs.Text(semconv.AttrNamespace) == "default"
		}
	}
	q.Add("default/a")
	rec.WaitRecord(semconv.LogQueueItem, has(semconv.AttrItemReadySince))
	pass(t, q, func(context.Context, string) {
		rec.WaitRecord(semconv.LogQueueItem, has(semconv.AttrItemActive))
		q.AddAfter("default/a", 300*time.Millisecond)
		q.Add("default/a")
		rec.WaitRecord(semconv.LogQueueItem, has(semconv.AttrItemActive, semconv.AttrItemDelayedUntil, semconv.AttrItemDirty))
	})
	pass(t, q, nil)
	pass(t, q, nil)
	rec.WaitRecord(semconv.LogQueueItem, has())
}
