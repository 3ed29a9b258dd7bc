package tracer_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/reconcile-tracer/tracer/tracer"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
	"github.com/reconcile-tracer/tracer/tracer/tracertest"
)

// A user's spans stand below the phase in which they began, and below each
// other, while the user's own exporter sees them as ever.
func TestSpansOfTheUsersOwnAreChildren(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	tr := start(t, rec)
	q := newQueue(t, tr)
	mine := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(mine), sdktrace.WithSpanProcessor(tr.SpanProcessor()))
	own := provider.Tracer("users")
	_, elsewhere := own.Start(t.Context(), "elsewhere")
	elsewhere.End()
	q.Add("a")
	pass(t, q, func(ctx context.Context, _ string) {
		tracer.Phase(ctx, semconv.SpanCompute)
		outer, span := own.Start(ctx, "outer")
		_, child := own.Start(outer, "inner")
		child.RecordError(errors.New(canary))
		child.SetStatus(codes.Error, canary)
		child.SetAttributes(attribute.String("mine", "yes"))
		child.End()
		span.End()
	})
	r := rec.WaitReconciles("a", 1)[0]
	spans := byName(rec.Spans())
	outer, inner := spans["outer"], spans["inner"]
	if outer.Parent != spans[semconv.SpanCompute].SpanID || inner.Parent != outer.SpanID {
		t.Errorf("outer is below %q, inner below %q", outer.Parent, inner.Parent)
	}
	if outer.TraceID != r.Root.TraceID || inner.TraceID != r.Root.TraceID {
		t.Error("they are not in the reconcile's trace")
	}
	if inner.Attrs.Text("mine") != "yes" || !inner.Failed || len(inner.Events) != 0 {
		t.Errorf("inner is %+v", inner)
	}
	if _, sent := spans["elsewhere"]; sent {
		t.Error("a span outside of any reconcile was sent")
	}
	ended := mine.Ended()
	if len(ended) != 3 || ended[1].Parent().SpanID() != ended[2].SpanContext().SpanID() || ended[2].Parent().IsValid() {
		t.Error("the user's own spans are not what they were")
	}
}

func byName(spans []tracertest.Span) map[string]tracertest.Span {
	out := map[string]tracertest.Span{}
	for _, s := range spans {
		if !strings.HasPrefix(s.Name, semconv.SpanReconcilePrefix) {
			out[s.Name] = s
		}
	}
	return out
}

func TestTheSpanProcessorOfATracerThatIsOff(t *testing.T) {
	var none *tracer.Tracer
	for _, tr := range []*tracer.Tracer{none, startOff(t)} {
		provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(tr.SpanProcessor()))
		_, span := provider.Tracer("users").Start(t.Context(), "x")
		span.End()
		if err := provider.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
