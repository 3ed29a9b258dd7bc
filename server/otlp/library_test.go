package otlp

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/tracer"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// The library sends nothing that is over a limit of the hub's, whatever a
// controller tells it.
func TestTheLibraryKeepsToTheLimits(t *testing.T) {
	r, store := newReceiver()
	mux := http.NewServeMux()
	mux.Handle("/v1/traces", r.Handler(Traces))
	mux.Handle("/v1/logs", r.Handler(Logs))
	server := httptest.NewServer(mux)
	defer server.Close()
	defer http.DefaultClient.CloseIdleConnections()
	tr, err := tracer.Start(t.Context(), tracer.Config{
		Controller: "c", Endpoint: server.URL, Headers: map[string]string{"Authorization": "Bearer " + token},
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", semconv.MaxString+1)
	q := tracer.NewQueue(tr, nil, tracer.QueueConfig[string]{})
	defer q.ShutDown()
	q.Add(long)
	item, _ := q.Get()
	ctx := q.Context(t.Context(), item)
	tracer.Phase(ctx, semconv.SpanCompute)
	for range 300 {
		tracer.Plan(ctx, tracer.Action{Verb: "create", Kind: "Pod", Summary: long})
	}
	tracer.Phase(ctx, semconv.SpanApply)
	ownSpans(ctx, t, tr, long)
	q.Done(item)
	ending, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := tr.Shutdown(ending); err != nil {
		t.Fatal(err)
	}
	if got := r.Counts(); got.Rejected+got.Refused > 0 || tr.Dropped() > 0 {
		t.Errorf("%+v, and %d dropped", got, tr.Dropped())
	}
	var spans []flow.Span
	for _, s := range store.all {
		spans = append(spans, s.batch.Spans...)
	}
	for _, s := range spans {
		if s.Name != semconv.SpanCompute {
			continue
		}
		if n, ok := s.Attrs[semconv.AttrPlanCount].(int64); len(s.Events) != semconv.MaxActions || !ok || n != 300 {
			t.Errorf("%d actions of %v, want %d of 300", len(s.Events), s.Attrs[semconv.AttrPlanCount], semconv.MaxActions)
		}
	}
}

// ownSpans makes a span of a provider of the controller's own.
func ownSpans(ctx context.Context, t *testing.T, tr *tracer.Tracer, long string) {
	t.Helper()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(tr.SpanProcessor()))
	defer func() { _ = provider.Shutdown(ctx) }()
	_, span := provider.Tracer("own").Start(ctx, long)
	for i := range semconv.MaxAttributes {
		span.SetAttributes(attribute.String(fmt.Sprint("a", i), long))
	}
	span.End()
}
