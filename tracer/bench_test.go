package tracer_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

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
	q := benchQueue(b)
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
	tr, err := tracer.Start(context.Background(), tracer.Config{Controller: "podset", Endpoint: hub.URL})
	if err != nil {
		b.Fatal(err)
	}
	q := tracer.NewQueue[string](tr, nil, tracer.QueueConfig[string]{})
	b.Cleanup(func() {
		q.ShutDown()
		_ = tr.Shutdown(context.Background())
		hub.Close()
	})
	return q
}
