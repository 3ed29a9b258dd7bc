package tracer

import (
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

var (
	testIdentity = identity{resource: []attribute.KeyValue{attribute.String("service.name", "shop")}, epoch: "e"}
	testSpanIDs  = trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID{15: 1}, SpanID: trace.SpanID{7: 2}, TraceFlags: trace.FlagsSampled,
	})
	testStart = time.Unix(5, 6)
)

// full is a span with everything that a span can have.
func full() sdktrace.ReadOnlySpan {
	return tracetest.SpanStub{
		Name: "write", SpanContext: testSpanIDs, Parent: testSpanIDs.WithSpanID(trace.SpanID{7: 3}),
		SpanKind: trace.SpanKindClient, StartTime: testStart, EndTime: testStart.Add(time.Second),
		Attributes: []attribute.KeyValue{
			attribute.Bool("b", true), attribute.Int("i", -7), attribute.Float64("f", 1.5),
			attribute.StringSlice("l", []string{"x", ""}), attribute.String("long", strings.Repeat("y", 20000)),
			attribute.Int64Slice("other", []int64{1, 2}), attribute.String("bad", "\xff"),
		},
		Events: []sdktrace.Event{{Name: "cause", Time: testStart, Attributes: []attribute.KeyValue{attribute.Bool("no", false)}}},
		Links:  []sdktrace.Link{{SpanContext: testSpanIDs}},
		Status: sdktrace.Status{Code: codes.Error, Description: "is not sent"},
	}.Snapshot()
}

func textValue(s string) *commonpb.AnyValue {
	return &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: s}}
}

func number(n int64) *commonpb.AnyValue {
	return &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: n}}
}

func boolean(b bool) *commonpb.AnyValue {
	return &commonpb.AnyValue{Value: &commonpb.AnyValue_BoolValue{BoolValue: b}}
}

func wantScope(more ...*commonpb.KeyValue) *commonpb.InstrumentationScope {
	return &commonpb.InstrumentationScope{Name: semconv.ScopeName, Version: semconv.Version, Attributes: append([]*commonpb.KeyValue{
		{Key: semconv.AttrEmitterEpoch, Value: textValue("e")}, {Key: semconv.AttrEmitterDropped, Value: number(9)},
	}, more...)}
}

func wantResource() *resourcepb.Resource {
	return &resourcepb.Resource{Attributes: []*commonpb.KeyValue{{Key: "service.name", Value: textValue("shop")}}}
}

func wantSpan() *tracepb.Span {
	list := &commonpb.ArrayValue{Values: []*commonpb.AnyValue{textValue("x"), textValue("")}}
	return &tracepb.Span{
		TraceId: append(make([]byte, 15), 1), SpanId: append(make([]byte, 7), 2), ParentSpanId: append(make([]byte, 7), 3),
		Name: "write", Kind: tracepb.Span_SPAN_KIND_CLIENT, StartTimeUnixNano: 5_000_000_006, EndTimeUnixNano: 6_000_000_006,
		Attributes: []*commonpb.KeyValue{
			{Key: "b", Value: boolean(true)}, {Key: "i", Value: number(-7)},
			{Key: "f", Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_DoubleValue{DoubleValue: 1.5}}},
			{Key: "l", Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_ArrayValue{ArrayValue: list}}},
			{Key: "long", Value: textValue(strings.Repeat("y", semconv.MaxString))},
			{Key: "other", Value: textValue("[1,2]")}, {Key: "bad", Value: textValue("\uFFFD")},
			{Key: semconv.AttrSeq, Value: number(4)},
		},
		Events: []*tracepb.Span_Event{{
			TimeUnixNano: 5_000_000_006, Name: "cause", Attributes: []*commonpb.KeyValue{{Key: "no", Value: boolean(false)}},
		}},
		Links:  []*tracepb.Span_Link{{TraceId: append(make([]byte, 15), 1), SpanId: append(make([]byte, 7), 2)}},
		Status: &tracepb.Status{Code: tracepb.Status_STATUS_CODE_ERROR},
		Flags:  1,
	}
}

// What is written by hand is what the published messages read.
func TestEncodedSpansReadAsOTLP(t *testing.T) {
	body := testIdentity.encodeSpans(nil, spanBatch{spans: []numbered{{4, full()}}, first: 3, last: 4, dropped: 9})
	want := &tracepb.TracesData{ResourceSpans: []*tracepb.ResourceSpans{{
		Resource: wantResource(),
		ScopeSpans: []*tracepb.ScopeSpans{{
			Scope: wantScope(&commonpb.KeyValue{Key: semconv.AttrEmitterFirstSeq, Value: number(3)},
				&commonpb.KeyValue{Key: semconv.AttrEmitterLastSeq, Value: number(4)}),
			Spans: []*tracepb.Span{wantSpan()},
		}},
	}}}
	wantMessage(t, body, new(tracepb.TracesData), want)
}

func TestEncodedRecordsReadAsOTLP(t *testing.T) {
	r := record{
		at: testStart, event: "hold", trace: testSpanIDs.TraceID(), span: testSpanIDs.SpanID(),
		attrs: []attribute.KeyValue{attribute.Int("n", 1)},
	}
	body := testIdentity.encodeRecords([]byte{}, []record{r}, 9)
	want := &logspb.LogsData{ResourceLogs: []*logspb.ResourceLogs{{
		Resource: wantResource(),
		ScopeLogs: []*logspb.ScopeLogs{{Scope: wantScope(), LogRecords: []*logspb.LogRecord{{
			TimeUnixNano: 5_000_000_006, ObservedTimeUnixNano: 5_000_000_006,
			SeverityNumber: logspb.SeverityNumber_SEVERITY_NUMBER_INFO, EventName: "hold",
			TraceId: append(make([]byte, 15), 1), SpanId: append(make([]byte, 7), 2),
			Attributes: []*commonpb.KeyValue{{Key: "n", Value: number(1)}, {Key: "event.name", Value: textValue("hold")}},
		}}}},
	}}}
	wantMessage(t, body, new(logspb.LogsData), want)
}

func wantMessage(t *testing.T, body []byte, got, want proto.Message) {
	t.Helper()
	if err := proto.Unmarshal(body, got); err != nil {
		t.Fatal(err)
	}
	if !proto.Equal(got, want) {
		t.Errorf("got\n%v\nwant\n%v", got, want)
	}
}

// Buffers are used again, so that a batch costs next to no memory.
func TestEncodingAllocatesLittle(t *testing.T) {
	batch := spanBatch{spans: []numbered{{1, full()}}, first: 1, last: 1}
	buf := testIdentity.encodeSpans(nil, batch)
	if n := testing.AllocsPerRun(100, func() { buf = testIdentity.encodeSpans(buf[:0], batch) }); n > 8 {
		t.Errorf("%v allocations for a span", n)
	}
}
