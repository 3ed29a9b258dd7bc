package reconciler

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/server/otlp"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// sink is a hub that only listens.
type sink struct {
	server *httptest.Server

	mu     sync.Mutex
	passes map[string]*pass
	order  []string
	items  map[string]pcommon.Map
	// inputs are what came, for a fold.
	inputs []flow.Input
}

// pass is one reconcile as its spans tell it.
type pass struct {
	id     string
	item   string
	result string
	errs   string
	done   bool
	phases []string
	causes []seenCause
	plan   []string
	reads  []pcommon.Map
	writes []seenWrite
	// delayMS is until the next try, ignoredMS what was asked for in vain.
	delayMS, ignoredMS float64
	readsStale         []string
}

type seenCause struct{ what, by, kind, name, version, write string }

type seenWrite struct {
	span, method, resource, subresource, before, after string
	status                                             int64
}

func newSink(t *testing.T) *sink {
	s := &sink{passes: map[string]*pass{}, items: map[string]pcommon.Map{}}
	s.server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.server.Close)
	return s
}

func (s *sink) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(unzipped(r))
	if err == nil && r.URL.Path == "/v1/traces" {
		err = s.takeSpans(body)
	} else if err == nil && r.URL.Path == "/v1/logs" {
		err = s.takeLogs(body)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
}

func unzipped(r *http.Request) io.Reader {
	if r.Header.Get("Content-Encoding") != "gzip" {
		return r.Body
	}
	reader, err := gzip.NewReader(r.Body)
	if err != nil {
		return r.Body
	}
	return reader
}

func (s *sink) takeSpans(body []byte) error {
	request := ptraceotlp.NewExportRequest()
	if err := request.UnmarshalProto(body); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.keep(otlp.Traces, body); err != nil {
		return err
	}
	for _, resource := range request.Traces().ResourceSpans().All() {
		for _, scope := range resource.ScopeSpans().All() {
			for _, span := range scope.Spans().All() {
				s.take(span)
			}
		}
	}
	return nil
}

func (s *sink) take(span ptrace.Span) {
	id := span.TraceID().String()
	p := s.passes[id]
	if p == nil {
		p = &pass{id: id}
		s.passes[id] = p
		s.order = append(s.order, id)
	}
	a := span.Attributes()
	switch span.Name() {
	case semconv.SpanReconcilePrefix + ControllerName:
		p.done = true
		p.item = text(a, semconv.AttrNamespace) + "/" + text(a, semconv.AttrObjectName)
		p.delayMS, p.ignoredMS = number(a, semconv.AttrRequeueDelayMS), number(a, semconv.AttrRequeueIgnoredMS)
		p.result, p.errs = text(a, semconv.AttrResult), text(a, semconv.AttrErrorType)
	case semconv.SpanRead:
		p.reads = append(p.reads, a)
		p.readsStale = append(p.readsStale, text(a, semconv.AttrReadStale))
	case semconv.SpanWrite:
		p.writes = append(p.writes, writeOf(span))
	default:
		p.phases = append(p.phases, span.Name())
	}
	for _, event := range span.Events().All() {
		p.takeEvent(event)
	}
}

func (p *pass) takeEvent(event ptrace.SpanEvent) {
	a := event.Attributes()
	switch event.Name() {
	case semconv.EventCause:
		p.causes = append(p.causes, seenCause{
			what: text(a, semconv.AttrCause), by: text(a, semconv.AttrCauseBy), kind: text(a, semconv.AttrCauseObjectKind),
			name: text(a, semconv.AttrCauseObjectName), version: text(a, semconv.AttrCauseObjectRV),
			write: text(a, semconv.AttrCauseWriteSpanID),
		})
	case semconv.EventPlanAction:
		p.plan = append(p.plan, text(a, semconv.AttrActionSummary))
	}
}

func writeOf(span ptrace.Span) seenWrite {
	a := span.Attributes()
	status, _ := a.Get(semconv.AttrHTTPStatus)
	return seenWrite{
		span: span.SpanID().String(), method: text(a, semconv.AttrHTTPMethod),
		resource: text(a, semconv.AttrWriteResource), subresource: text(a, semconv.AttrWriteSubresource),
		before: text(a, semconv.AttrWriteResourceVersionOld), after: text(a, semconv.AttrWriteResourceVersionNew),
		status: status.Int(),
	}
}

