package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// sink is a hub that keeps the requests it gets.
type sink struct {
	mu     sync.Mutex
	traces []ptraceotlp.ExportRequest
	alive  int
}

func (s *sink) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.URL.Path == "/v1/logs" {
		s.alive++
		return
	}
	req := ptraceotlp.NewExportRequest()
	if err := req.UnmarshalProto(body); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.traces = append(s.traces, req)
}

func TestTheLoadIsOpenLoopAndNumberedWithoutHoles(t *testing.T) {
	hub := &sink{}
	server := httptest.NewServer(hub)
	defer server.Close()
	var out bytes.Buffer
	o := options{hub: server.URL, token: "t", controllers: 2, items: 3, writes: 2, rate: 500, errors: 0.1, lasting: 300 * time.Millisecond}
	if err := run(context.Background(), o, &out); err != nil {
		t.Fatal(err)
	}
	var said sent
	if err := json.Unmarshal(out.Bytes(), &said); err != nil {
		t.Fatal(err)
	}
	if said.Reconciles < 100 || said.Refused > 0 || said.Spans != said.Reconciles*uint64(spansEach(o.writes)) || hub.alive == 0 {
		t.Errorf("it says %+v, told %d times that it is alive; want at least 100 reconciles and no refusal", said, hub.alive)
	}
	spans, errs := hub.count(t)
	if uint64(spans) != said.Spans {
		t.Errorf("the hub got %d spans, the load says %d", spans, said.Spans)
	}
	if want := int(said.Reconciles) / 10; errs < want-2 || errs > want+2 {
		t.Errorf("%d of %d reconciles fail, want a tenth", errs, said.Reconciles)
	}
}

// count counts spans and failed reconciles, and holds the numbers to the contract.
func (s *sink) count(t *testing.T) (spans, errs int) {
	last := map[string]int64{}
	ids := map[string]bool{}
	traces := map[string]string{}
	seen := map[string]map[int64]bool{}
	for _, req := range s.traces {
		rs := req.Traces().ResourceSpans().At(0)
		who, _ := rs.Resource().Attributes().Get(semconv.AttrServiceInstanceID)
		ss := rs.ScopeSpans().At(0)
		if seen[who.Str()] == nil {
			seen[who.Str()] = map[int64]bool{}
		}
		to, _ := ss.Scope().Attributes().Get(semconv.AttrEmitterLastSeq)
		last[who.Str()] = max(last[who.Str()], to.Int())
		for _, span := range ss.Spans().All() {
			spans++
			seq, _ := span.Attributes().Get(semconv.AttrSeq)
			seen[who.Str()][seq.Int()] = true
			ids[span.SpanID().String()] = true
			if other := traces[span.TraceID().String()]; other != "" && other != who.Str() {
				t.Fatalf("%s and %s share the trace %s: a hub takes their reconciles for one", who.Str(), other, span.TraceID())
			}
			traces[span.TraceID().String()] = who.Str()
			if result, ok := span.Attributes().Get(semconv.AttrResult); ok && result.Str() == semconv.ResultError {
				errs++
			}
		}
	}
	for who, n := range last {
		if int64(len(seen[who])) != n {
			t.Errorf("%s has numbered to %d and sent %d", who, n, len(seen[who]))
		}
	}
	if len(ids) != spans {
		t.Errorf("%d spans have %d ids", spans, len(ids))
	}
	return spans, errs
}

func TestOptionsThatCannotWorkSayWhy(t *testing.T) {
	good := options{token: "t", controllers: 1, items: 1, rate: 1}
	for want, change := range map[string]func(*options){
		"-ingest-token": func(o *options) { o.token = "" },
		"-controllers":  func(o *options) { o.controllers = 0 },
		"-rate":         func(o *options) { o.rate = 0 },
		"-errors":       func(o *options) { o.errors = 2 },
	} {
		o := good
		change(&o)
		if err := run(context.Background(), o, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error that names %s, got %v", want, err)
		}
	}
}
