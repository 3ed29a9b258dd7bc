package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"pgregory.net/rapid"

	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/server/journal"
	"github.com/reconcile-tracer/tracer/server/otlp"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// t0 is when the sessions of the tests begin, in microseconds.
const t0 = int64(1_767_225_600_000_000)

// failer is what a test and a drawn test have in common.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// fold is what the hub makes of blocks: their rows as JSON, and notes of what
// was damaged or lost.
func fold(t failer, blocks []journal.Block) (rows, notes []string) {
	t.Helper()
	state := flow.New(flow.Limits{})
	for _, b := range blocks {
		if b.Err != nil {
			notes = append(notes, fmt.Sprintf("block %d is damaged", b.Offset))
			continue
		}
		for _, r := range b.Records {
			if _, err := otlp.Decode(otlp.Kind(r.Kind), r.Payload); err != nil {
				notes = append(notes, fmt.Sprintf("block %d holds a record of kind %d: %s", b.Offset, r.Kind, r.Payload))
			}
		}
		state.Step(inputOf(b))
	}
	notes = append(notes, fmt.Sprintf("at %d, %d", state.Offset(), state.Now()))
	for _, row := range state.Rows() {
		line, err := json.Marshal(row)
		if err != nil {
			t.Fatalf("%v", err)
		}
		rows = append(rows, string(line))
	}
	return rows, notes
}

// inputOf is what the fold is given of a block.
func inputOf(b journal.Block) flow.Input {
	var batch otlp.Batch
	for _, r := range b.Records {
		part, _ := otlp.Decode(otlp.Kind(r.Kind), r.Payload) // what is none is noted elsewhere
		batch.Add(part)
	}
	return flow.Input{Offset: b.Offset, Now: b.At, Spans: batch.Spans, Logs: batch.Logs, Emitters: batch.Emitters}
}

