package tracer

import (
	"math"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// OTLP is written field by field, without building a tree of messages first:
// the exporter runs on the controller's cores, and the tree costs more than
// all the rest of it. The tests read what is written with the real messages.

// identity is who the emitter is: it goes with every request.
type identity struct {
	resource []attribute.KeyValue
	epoch    string
}

// encodeSpans appends the body of a trace request (ExportTraceServiceRequest).
func (id identity) encodeSpans(b []byte, batch spanBatch) []byte {
	return nested(b, 1, func(b []byte) []byte { // resource_spans
		b = appendResource(b, id.resource)
		return nested(b, 2, func(b []byte) []byte { // scope_spans
			b = id.appendScope(b, batch.dropped,
				attribute.Int64(semconv.AttrEmitterFirstSeq, batch.first),
				attribute.Int64(semconv.AttrEmitterLastSeq, batch.last))
			for _, n := range batch.spans {
				b = nested(b, 2, func(b []byte) []byte { return appendSpan(b, n) })
			}
			return b
		})
	})
}

// encodeRecords appends the body of a log request
// (ExportLogsServiceRequest); dropped counts spans.
func (id identity) encodeRecords(b []byte, records []record, dropped int64) []byte {
	return nested(b, 1, func(b []byte) []byte { // resource_logs
		b = appendResource(b, id.resource)
		return nested(b, 2, func(b []byte) []byte { // scope_logs
			b = id.appendScope(b, dropped)
			for _, r := range records {
				b = nested(b, 2, func(b []byte) []byte { return appendRecord(b, r) })
			}
			return b
		})
	})
}

func appendResource(b []byte, attrs []attribute.KeyValue) []byte {
	return nested(b, 1, func(b []byte) []byte { return appendAttrs(b, 1, attrs) })
}

func (id identity) appendScope(b []byte, dropped int64, more ...attribute.KeyValue) []byte {
	return nested(b, 1, func(b []byte) []byte {
		b = appendText(b, 1, semconv.ScopeName)
		b = appendText(b, 2, semconv.Version)
		b = appendAttr(b, 3, attribute.String(semconv.AttrEmitterEpoch, id.epoch))
		b = appendAttr(b, 3, attribute.Int64(semconv.AttrEmitterDropped, dropped))
		return appendAttrs(b, 3, more)
	})
}

func appendSpan(b []byte, n numbered) []byte {
	s := n.span
	sc := s.SpanContext()
	b = appendIDs(b, 1, sc)
	if parent := s.Parent().SpanID(); parent.IsValid() {
		b = appendBytes(b, 4, parent[:])
	}
	b = appendText(b, 5, s.Name())
	b = appendVarint(b, 6, uint64(s.SpanKind()))
	b = appendTime(b, 7, s.StartTime())
	b = appendTime(b, 8, s.EndTime())
	b = appendAttrs(b, 9, s.Attributes())
	b = appendAttr(b, 9, attribute.Int64(semconv.AttrSeq, n.seq))
	for _, e := range s.Events() {
		b = nested(b, 11, func(b []byte) []byte { return appendEvent(b, e) })
	}
	for _, l := range s.Links() {
		b = nested(b, 13, func(b []byte) []byte { return appendIDs(b, 1, l.SpanContext) })
	}
	if s.Status().Code == codes.Error {
		const statusCodeError = 2
		b = nested(b, 15, func(b []byte) []byte { return appendVarint(b, 3, statusCodeError) })
	}
	b = protowire.AppendTag(b, 16, protowire.Fixed32Type) // flags
	return protowire.AppendFixed32(b, uint32(sc.TraceFlags()))
}

func appendEvent(b []byte, e sdktrace.Event) []byte {
	b = appendTime(b, 1, e.Time)
	b = appendText(b, 2, e.Name)
	return appendAttrs(b, 3, e.Attributes)
}

func appendRecord(b []byte, r record) []byte {
	const severityInfo = 9
	b = appendTime(b, 1, r.at)
	b = appendVarint(b, 2, severityInfo)
	b = appendAttrs(b, 6, r.attrs)
	b = appendAttr(b, 6, attribute.String("event.name", r.event))
	if r.trace.IsValid() {
		b = appendBytes(b, 9, r.trace[:])
		b = appendBytes(b, 10, r.span[:])
	}
	b = appendTime(b, 11, r.at)
	return appendText(b, 12, r.event)
}

func appendAttrs(b []byte, field protowire.Number, attrs []attribute.KeyValue) []byte {
	for _, a := range attrs {
		b = appendAttr(b, field, a)
	}
	return b
}

func appendAttr(b []byte, field protowire.Number, a attribute.KeyValue) []byte {
	return nested(b, field, func(b []byte) []byte {
		b = appendText(b, 1, string(a.Key))
		return nested(b, 2, func(b []byte) []byte { return appendValue(b, a.Value) })
	})
}

func appendValue(b []byte, v attribute.Value) []byte {
	switch v.Type() {
	case attribute.BOOL:
		return appendVarint(b, 2, protowire.EncodeBool(v.AsBool()))
	case attribute.INT64:
		return appendVarint(b, 3, uint64(v.AsInt64()))
	case attribute.FLOAT64:
		b = protowire.AppendTag(b, 4, protowire.Fixed64Type)
		return protowire.AppendFixed64(b, math.Float64bits(v.AsFloat64()))
	case attribute.STRINGSLICE:
		return nested(b, 5, func(b []byte) []byte { // array_value
			for _, s := range v.AsStringSlice() {
				b = nested(b, 1, func(b []byte) []byte { return appendText(b, 1, s) })
			}
			return b
		})
	case attribute.STRING:
		return appendText(b, 1, v.AsString())
	default:
		return appendText(b, 1, v.String())
	}
}

// nested appends a message. Its length is known only when it is written, and
// is mostly one byte: more make room by moving the message.
func nested(b []byte, field protowire.Number, message func([]byte) []byte) []byte {
	b = protowire.AppendTag(b, field, protowire.BytesType)
	start := len(b)
	b = message(append(b, 0))
	n := len(b) - start - 1
	if more := protowire.SizeVarint(uint64(n)) - 1; more > 0 {
		b = append(b, make([]byte, more)...)
		copy(b[start+1+more:], b[start+1:start+1+n])
	}
	protowire.AppendVarint(b[:start], uint64(n))
	return b
}

// appendIDs appends the trace's and the span's id as two fields in a row.
func appendIDs(b []byte, field protowire.Number, sc trace.SpanContext) []byte {
	traceID, spanID := sc.TraceID(), sc.SpanID()
	return appendBytes(appendBytes(b, field, traceID[:]), field+1, spanID[:])
}

func appendBytes(b []byte, field protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), value)
}

// cutText is the beginning of a text, at most so many bytes of whole letters.
func cutText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}

// appendText appends a string. One that is not UTF-8 would have the whole request
// refused, and a very long one its span.
func appendText(b []byte, field protowire.Number, value string) []byte {
	value = cutText(strings.ToValidUTF8(value, "\uFFFD"), semconv.MaxString)
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), value)
}

func appendVarint(b []byte, field protowire.Number, value uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), value)
}

func appendTime(b []byte, field protowire.Number, at time.Time) []byte {
	b = protowire.AppendTag(b, field, protowire.Fixed64Type)
	return protowire.AppendFixed64(b, uint64(max(at.UnixNano(), 0)))
}
