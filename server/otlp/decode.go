package otlp

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// Batch is what the contract knows of one request, in the fold's words.
type Batch struct {
	Spans    []flow.Span
	Logs     []flow.Log
	Emitters []flow.Emitter
}

// Add appends another batch.
func (b *Batch) Add(other Batch) {
	b.Spans = append(b.Spans, other.Spans...)
	b.Logs = append(b.Logs, other.Logs...)
	b.Emitters = append(b.Emitters, other.Emitters...)
}

func (r *traceRequest) decode() Batch {
	var b Batch
	for _, rs := range r.Traces().ResourceSpans().All() {
		source := decodeSource(rs.Resource())
		for _, ss := range rs.ScopeSpans().All() {
			emitter, numbered := decodeEmitter(source, ss.Scope())
			if numbered {
				b.Emitters = append(b.Emitters, emitter)
			}
			for _, s := range ss.Spans().All() {
				if knownSpan(s.Name()) || maybeServer(s) {
					b.Spans = append(b.Spans, decodeSpan(source, emitter.Epoch, s))
				} else if seq := number(s.Attributes(), semconv.AttrSeq); seq > 0 {
					b.Spans = append(b.Spans, onlyNumber(source, emitter.Epoch, s.Name(), seq))
				}
			}
		}
	}
	return b
}

func (r *logRequest) decode() Batch {
	var b Batch
	for _, rl := range r.Logs().ResourceLogs().All() {
		source := decodeSource(rl.Resource())
		for _, sl := range rl.ScopeLogs().All() {
			emitter, numbered := decodeEmitter(source, sl.Scope())
			if numbered {
				b.Emitters = append(b.Emitters, emitter)
			}
			for _, l := range sl.LogRecords().All() {
				if event := eventName(l); knownLog(event) {
					b.Logs = append(b.Logs, decodeLog(source, emitter.Epoch, event, l))
				}
			}
		}
	}
	return b
}

func knownSpan(name string) bool {
	switch name {
	case semconv.SpanDequeue, semconv.SpanFetch, semconv.SpanCompute, semconv.SpanApply, semconv.SpanRequeue,
		semconv.SpanRead, semconv.SpanWrite:
		return true
	}
	return strings.HasPrefix(name, semconv.SpanReconcilePrefix)
}

// maybeServer says that a span can hang on a write: the API server's and etcd's
// do, by parent, link or audit id.
func maybeServer(s ptrace.Span) bool {
	return !s.ParentSpanID().IsEmpty() || s.Links().Len() > 0 || text(s.Attributes(), semconv.AttrAuditID) != ""
}

func knownLog(event string) bool {
	switch event {
	case semconv.LogSpanStart, semconv.LogQueueItem, semconv.LogHold, semconv.LogDrop, semconv.LogControllerState,
		semconv.LogControl:
		return true
	}
	return false
}

func decodeSource(r pcommon.Resource) flow.Source {
	return flow.Source{
		Instance: text(r.Attributes(), semconv.AttrServiceInstanceID),
		Service:  text(r.Attributes(), semconv.AttrServiceName),
		Pod:      text(r.Attributes(), semconv.AttrPodName),
	}
}

// decodeEmitter reads a request's numbering; without an epoch there is none.
func decodeEmitter(source flow.Source, scope pcommon.InstrumentationScope) (flow.Emitter, bool) {
	a := scope.Attributes()
	e := flow.Emitter{
		Source:  source,
		Epoch:   text(a, semconv.AttrEmitterEpoch),
		First:   number(a, semconv.AttrEmitterFirstSeq),
		Last:    number(a, semconv.AttrEmitterLastSeq),
		Dropped: number(a, semconv.AttrEmitterDropped),
	}
	return e, e.Epoch != ""
}

func decodeSpan(source flow.Source, epoch string, s ptrace.Span) flow.Span {
	return flow.Span{
		Source:  source,
		Epoch:   epoch,
		TraceID: s.TraceID().String(),
		SpanID:  s.SpanID().String(),
		Parent:  s.ParentSpanID().String(),
		Name:    s.Name(),
		From:    micros(s.StartTimestamp()),
		To:      micros(s.EndTimestamp()),
		Attrs:   decodeAttrs(s.Attributes()),
		Events:  decodeEvents(s.Events()),
		Links:   decodeLinks(s.Links()),
		Failed:  s.Status().Code() == ptrace.StatusCodeError,
	}
}

// onlyNumber is what counts of a span that the contract does not know: that it
// came, so that its number is not missed.
func onlyNumber(source flow.Source, epoch, name string, seq int64) flow.Span {
	return flow.Span{Source: source, Epoch: epoch, Name: name, Attrs: flow.Attrs{semconv.AttrSeq: seq}}
}

func decodeEvents(events ptrace.SpanEventSlice) []flow.Event {
	var out []flow.Event
	for _, e := range events.All() {
		if e.Name() == semconv.EventCause || e.Name() == semconv.EventPlanAction {
			out = append(out, flow.Event{Name: e.Name(), At: micros(e.Timestamp()), Attrs: decodeAttrs(e.Attributes())})
		}
	}
	return out
}

func decodeLinks(links ptrace.SpanLinkSlice) []flow.Link {
	var out []flow.Link
	for _, l := range links.All() {
		out = append(out, flow.Link{TraceID: l.TraceID().String(), SpanID: l.SpanID().String()})
	}
	return out
}

// eventName is the record's event; older SDKs have it as an attribute.
func eventName(l plog.LogRecord) string {
	if l.EventName() != "" {
		return l.EventName()
	}
	return text(l.Attributes(), "event.name")
}

func decodeLog(source flow.Source, epoch, event string, l plog.LogRecord) flow.Log {
	at := l.Timestamp()
	if at == 0 {
		at = l.ObservedTimestamp()
	}
	return flow.Log{
		Source:  source,
		Epoch:   epoch,
		Event:   event,
		At:      micros(at),
		TraceID: l.TraceID().String(),
		SpanID:  l.SpanID().String(),
		Attrs:   decodeAttrs(l.Attributes()),
	}
}

func micros(t pcommon.Timestamp) int64 { return int64(t / 1000) }

func text(m pcommon.Map, name string) string {
	if v, ok := m.Get(name); ok && v.Type() == pcommon.ValueTypeStr {
		return v.Str()
	}
	return ""
}

func number(m pcommon.Map, name string) int64 {
	if v, ok := m.Get(name); ok && v.Type() == pcommon.ValueTypeInt {
		return v.Int()
	}
	return 0
}
