package tracer_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/reconcile-tracer/tracer/tracer"
	"github.com/reconcile-tracer/tracer/tracer/tracertest"
)

// stuckHub answers when the test is over.
func stuckHub(over <-chan struct{}) http.HandlerFunc {
	return func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-over:
		case <-r.Context().Done():
		}
	}
}

func brokenHub(<-chan struct{}) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }
}

// garbageHub answers with what is no HTTP.
func garbageHub(<-chan struct{}) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		_, _ = conn.Write(bytes.Repeat([]byte("\x00nonsense"), 1000))
		_ = conn.Close()
	}
}

// endlessHub never ends its answer.
func endlessHub(over <-chan struct{}) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				return
			}
			select {
			case <-over:
				return
			case <-r.Context().Done():
				return
			default:
			}
		}
	}
}

func TestABadHubNeitherSlowsNorFillsTheController(t *testing.T) {
	const passes, buffer = 300, 50
	for name, hub := range map[string]func(<-chan struct{}) http.HandlerFunc{
		"stuck": stuckHub, "broken": brokenHub, "garbage": garbageHub, "endless": endlessHub,
	} {
		t.Run(name, func(t *testing.T) {
			over := make(chan struct{})
			server := httptest.NewServer(hub(over))
			defer server.Close()
			defer close(over)
			tr := startAt(t, server.URL, buffer)
			q := newQueue(t, tr)
			began := time.Now()
			for range passes {
				reconcileA(t, q, func(context.Context) {})
			}
			if took := time.Since(began); took > 2*time.Second {
				t.Errorf("%d reconciles took %v", passes, took)
			}
			wantBoundedShutdown(t, tr)
			if name != "endless" && tr.Dropped() < passes*6-buffer-512 {
				t.Errorf("%d spans are counted as dropped", tr.Dropped())
			}
		})
	}
}

func wantBoundedShutdown(t *testing.T, tr *tracer.Tracer) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	_ = tr.Shutdown(ctx)
	if took := time.Since(began); took > time.Second {
		t.Errorf("Shutdown took %v, it had 100ms", took)
	}
	if tr.Enabled() {
		t.Error("the tracer is still on")
	}
}

// The hub is down for a while and the buffer is too small for that: what
// comes through and what is dropped add up, and the hole is claimed.
func TestDroppedSpansLeaveACountedHole(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	var up atomic.Bool
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !up.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		rec.ServeHTTP(w, r)
	}))
	defer proxy.Close()
	tr := startAt(t, proxy.URL, 60)
	q := newQueue(t, tr)
	const passes = 100
	for range passes {
		reconcileA(t, q, func(context.Context) {})
	}
	up.Store(true)
	if err := tr.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	next, spans := int64(1), 0
	for _, b := range rec.Batches() {
		if b.First != next {
			t.Errorf("a batch begins with %d, want %d", b.First, next)
		}
		next, spans = b.Last+1, spans+b.Spans
	}
	if total := next - 1; total != passes*6 || int64(spans)+tr.Dropped() != total || tr.Dropped() == 0 {
		t.Errorf("%d numbers, %d spans, %d dropped", total, spans, tr.Dropped())
	}
}

func TestWhatTheHubRefusesIsCountedAndNotSentAgain(t *testing.T) {
	var traces atomic.Int64
	hub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/traces" {
			traces.Add(1)
			w.WriteHeader(http.StatusBadRequest)
		}
	}))
	defer hub.Close()
	tr := startAt(t, hub.URL, 0)
	reconcileA(t, newQueue(t, tr), func(context.Context) {})
	if err := tr.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if tr.Dropped() != 6 || traces.Load() > 6 {
		t.Errorf("%d dropped, %d requests", tr.Dropped(), traces.Load())
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	var followed atomic.Bool
	thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Store(true) }))
	defer thief.Close()
	hub := httptest.NewServer(http.RedirectHandler(thief.URL, http.StatusTemporaryRedirect))
	defer hub.Close()
	tr := startAt(t, hub.URL, 0)
	reconcileA(t, newQueue(t, tr), func(context.Context) {})
	if err := tr.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if followed.Load() {
		t.Error("the spans and the token went elsewhere")
	}
}
