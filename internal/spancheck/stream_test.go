package spancheck

import (
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

const (
	second  = 1_700_000_000_000_000_000
	rootKey = semconv.SpanReconcilePrefix + "podset"
)

// stream is one request with a whole reconcile, and one with log records, for a
// test to break.
type stream struct {
	traces ptrace.Traces
	scope  ptrace.ScopeSpans
	spans  map[string]ptrace.Span
	logs   plog.Logs
	state  plog.LogRecord
	item   plog.LogRecord
}

func newStream() *stream {
	s := &stream{traces: ptrace.NewTraces(), logs: plog.NewLogs(), spans: map[string]ptrace.Span{}}
	rs := s.traces.ResourceSpans().AppendEmpty()
	describeProcess(rs.Resource())
	s.scope = rs.ScopeSpans().AppendEmpty()
	s.scope.Scope().SetName(semconv.ScopeName)
	a := s.scope.Scope().Attributes()
	a.PutStr(semconv.AttrEmitterEpoch, "e")
	a.PutInt(semconv.AttrEmitterFirstSeq, 1)
	a.PutInt(semconv.AttrEmitterLastSeq, 8)
	s.add(1, 0, rootKey, 0, 50)
	s.add(2, 1, semconv.SpanDequeue, 0, 10)
	s.add(3, 1, semconv.SpanFetch, 10, 20)
	s.add(4, 3, semconv.SpanRead, 11, 12)
	s.add(5, 1, semconv.SpanCompute, 20, 30)
	s.add(6, 1, semconv.SpanApply, 30, 40)
	s.add(7, 6, semconv.SpanWrite, 31, 39)
	s.add(8, 1, semconv.SpanRequeue, 40, 50)
	s.fill()
	return s
}

func describeProcess(r pcommon.Resource) {
	r.Attributes().PutStr(semconv.AttrServiceName, "podset")
	r.Attributes().PutStr(semconv.AttrServiceInstanceID, "i-1")
}

// add adds span n; its times are milliseconds.
func (s *stream) add(n, parent byte, name string, from, to int) ptrace.Span {
	sp := s.scope.Spans().AppendEmpty()
	sp.SetName(name)
	sp.SetTraceID(pcommon.TraceID{9})
	sp.SetSpanID(pcommon.SpanID{n})
	if parent != 0 {
		sp.SetParentSpanID(pcommon.SpanID{parent})
	}
	sp.SetStartTimestamp(at(from))
	sp.SetEndTimestamp(at(to))
	sp.Attributes().PutInt(semconv.AttrSeq, int64(n))
	s.spans[name] = sp
	return sp
}

func at(ms int) pcommon.Timestamp { return pcommon.Timestamp(second + ms*1_000_000) }

func (s *stream) fill() {
	root := s.spans[rootKey].Attributes()
	root.PutStr(semconv.AttrController, "podset")
	root.PutStr(semconv.AttrObjectName, "web")
	root.PutStr(semconv.AttrResult, semconv.ResultSuccess)
	cause := s.spans[semconv.SpanDequeue].Events().AppendEmpty()
	cause.SetName(semconv.EventCause)
	cause.SetTimestamp(at(0))
	cause.Attributes().PutStr(semconv.AttrCause, semconv.CauseAdd)
	plan := s.spans[semconv.SpanCompute].Events().AppendEmpty()
	plan.SetName(semconv.EventPlanAction)
	plan.SetTimestamp(at(29))
	plan.Attributes().PutStr(semconv.AttrActionVerb, "create")
	plan.Attributes().PutStr(semconv.AttrActionSummary, "create 1 Pod")
	read := s.spans[semconv.SpanRead].Attributes()
	read.PutStr(semconv.AttrReadSource, semconv.ReadCache)
	read.PutStr(semconv.AttrReadKind, "Pod")
	s.spans[semconv.SpanWrite].SetKind(ptrace.SpanKindClient)
	write := s.spans[semconv.SpanWrite].Attributes()
	write.PutStr(semconv.AttrHTTPMethod, "POST")
	write.PutInt(semconv.AttrHTTPStatus, 201)
	write.PutStr(semconv.AttrWriteResource, "pods")
	write.PutStr(semconv.AttrWriteResourceVersionNew, "7")
	s.fillLogs()
}

func (s *stream) fillLogs() {
	rl := s.logs.ResourceLogs().AppendEmpty()
	describeProcess(rl.Resource())
	sl := rl.ScopeLogs().AppendEmpty()
	sl.Scope().SetName(semconv.ScopeName)
	s.state, s.item = sl.LogRecords().AppendEmpty(), sl.LogRecords().AppendEmpty()
	for event, l := range map[string]plog.LogRecord{semconv.LogControllerState: s.state, semconv.LogQueueItem: s.item} {
		l.SetEventName(event)
		l.SetTimestamp(at(1))
		l.Attributes().PutStr(semconv.AttrController, "podset")
	}
	s.item.Attributes().PutStr(semconv.AttrObjectName, "web")
}

// remove drops the spans of one name and the seq of the rest.
func (s *stream) remove(name string) {
	s.scope.Spans().RemoveIf(func(sp ptrace.Span) bool { return sp.Name() == name })
	s.unnumber()
}

func (s *stream) unnumber() {
	s.scope.Scope().Attributes().Clear()
	for _, sp := range s.scope.Spans().All() {
		sp.Attributes().Remove(semconv.AttrSeq)
	}
}

// lines are the stream as the file exporter writes it.
func (s *stream) lines(t *testing.T) string {
	t.Helper()
	logs, err := (&plog.JSONMarshaler{}).MarshalLogs(s.logs)
	if err != nil {
		t.Fatal(err)
	}
	traces, err := (&ptrace.JSONMarshaler{}).MarshalTraces(s.traces)
	if err != nil {
		t.Fatal(err)
	}
	return string(logs) + "\n" + string(traces) + "\n"
}

// lastNumber gives requeue, the last span, another number, and says so in the
// request.
func (s *stream) lastNumber(n int64) {
	s.spans[semconv.SpanRequeue].Attributes().PutInt(semconv.AttrSeq, n)
	s.claim(1, n)
}

func (s *stream) claim(first, last int64) {
	s.scope.Scope().Attributes().PutInt(semconv.AttrEmitterFirstSeq, first)
	s.scope.Scope().Attributes().PutInt(semconv.AttrEmitterLastSeq, last)
}

// drag moves all numbers up.
func (s *stream) drag(by int64) {
	for _, sp := range s.spans {
		n, _ := number(sp.Attributes(), semconv.AttrSeq)
		sp.Attributes().PutInt(semconv.AttrSeq, n+by)
	}
	s.claim(1+by, 8+by)
}
