package tracer

import (
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// identity is who the emitter is: it goes with every request.
type identity struct {
	resource *resourcepb.Resource
	epoch    string
}

// encodeSpans makes the body of a trace request. TracesData has the same bytes
// on the wire as ExportTraceServiceRequest, whose package would pull in gRPC.
func (id identity) encodeSpans(b spanBatch) ([]byte, error) {
	spans := make([]*tracepb.Span, len(b.spans))
	for i, n := range b.spans {
		spans[i] = encodeSpan(n)
	}
	scope := id.scope(b.dropped)
	scope.Attributes = append(scope.Attributes,
		encodeAttr(attribute.Int64(semconv.AttrEmitterFirstSeq, b.first)),
		encodeAttr(attribute.Int64(semconv.AttrEmitterLastSeq, b.last)))
	return proto.Marshal(&tracepb.TracesData{ResourceSpans: []*tracepb.ResourceSpans{{
		Resource:   id.resource,
		ScopeSpans: []*tracepb.ScopeSpans{{Scope: scope, Spans: spans}},
	}}})
}

// encodeRecords makes the body of a log request; dropped counts spans.
func (id identity) encodeRecords(records []record, dropped int64) ([]byte, error) {
	logs := make([]*logspb.LogRecord, len(records))
	for i, r := range records {
		logs[i] = encodeRecord(r)
	}
	return proto.Marshal(&logspb.LogsData{ResourceLogs: []*logspb.ResourceLogs{{
		Resource:  id.resource,
		ScopeLogs: []*logspb.ScopeLogs{{Scope: id.scope(dropped), LogRecords: logs}},
	}}})
}

func (id identity) scope(dropped int64) *commonpb.InstrumentationScope {
	return &commonpb.InstrumentationScope{
		Name:    semconv.ScopeName,
		Version: semconv.Version,
		Attributes: encodeAttrs([]attribute.KeyValue{
			attribute.String(semconv.AttrEmitterEpoch, id.epoch),
			attribute.Int64(semconv.AttrEmitterDropped, dropped),
		}),
	}
}

func encodeSpan(n numbered) *tracepb.Span {
	s := n.span
	sc, parent := s.SpanContext(), s.Parent()
	out := &tracepb.Span{
		TraceId:           id16(sc.TraceID()),
		SpanId:            id8(sc.SpanID()),
		Name:              s.Name(),
		Kind:              tracepb.Span_SpanKind(s.SpanKind()),
		StartTimeUnixNano: nanos(s.StartTime()),
		EndTimeUnixNano:   nanos(s.EndTime()),
		Attributes:        append(encodeAttrs(s.Attributes()), encodeAttr(attribute.Int64(semconv.AttrSeq, n.seq))),
		Events:            encodeEvents(s.Events()),
		Links:             encodeLinks(s.Links()),
		Flags:             uint32(sc.TraceFlags()),
	}
	if parent.SpanID().IsValid() {
		out.ParentSpanId = id8(parent.SpanID())
	}
	if s.Status().Code == codes.Error {
		out.Status = &tracepb.Status{Code: tracepb.Status_STATUS_CODE_ERROR}
	}
	return out
}

func encodeEvents(events []sdktrace.Event) []*tracepb.Span_Event {
	out := make([]*tracepb.Span_Event, len(events))
	for i, e := range events {
		out[i] = &tracepb.Span_Event{TimeUnixNano: nanos(e.Time), Name: e.Name, Attributes: encodeAttrs(e.Attributes)}
	}
	return out
}

func encodeLinks(links []sdktrace.Link) []*tracepb.Span_Link {
	out := make([]*tracepb.Span_Link, len(links))
	for i, l := range links {
		out[i] = &tracepb.Span_Link{TraceId: id16(l.SpanContext.TraceID()), SpanId: id8(l.SpanContext.SpanID())}
	}
	return out
}

func encodeRecord(r record) *logspb.LogRecord {
	out := &logspb.LogRecord{
		TimeUnixNano:         nanos(r.at),
		ObservedTimeUnixNano: nanos(r.at),
		SeverityNumber:       logspb.SeverityNumber_SEVERITY_NUMBER_INFO,
		EventName:            r.event,
		Attributes:           append(encodeAttrs(r.attrs), encodeAttr(attribute.String("event.name", r.event))),
	}
	if r.trace.IsValid() {
		out.TraceId, out.SpanId = id16(r.trace), id8(r.span)
	}
	return out
}

func encodeAttrs(attrs []attribute.KeyValue) []*commonpb.KeyValue {
	out := make([]*commonpb.KeyValue, len(attrs), len(attrs)+2)
	for i, a := range attrs {
		out[i] = encodeAttr(a)
	}
	return out
}

func encodeAttr(a attribute.KeyValue) *commonpb.KeyValue {
	return &commonpb.KeyValue{Key: string(a.Key), Value: encodeValue(a.Value)}
}

func encodeValue(v attribute.Value) *commonpb.AnyValue {
	switch v.Type() {
	case attribute.BOOL:
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_BoolValue{BoolValue: v.AsBool()}}
	case attribute.INT64:
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: v.AsInt64()}}
	case attribute.FLOAT64:
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_DoubleValue{DoubleValue: v.AsFloat64()}}
	case attribute.STRINGSLICE:
		return encodeList(v.AsStringSlice())
	default:
		return stringValue(v.String())
	}
}

func encodeList(list []string) *commonpb.AnyValue {
	values := make([]*commonpb.AnyValue, len(list))
	for i, s := range list {
		values[i] = stringValue(s)
	}
	return &commonpb.AnyValue{Value: &commonpb.AnyValue_ArrayValue{ArrayValue: &commonpb.ArrayValue{Values: values}}}
}

func stringValue(s string) *commonpb.AnyValue {
	return &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: s}}
}

func id16(id trace.TraceID) []byte { return id[:] }
func id8(id trace.SpanID) []byte   { return id[:] }

func nanos(t time.Time) uint64 { return uint64(max(t.UnixNano(), 0)) }
