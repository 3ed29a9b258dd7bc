package tracer_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"k8s.io/client-go/tools/cache"

	"github.com/reconcile-tracer/tracer/tracer"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
	"github.com/reconcile-tracer/tracer/tracer/tracertest"
)

// startOff starts a tracer without an endpoint.
func startOff(tb testing.TB) *tracer.Tracer {
	tb.Helper()
	tb.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "")
	tr, err := tracer.Start(context.Background(), tracer.Config{Controller: "podset"})
	if err != nil {
		tb.Fatal(err)
	}
	return tr
}

func TestOffItAllocatesNothingAndPassesEverythingThrough(t *testing.T) {
	tr := startOff(t)
	ctx, store := t.Context(), cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	q := newQueue(t, tr)
	if n := testing.AllocsPerRun(100, func() {
		ctx := q.Context(ctx, "default/a")
		tracer.Phase(ctx, semconv.SpanCompute)
		tracer.Observe(ctx, nil)
		tracer.Plan(ctx)
		tracer.Finish(ctx, nil)
		tr.Indexer(ctx, podSet, store)
		tr.Workers(1)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if q.Context(ctx, "a") != ctx || tr.Indexer(ctx, podSet, store) != store || tr.Enabled() {
		t.Error("something is not passed through")
	}
	h := cache.ResourceEventHandlerFuncs{AddFunc: func(any) { q.Add("default/a") }}
	got := q.Handler(podSet, func(tracer.Adder[string]) cache.ResourceEventHandler { return h })
	got.OnAdd(nil, false)
	if item, _ := q.Get(); item != "default/a" {
		t.Errorf("got %q", item)
	}
	q.Done("default/a")
}

func TestAfterShutdownTheQueueGoesOn(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	tr := start(t, rec)
	q := newQueue(t, tr)
	h := adding(q)
	h.OnAdd(thing("a", 1, 1), false)
	item, _ := q.Get()
	ctx := q.Context(t.Context(), item)
	if err := tr.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.OnUpdate(thing("a", 1, 1), thing("a", 2, 1))
	tracer.Finish(ctx, nil)
	q.AddAfter("default/b", 1)
	q.Done(item)
	for range 2 {
		item, _ := q.Get()
		q.Done(item)
	}
	if err := tr.Shutdown(t.Context()); err != nil {
		t.Errorf("the second Shutdown: %v", err)
	}
}

func TestConfigFromTheEnvironment(t *testing.T) {
	seen := make(chan http.Header, 100)
	rec := tracertest.NewRecorder(t)
	hub := serveHub(t, func(w http.ResponseWriter, r *http.Request) { seen <- r.Header; rec.ServeHTTP(w, r) })
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", hub+"/")
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "Authorization=Bearer%20s3cret, X-A = b")
	t.Setenv("OTEL_SERVICE_NAME", "shop")
	t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
	tr, err := tracer.Start(t.Context(), tracer.Config{Controller: "podset", Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if h := <-seen; h.Get("Authorization") != "Bearer s3cret" || h.Get("X-A") != "b" || h.Get("Content-Encoding") != "gzip" {
		t.Errorf("headers %v", h)
	}
	if got := rec.Resource(); got.Text(semconv.AttrServiceName) != "shop" || len(got.Text(semconv.AttrServiceInstanceID)) != 36 {
		t.Errorf("resource %v", got)
	}
}

func TestBadConfig(t *testing.T) {
	for name, c := range map[string]struct {
		cfg     tracer.Config
		headers string
		want    string
	}{
		"no name":      {tracer.Config{}, "", "Controller is empty"},
		"no URL":       {tracer.Config{Controller: "c", Endpoint: "localhost:4318"}, "", "Endpoint"},
		"wrong scheme": {tracer.Config{Controller: "c", Endpoint: "ftp://h"}, "", "http or https"},
		"buffer":       {tracer.Config{Controller: "c", BufferSpans: -1}, "", "BufferSpans is -1"},
		"headers":      {tracer.Config{Controller: "c"}, "a=b,s3cret", "entry 2 of OTEL_EXPORTER_OTLP_HEADERS"},
	} {
		t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "")
		t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", c.headers)
		_, err := tracer.Start(t.Context(), c.cfg)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v, want one with %q", name, err, c.want)
		}
	}
}

// Who shuts down while another does, as a deferred call beside a signal's
// handler, must not end the process under it.
func TestASecondShutdownWaitsForTheFirst(t *testing.T) {
	entered, release := make(chan struct{}, 8), make(chan struct{})
	hub := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		entered <- struct{}{}
		<-release
	}))
	defer hub.Close()
	tr, err := tracer.Start(t.Context(), tracer.Config{
		Controller: "podset", Endpoint: hub.URL, Headers: map[string]string{"Authorization": "Bearer t"},
		Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	first := make(chan error)
	go func() { first <- tr.Shutdown(t.Context()) }()
	<-entered
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for tr.Enabled() {
		runtime.Gosched() // until the first has begun
	}
	if err := tr.Shutdown(over); !errors.Is(err, context.Canceled) {
		t.Errorf("while the first goes on: %v", err)
	}
	close(release)
	if err := <-first; err != nil {
		t.Error(err)
	}
	if err := tr.Shutdown(t.Context()); err != nil {
		t.Errorf("after the first: %v", err)
	}
}