func write(t failer, blocks []journal.Block, zipped bool, cut Cut) ([]byte, Counts) {
	t.Helper()
	var file bytes.Buffer
	w := NewWriter(&file, zipped, cut)
	for _, b := range blocks {
		if err := w.Write(b); err != nil {
			t.Fatalf("writing block %d: %v", b.Offset, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatalf("%v", err)
	}
	return file.Bytes(), w.Counts()
}

func read(t failer, file []byte) ([]journal.Block, Summary) {
	t.Helper()
	var blocks []journal.Block
	sum, err := Read(bytes.NewReader(file), func(b journal.Block) error {
		blocks = append(blocks, b)
		return nil
	})
	if err != nil {
		t.Fatalf("reading: %v", err)
	}
	return blocks, sum
}

// session draws a journal: passes of some controllers in one or two processes, with their
// log records, quiet seconds, damage and losses.
func session(t *rapid.T) []journal.Block {
	s := &drawn{t: t, at: t0}
	offset := rapid.Uint64Range(1, 5).Draw(t, "first offset")
	for range rapid.IntRange(0, 12).Draw(t, "blocks") {
		b := journal.Block{Offset: offset, At: s.at}
		switch rapid.IntRange(0, 9).Draw(t, "kind of block") {
		case 0:
			b.Err = errors.New("the checksum is wrong")
		case 1: // time passes
		case 2:
			b.Records = append(b.Records, journal.Record{Kind: journal.KindLoss, Payload: []byte(`{"first":7,"last":9,"epoch":"kabc"}`)})
		default:
			for range rapid.IntRange(1, 3).Draw(t, "records") {
				b.Records = append(b.Records, s.record())
			}
		}
		s.blocks = append(s.blocks, b)
		offset += rapid.Uint64Range(1, 2).Draw(t, "step")
		s.at += rapid.Int64Range(0, 3_000_000).Draw(t, "time")
	}
	return s.blocks
}

// drawn is a session that is being drawn.
type drawn struct {
	t      *rapid.T
	at     int64
	ids    byte
	seq    [2]int64
	blocks []journal.Block
}

var controllers = []string{"podset", "checkup"}

func (s *drawn) record() journal.Record {
	process := rapid.IntRange(0, 1).Draw(s.t, "process")
	if rapid.IntRange(0, 3).Draw(s.t, "signal") == 0 {
		return journal.Record{Kind: journal.KindLogs, Payload: s.logs(process)}
	}
	return journal.Record{Kind: journal.KindTraces, Payload: s.traces(process)}
}

func describe(process int, resource, scope pcommon.Map) {
	resource.PutStr(semconv.AttrServiceInstanceID, fmt.Sprintf("instance-%d", process))
	resource.PutStr(semconv.AttrServiceName, "ünïcode \" \\ \n")
	resource.PutDouble("load", 0.1)
	resource.PutEmptyBytes("raw").FromRaw([]byte{0, 255, 10})
	resource.PutEmptyMap("nested").PutEmptySlice("list").AppendEmpty().SetBool(true)
	scope.PutStr(semconv.AttrEmitterEpoch, "e1")
}

func (s *drawn) traces(process int) []byte {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName(semconv.ScopeName)
	describe(process, rs.Resource().Attributes(), ss.Scope().Attributes())
	first := s.seq[process] + 1
	for range rapid.IntRange(1, 3).Draw(s.t, "passes") {
		s.pass(ss.Spans(), process)
	}
	ss.Scope().Attributes().PutInt(semconv.AttrEmitterFirstSeq, first)
	ss.Scope().Attributes().PutInt(semconv.AttrEmitterLastSeq, s.seq[process]+rapid.Int64Range(0, 1).Draw(s.t, "lost"))
	data, err := ptraceotlp.NewExportRequestFromTraces(td).MarshalProto()
	if err != nil {
		s.t.Fatalf("%v", err)
	}
	return data
}

func (s *drawn) pass(spans ptrace.SpanSlice, process int) {
	s.ids++
	controller := rapid.SampledFrom(controllers).Draw(s.t, "controller")
	root := pcommon.SpanID{1, s.ids}
	took := rapid.Int64Range(100, 5_000_000).Draw(s.t, "took")
	from := s.at - took
	for i, name := range []string{semconv.SpanDequeue, semconv.SpanFetch, semconv.SpanApply, semconv.SpanWrite, semconv.SpanReconcilePrefix + controller} {
		s.seq[process]++
		span := spans.AppendEmpty()
		span.SetName(name)
		span.SetTraceID(pcommon.TraceID{9, s.ids})
		span.SetSpanID(pcommon.SpanID{byte(i + 2), s.ids})
		span.SetParentSpanID(root)
		span.SetStartTimestamp(pcommon.Timestamp((from + int64(i)*took/8) * 1000))
		span.SetEndTimestamp(pcommon.Timestamp((from+int64(i+1)*took/8)*1000 + 999))
		span.Attributes().PutInt(semconv.AttrSeq, s.seq[process])
		switch name {
		case semconv.SpanDequeue:
			cause(span.Events().AppendEmpty(), s.ids-1)
		case semconv.SpanWrite:
			written(span.Attributes(), s.ids)
		case semconv.SpanReconcilePrefix + controller:
			span.SetSpanID(root)
			span.SetParentSpanID(pcommon.SpanID{})
			span.SetEndTimestamp(pcommon.Timestamp(s.at * 1000))
			s.root(span.Attributes(), controller)
		}
	}
}

// cause names the version that the pass before wrote.
func cause(e ptrace.SpanEvent, before byte) {
	e.SetName(semconv.EventCause)
	e.Attributes().PutStr(semconv.AttrCause, semconv.CauseUpdate)
	e.Attributes().PutStr(semconv.AttrCauseBy, semconv.ByUnknown)
	e.Attributes().PutStr(semconv.AttrCauseObjectUID, "uid")
	e.Attributes().PutStr(semconv.AttrCauseObjectRV, fmt.Sprint(before))
}

func written(a pcommon.Map, version byte) {
	a.PutStr(semconv.AttrHTTPMethod, "PUT")
	a.PutInt(semconv.AttrHTTPStatus, 200)
	a.PutStr(semconv.AttrWriteResource, "podsets")
	a.PutStr(semconv.AttrWriteUID, "uid")
	a.PutStr(semconv.AttrWriteResourceVersionNew, fmt.Sprint(version))
}

func (s *drawn) root(a pcommon.Map, controller string) {
	a.PutStr(semconv.AttrController, controller)
	a.PutStr(semconv.AttrResult, rapid.SampledFrom([]string{semconv.ResultSuccess, semconv.ResultError, semconv.ResultRequeueAfter}).Draw(s.t, "result"))
	a.PutStr(semconv.AttrNamespace, "default")
	a.PutStr(semconv.AttrObjectName, rapid.SampledFrom([]string{"web", "api"}).Draw(s.t, "item"))
	a.PutStr(semconv.AttrObjectKind, "PodSet")
	a.PutInt(semconv.AttrRequeueDelayMS, rapid.Int64Range(0, 5000).Draw(s.t, "delay"))
}

func (s *drawn) logs(process int) []byte {
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	sl := rl.ScopeLogs().AppendEmpty()
	describe(process, rl.Resource().Attributes(), sl.Scope().Attributes())
	record := sl.LogRecords().AppendEmpty()
	record.SetTimestamp(pcommon.Timestamp(s.at * 1000))
	record.SetEventName(rapid.SampledFrom([]string{semconv.LogControllerState, semconv.LogQueueItem, "something.else"}).Draw(s.t, "event"))
	a := record.Attributes()
	a.PutStr(semconv.AttrController, rapid.SampledFrom(controllers).Draw(s.t, "controller"))
	a.PutStr(semconv.AttrNamespace, "default")
	a.PutStr(semconv.AttrObjectName, "web")
	a.PutInt(semconv.AttrItemReadySince, s.at*1000)
	a.PutInt(semconv.AttrStateWorkers, 2)
	data, err := plogotlp.NewExportRequestFromLogs(ld).MarshalProto()
	if err != nil {
		s.t.Fatalf("%v", err)
	}
	return data
}

func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
