package main

import (
	"encoding/binary"
	"fmt"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// phases are a reconcile's, with how long each takes.
var phases = []struct {
	name  string
	takes time.Duration
}{
	{semconv.SpanDequeue, time.Millisecond},
	{semconv.SpanFetch, time.Millisecond},
	{semconv.SpanCompute, 2 * time.Millisecond},
	{semconv.SpanApply, 4 * time.Millisecond},
	{semconv.SpanRequeue, time.Millisecond},
}

// spansEach is how many spans one reconcile with so many writes has: its phases, its writes and the root.
func spansEach(writes int) int { return len(phases) + writes + 1 }

// controller makes the spans of one controller, numbered as the contract says.
type controller struct {
	name   string
	epoch  string
	number uint64
	items  int
	writes int // of each reconcile
	seq    int64
	made   uint64
}

// batch is a request with the reconciles that ended at the given times.
func (c *controller) batch(ended []time.Time, failing func(n uint64) bool) ptraceotlp.ExportRequest {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	c.describe(rs.Resource())
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName(semconv.ScopeName)
	ss.Scope().Attributes().PutStr(semconv.AttrEmitterEpoch, c.epoch)
	ss.Scope().Attributes().PutInt(semconv.AttrEmitterFirstSeq, c.seq+1)
	ss.Spans().EnsureCapacity(len(ended) * spansEach(c.writes))
	for _, at := range ended {
		c.made++
		c.pass(ss.Spans(), at, failing(c.made))
	}
	ss.Scope().Attributes().PutInt(semconv.AttrEmitterLastSeq, c.seq)
	return ptraceotlp.NewExportRequestFromTraces(td)
}

func (c *controller) describe(r pcommon.Resource) {
	r.Attributes().PutStr(semconv.AttrServiceName, c.name)
	r.Attributes().PutStr(semconv.AttrServiceInstanceID, c.name+"-"+c.epoch)
}

// pass adds one reconcile that ended at the given time.
func (c *controller) pass(spans ptrace.SpanSlice, ended time.Time, fails bool) {
	var trace pcommon.TraceID
	binary.BigEndian.PutUint64(trace[:], c.newest())
	copy(trace[8:], c.epoch)
	root := c.id(0)
	from := ended
	for _, p := range phases {
		from = from.Add(-p.takes)
	}
	began := from
	for i, p := range phases {
		s := c.span(spans, trace, i+1, p.name, from, from.Add(p.takes))
		s.SetParentSpanID(root)
		if p.name == semconv.SpanDequeue {
			s.Attributes().PutEmptySlice(semconv.AttrCauseCounts).AppendEmpty().SetStr(semconv.CauseUpdate + "=1")
		}
		if p.name == semconv.SpanApply {
			each := p.takes / time.Duration(max(1, c.writes))
			for w := range c.writes {
				sent := from.Add(time.Duration(w) * each)
				c.write(c.span(spans, trace, len(phases)+1+w, semconv.SpanWrite, sent, sent.Add(each)), c.id(i+1), fails)
			}
		}
		from = from.Add(p.takes)
	}
	c.root(c.span(spans, trace, 0, semconv.SpanReconcilePrefix+c.name, began, ended).Attributes(), fails)
}

// newest is the newest reconcile's number, which no other controller's has.
func (c *controller) newest() uint64 { return c.number<<40 | c.made }

// id is a span's: n counts within its reconcile.
func (c *controller) id(n int) (id pcommon.SpanID) {
	binary.BigEndian.PutUint64(id[:], c.newest()<<8|uint64(n)+1)
	return id
}

func (c *controller) span(spans ptrace.SpanSlice, trace pcommon.TraceID, n int, name string, from, to time.Time) ptrace.Span {
	s := spans.AppendEmpty()
	s.SetName(name)
	s.SetTraceID(trace)
	s.SetSpanID(c.id(n))
	s.SetStartTimestamp(pcommon.NewTimestampFromTime(from))
	s.SetEndTimestamp(pcommon.NewTimestampFromTime(to))
	c.seq++
	s.Attributes().PutInt(semconv.AttrSeq, c.seq)
	return s
}

func (c *controller) write(s ptrace.Span, parent pcommon.SpanID, fails bool) {
	s.SetParentSpanID(parent)
	a := s.Attributes()
	a.PutStr(semconv.AttrHTTPMethod, "PUT")
	a.PutInt(semconv.AttrHTTPStatus, 200)
	a.PutStr(semconv.AttrWriteResource, "podsets")
	a.PutStr(semconv.AttrWriteName, c.item())
	if fails {
		a.PutInt(semconv.AttrHTTPStatus, 409)
		a.PutStr(semconv.AttrErrorType, "Conflict")
	}
}

func (c *controller) root(a pcommon.Map, fails bool) {
	a.PutStr(semconv.AttrController, c.name)
	a.PutStr(semconv.AttrObjectKind, "PodSet")
	a.PutStr(semconv.AttrNamespace, "default")
	a.PutStr(semconv.AttrObjectName, c.item())
	a.PutStr(semconv.AttrResult, semconv.ResultSuccess)
	if fails {
		a.PutStr(semconv.AttrResult, semconv.ResultError)
		a.PutStr(semconv.AttrErrorType, "Conflict")
	}
}

func (c *controller) item() string { return fmt.Sprintf("item-%d", c.made%uint64(c.items)) }

// state is the record with which a controller says that it is alive.
func (c *controller) state(now time.Time) plogotlp.ExportRequest {
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	c.describe(rl.Resource())
	sl := rl.ScopeLogs().AppendEmpty()
	sl.Scope().SetName(semconv.ScopeName)
	record := sl.LogRecords().AppendEmpty()
	record.SetEventName(semconv.LogControllerState)
	record.SetTimestamp(pcommon.NewTimestampFromTime(now))
	record.Attributes().PutStr(semconv.AttrController, c.name)
	record.Attributes().PutStr(semconv.AttrObjectKind, "PodSet")
	record.Attributes().PutInt(semconv.AttrStateWorkers, 1)
	record.Attributes().PutStr(semconv.AttrStateLease, semconv.LeaseNone)
	return plogotlp.NewExportRequestFromLogs(ld)
}