// takeLogs keeps the newest queue.item record of each item.
func (s *sink) takeLogs(body []byte) error {
	request := plogotlp.NewExportRequest()
	if err := request.UnmarshalProto(body); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.keep(otlp.Logs, body); err != nil {
		return err
	}
	for _, resource := range request.Logs().ResourceLogs().All() {
		for _, scope := range resource.ScopeLogs().All() {
			for _, record := range scope.LogRecords().All() {
				s.takeLog(record)
			}
		}
	}
	return nil
}

func (s *sink) takeLog(record plog.LogRecord) {
	if record.EventName() == semconv.LogQueueItem {
		a := record.Attributes()
		s.items[text(a, semconv.AttrNamespace)+"/"+text(a, semconv.AttrObjectName)] = a
	}
}

// keep notes a request as the hub would journal it. The lock is held.
func (s *sink) keep(kind otlp.Kind, body []byte) error {
	batch, err := otlp.Decode(kind, body)
	s.inputs = append(s.inputs, flow.Input{
		Offset: uint64(len(s.inputs) + 1), Now: time.Now().UnixMicro(), Spans: batch.Spans, Logs: batch.Logs, Emitters: batch.Emitters,
	})
	return err
}

// findings folds what has come, lets the controller be heard of for a while
// without anything else, and returns what the fold finds then. A sink folds
// once, because the fold owns its inputs.
func (s *sink) findings(t testing.TB, after time.Duration) []*flow.Finding {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	state := flow.New(flow.Limits{})
	var from []flow.Emitter
	for _, in := range s.inputs {
		if len(in.Emitters) > 0 {
			from = []flow.Emitter{{Source: in.Emitters[0].Source, Epoch: in.Emitters[0].Epoch}}
		}
		state.Step(in)
	}
	s.inputs = nil
	for at := state.Now(); after > 0; after -= time.Second {
		at += time.Second.Microseconds()
		state.Step(flow.Input{Offset: state.Offset() + 1, Now: at, Emitters: slices.Clone(from)})
	}
	var found []*flow.Finding
	for _, r := range state.Rows() {
		if f, ok := r.(*flow.Finding); ok {
			found = append(found, f)
		}
	}
	return found
}

// atRest says that no worker has the item and that it is neither ready nor
// delayed, as last told.
func (s *sink) atRest(item string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, ok := s.items[item]
	if !ok {
		return false
	}
	for _, facet := range []string{semconv.AttrItemActive, semconv.AttrItemDirty, semconv.AttrItemReadySince, semconv.AttrItemDelayedSince} {
		if v, ok := a.Get(facet); ok && (v.Type() != pcommon.ValueTypeBool || v.Bool()) {
			return false
		}
	}
	return true
}

// readyCauses is how many causes item waits with in the queue, as last told.
func (s *sink) readyCauses(item string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, ok := s.items[item]
	if !ok {
		return 0
	}
	kinds, ok := a.Get(semconv.AttrItemReadyCauses)
	if !ok {
		return 0
	}
	return kinds.Slice().Len()
}

// of returns the finished passes over item, in the order of their first span.
func (s *sink) of(item string) []pass {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []pass
	for _, id := range s.order {
		if p := s.passes[id]; p.done && p.item == item {
			all = append(all, *p)
		}
	}
	return all
}

// planning returns those of passes whose plan has the action summary.
func planning(passes []pass, summary string) []pass {
	return slices.DeleteFunc(slices.Clone(passes), func(p pass) bool { return !slices.Contains(p.plan, summary) })
}

func number(a pcommon.Map, key string) float64 {
	value, ok := a.Get(key)
	if !ok {
		return 0
	}
	return value.Double()
}

func text(a pcommon.Map, key string) string {
	value, ok := a.Get(key)
	if !ok {
		return ""
	}
	return value.AsString()
}
