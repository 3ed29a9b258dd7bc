// Package tracertest is for tests of controllers that use package tracer: a
// Recorder takes what the tracer sends, over real HTTP on the loopback, and
// answers questions like "was it reconciled twice, the second time because of
// its own write".
//
//	rec := tracertest.NewRecorder(t)
//	tr, err := tracer.Start(ctx, tracer.Config{Controller: "podset", Endpoint: rec.URL()})
//	…
//	passes := rec.WaitReconciles("default/a", 2)
//	if passes[1].Causes[0].By != semconv.BySelf { … }
package tracertest

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// waitAtMost bounds every wait; a test that gets there has failed.
const waitAtMost = 10 * time.Second

// Recorder is an OTLP receiver in memory. It is safe for concurrent use.
type Recorder struct {
	tb     testing.TB
	server *httptest.Server
	mux    *http.ServeMux

	mu      sync.Mutex
	changed chan struct{} // closed and made anew on each request
	spans   []Span
	records []Record
	batches []Batch
	who     Attrs
}

// Batch is what one trace request claimed of the emitter's numbers.
type Batch struct {
	Epoch                string
	First, Last, Dropped int64
	Spans                int
}

// NewRecorder starts a recorder that ends with the test.
func NewRecorder(tb testing.TB) *Recorder {
	tb.Helper()
	r := &Recorder{tb: tb, changed: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/traces", r.traces)
	mux.HandleFunc("POST /v1/logs", r.logs)
	r.mux = mux
	r.server = httptest.NewServer(mux)
	tb.Cleanup(r.Close)
	return r
}

// ServeHTTP takes one request, for a test that stands before the recorder.
func (r *Recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) { r.mux.ServeHTTP(w, req) }

// Handle has another handler serve a path of the hub that the recorder does not,
// as package control/presenter does.
func (r *Recorder) Handle(pattern string, h http.Handler) { r.mux.Handle(pattern, h) }

// Close ends the recorder; NewRecorder has the test do so.
func (r *Recorder) Close() { r.server.Close() }

// URL is the endpoint for tracer.Config.
func (r *Recorder) URL() string { return r.server.URL }

// Spans are all spans so far, in the order of their arrival.
func (r *Recorder) Spans() []Span {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.spans)
}

// Records are all log records so far, in the order of their arrival.
func (r *Recorder) Records() []Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.records)
}

// Batches are the claims of all trace requests so far.
func (r *Recorder) Batches() []Batch {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.batches)
}

// Resource is what the newest request told of the emitter, nil before one came.
func (r *Recorder) Resource() Attrs {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.who
}

// Reconciles are the finished reconciles of an item ("namespace/name" or
// "name"; "" is every item), oldest first.
func (r *Recorder) Reconciles(item string) []Reconcile {
	return reconciles(r.Spans(), item)
}

// WaitReconciles waits until n reconciles of item are finished and returns
// them. It fails the test when they do not come in 10 s.
func (r *Recorder) WaitReconciles(item string, n int) []Reconcile {
	r.tb.Helper()
	var out []Reconcile
	ok := r.Wait(func() bool {
		out = r.Reconciles(item)
		return len(out) >= n
	})
	if !ok {
		r.tb.Fatalf("waited for %d reconciles of %q, there are %d", n, item, len(out))
	}
	return out
}

// WaitRecord waits for a log record of that event name which match takes (nil
// takes any). It fails the test when there is none in 10 s.
func (r *Recorder) WaitRecord(event string, match func(Record) bool) Record {
	r.tb.Helper()
	var out Record
	ok := r.Wait(func() bool {
		for _, rec := range r.Records() {
			if rec.Event == event && (match == nil || match(rec)) {
				out = rec
				return true
			}
		}
		return false
	})
	if !ok {
		r.tb.Fatalf("waited for a %s record, none came", event)
	}
	return out
}

// Wait asks cond again on each request that comes until it holds, at most 10 s,
// and tells whether it did.
func (r *Recorder) Wait(cond func() bool) bool {
	deadline := time.After(waitAtMost)
	for {
		r.mu.Lock()
		changed := r.changed
		r.mu.Unlock()
		if cond() {
			return true
		}
		select {
		case <-changed:
		case <-deadline:
			return cond()
		}
	}
}

func (r *Recorder) traces(w http.ResponseWriter, req *http.Request) {
	var data tracepb.TracesData
	if !decode(w, req, &data) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, rs := range data.ResourceSpans {
		r.who = attributes(rs.Resource.GetAttributes())
		for _, ss := range rs.ScopeSpans {
			scope := attributes(ss.Scope.GetAttributes())
			r.batches = append(r.batches, Batch{
				Epoch: scope.Text(semconv.AttrEmitterEpoch), First: scope.Int(semconv.AttrEmitterFirstSeq),
				Last: scope.Int(semconv.AttrEmitterLastSeq), Dropped: scope.Int(semconv.AttrEmitterDropped),
				Spans: len(ss.Spans),
			})
			for _, s := range ss.Spans {
				r.spans = append(r.spans, span(s))
			}
		}
	}
	r.wake()
}

func (r *Recorder) logs(w http.ResponseWriter, req *http.Request) {
	var data logspb.LogsData
	if !decode(w, req, &data) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, rl := range data.ResourceLogs {
		r.who = attributes(rl.Resource.GetAttributes())
		for _, sl := range rl.ScopeLogs {
			for _, l := range sl.LogRecords {
				r.records = append(r.records, logRecord(l))
			}
		}
	}
	r.wake()
}

// wake lets those who wait look again. Lock held.
func (r *Recorder) wake() {
	close(r.changed)
	r.changed = make(chan struct{})
}

func decode(w http.ResponseWriter, req *http.Request, into proto.Message) bool {
	body, err := readBody(req)
	if err == nil {
		err = proto.Unmarshal(body, into)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return false
	}
	return true
}

func readBody(req *http.Request) ([]byte, error) {
	if req.Header.Get("Content-Encoding") != "gzip" {
		return io.ReadAll(req.Body)
	}
	zip, err := gzip.NewReader(req.Body)
	if err != nil {
		return nil, fmt.Errorf("unpacking the body: %w", err)
	}
	return io.ReadAll(zip)
}
