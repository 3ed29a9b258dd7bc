package tracer

import (
	"context"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// maxAdopted is how many spans of others may be open at a time; further ones
// are not shown.
const maxAdopted = 4096

// SpanProcessor returns a processor for a provider of the user's own:
//
//	sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(t.SpanProcessor()), …)
//
// Spans that this provider starts with a reconcile's context are shown below
// the phase that was under way. The provider's own spans, ids, sampler and
// exporters stay as they are: what the hub gets is a copy in the reconcile's
// trace. It gets the attributes that the user sets, but neither events nor
// messages, because those quote errors and errors quote objects. A tracer that
// is off shows nothing. Shutting the provider down leaves the tracer running.
func (t *Tracer) SpanProcessor() sdktrace.SpanProcessor {
	return &adopter{t: t, open: map[trace.SpanID]adopted{}}
}

// adopter shows other providers' spans in the reconciles that they belong to.
type adopter struct {
	t    *Tracer
	mu   sync.Mutex
	open map[trace.SpanID]adopted
}

// adopted is where a span of another provider belongs.
type adopted struct{ self, parent trace.SpanContext }

// OnStart notes the reconcile and the phase that the span was started in.
func (a *adopter) OnStart(ctx context.Context, s sdktrace.ReadWriteSpan) {
	r := from(ctx)
	if r == nil || r.t != a.t || !a.t.Enabled() {
		return
	}
	phase := r.phaseContext()
	own := s.SpanContext()
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.open) == maxAdopted {
		return
	}
	self := phase.WithSpanID(own.SpanID())
	if above, ok := a.open[s.Parent().SpanID()]; ok && above.self.TraceID() == self.TraceID() {
		phase = above.self
	}
	a.open[own.SpanID()] = adopted{self, phase}
}

// OnEnd sends a copy of the span.
func (a *adopter) OnEnd(s sdktrace.ReadOnlySpan) {
	id := s.SpanContext().SpanID()
	a.mu.Lock()
	place, ok := a.open[id]
	delete(a.open, id)
	a.mu.Unlock()
	if ok && a.t.Enabled() {
		a.t.spans.put(adoptedSpan{s, place})
	}
}

// Shutdown does nothing: the Tracer's Shutdown sends what is buffered.
func (a *adopter) Shutdown(context.Context) error { return nil }

// ForceFlush does nothing: nothing waits for longer than 25 ms anyway.
func (a *adopter) ForceFlush(context.Context) error { return nil }

// phaseContext is the phase that is under way; after the last it is that one.
func (r *reconcile) phaseContext() trace.SpanContext {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.span.SpanContext()
}

// adoptedSpan is another provider's span in its reconcile's trace.
type adoptedSpan struct {
	sdktrace.ReadOnlySpan
	adopted
}

// SpanContext is the span's in the reconcile's trace.
func (s adoptedSpan) SpanContext() trace.SpanContext { return s.self }

// Parent is the phase, or the span of the same provider, that it stands under.
func (s adoptedSpan) Parent() trace.SpanContext { return s.parent }

// Attributes are as many as the hub takes, with the span's number.
func (s adoptedSpan) Attributes() []attribute.KeyValue {
	all := s.ReadOnlySpan.Attributes()
	return all[:min(len(all), semconv.MaxAttributes-1)]
}

// Events are none: they quote errors.
func (s adoptedSpan) Events() []sdktrace.Event { return nil }

// Links are none: they lead to traces that the hub does not have.
func (s adoptedSpan) Links() []sdktrace.Link { return nil }
