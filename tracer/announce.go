package tracer

import (
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

const (
	// announceAfter is how long a span may be open before the hub is told.
	announceAfter = 50 * time.Millisecond
	announceEvery = 25 * time.Millisecond
)

// announce tells the hub of spans that are still open, and comes again until
// the reconcile is done. A reconcile that is done sooner never comes here.
func (r *reconcile) announce() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done || !r.t.Enabled() {
		return
	}
	now := time.Now()
	r.settle(now)
	r.tell(r.root, now)
	r.tell(r.span, now)
	for _, span := range r.open {
		r.tell(span, now)
	}
	r.timer.Reset(announceEvery)
}

// tell sends one span.start for a span that has been open for long enough.
// The reconcile's own start counts from when a worker took it.
func (r *reconcile) tell(span trace.Span, now time.Time) {
	s, ok := span.(sdktrace.ReadOnlySpan)
	id := span.SpanContext().SpanID()
	if !ok || r.told[id] || now.Sub(s.StartTime()) < announceAfter {
		return
	}
	r.told[id] = true
	rec := startRecord(s, now)
	r.t.put("span/"+id.String(), func() record { return rec })
}

// tellAgain sends a span's span.start anew when what it tells has changed.
func (r *reconcile) tellAgain(span trace.Span) {
	if id := span.SpanContext().SpanID(); r.told[id] {
		delete(r.told, id)
		r.tell(span, time.Now())
	}
}

func startRecord(s sdktrace.ReadOnlySpan, now time.Time) record {
	sc := s.SpanContext()
	attrs := append([]attribute.KeyValue{
		attribute.String(semconv.AttrSpanName, s.Name()),
		attribute.Int64(semconv.AttrSpanStart, s.StartTime().UnixMicro()),
	}, s.Attributes()...)
	if parent := s.Parent().SpanID(); parent.IsValid() {
		attrs = append(attrs, attribute.String(semconv.AttrSpanParentID, parent.String()))
	}
	if plan := planned(s.Events()); len(plan) > 0 {
		attrs = append(attrs, attribute.StringSlice(semconv.AttrPlan, plan))
	}
	return record{at: now, event: semconv.LogSpanStart, trace: sc.TraceID(), span: sc.SpanID(), attrs: attrs}
}

// planned are the summaries of the actions among a span's events.
func planned(events []sdktrace.Event) (plan []string) {
	for _, e := range events {
		if e.Name != semconv.EventPlanAction {
			continue
		}
		for _, a := range e.Attributes {
			if a.Key == semconv.AttrActionSummary {
				plan = append(plan, a.Value.AsString())
			}
		}
	}
	return plan
}
