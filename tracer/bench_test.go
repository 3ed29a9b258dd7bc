package tracer_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/reconcile-tracer/tracer/tracer"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// BenchmarkOff is what a call costs without a hub.
func BenchmarkOff(b *testing.B) {
	startOff(b)
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		tracer.Phase(ctx, semconv.SpanCompute)
	}
}

// BenchmarkBareSpan is a span of the SDK alone, to compare BenchmarkPhase with.
func BenchmarkBareSpan(b *testing.B) {
	provider := sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.AlwaysSample()), sdktrace.WithSpanProcessor(dropAll{}))
	t := provider.Tracer("bench")
	ctx, root := t.Start(context.Background(), "root")
	defer root.End()
	b.ReportAllocs()
	for b.Loop() {
		_, span := t.Start(ctx, semconv.SpanCompute)
		span.End()
	}
}

type dropAll struct{}

func (dropAll) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (dropAll) OnEnd(sdktrace.ReadOnlySpan)                     {}
func (dropAll) Shutdown(context.Context) error                  { return nil }
func (dropAll) ForceFlush(context.Context) error                { return nil }

// BenchmarkPhase is one phase of a reconcile under way.
func BenchmarkPhase(b *testing.B) {
	benchPhases(b, benchQueue(b))
}

// BenchmarkPhaseThatCouldBeHeld is BenchmarkPhase of a controller that takes
// commands, while no debugger is there.
func BenchmarkPhaseThatCouldBeHeld(b *testing.B) {
	b.Setenv("TRACER_CONTROL", "1")
	b.Setenv("TRACER_CONTROL_TOKEN", "token")
	benchPhases(b, benchQueue(b))
}

func benchPhases(b *testing.B, q *tracer.Queue[string]) {
	b.Helper()
	q.Add("default/a")
	item, _ := q.Get()
	defer q.Done(item)
	ctx := q.Context(context.Background(), item)
	names := []string{semconv.SpanFetch, semconv.SpanCompute, semconv.SpanApply}
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		n++
		tracer.Phase(ctx, names[n%len(names)])
	}
}

// BenchmarkReconcile is a whole reconcile in which nothing is done.
func BenchmarkReconcile(b *testing.B) {
	q := benchQueue(b)
	b.ReportAllocs()
	for b.Loop() {
		q.Add("default/a")
		item, _ := q.Get()
		q.Done(item)
	}
}

// benchQueue is a queue whose spans go to a hub that takes everything.
func benchQueue(b *testing.B) *tracer.Queue[string] {
	b.Helper()
	hub := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	q, end := queueAt(b, hub.URL)
	b.Cleanup(func() { end(); hub.Close() })
	return q
}

// queueAt is a queue whose spans go to that URL until end is called.
func queueAt(b *testing.B, url string) (q *tracer.Queue[string], end func()) {
	b.Helper()
	tr, err := tracer.Start(context.Background(), tracer.Config{
		Controller: "podset", Endpoint: url, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		b.Fatal(err)
	}
	q = tracer.NewQueue[string](tr, nil, tracer.QueueConfig[string]{})
	return q, func() {
		q.ShutDown()
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = tr.Shutdown(ctx)
	}
}

// BenchmarkPhaseOfADeadHub is BenchmarkPhase with nobody who takes the spans,
// so that what is measured is what the controller's goroutine pays.
func BenchmarkPhaseOfADeadHub(b *testing.B) {
	over := make(chan struct{})
	hub := httptest.NewServer(stuckHub(over))
	q, end := queueAt(b, hub.URL)
	b.Cleanup(func() { close(over); end(); hub.Close() })
	benchPhases(b, q)
}
