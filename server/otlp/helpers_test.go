package otlp

import (
	"bytes"
	"compress/gzip"
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"go.uber.org/goleak"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const token = "the-ingest-token"

// stored is one call of Store.
type stored struct {
	kind    Kind
	payload []byte
	batch   Batch
}

// memoryStore keeps what is stored, or fails with err.
type memoryStore struct {
	mu  sync.Mutex
	all []stored
	err error
}

func (s *memoryStore) store(_ context.Context, kind Kind, payload []byte, batch Batch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.all = append(s.all, stored{kind, payload, batch})
	}
	return s.err
}

func (s *memoryStore) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.all)
}

func newReceiver(change ...func(*Config)) (*Receiver, *memoryStore) {
	store := &memoryStore{}
	cfg := Config{Store: store.store, Authorize: func(t string) bool { return t == token }}
	for _, c := range change {
		c(&cfg)
	}
	return New(cfg), store
}

// post makes a good request of a body, which header pairs then change; a value
// of "-" takes a header away.
func post(r *Receiver, kind Kind, body []byte, pairs ...string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(http.MethodPost, "/v1/traces", bytes.NewReader(body))
	req.Header.Set("Content-Type", typeProto)
	req.Header.Set("Authorization", "Bearer "+token)
	for i := 0; i < len(pairs); i += 2 {
		req.Header.Set(pairs[i], pairs[i+1])
		if pairs[i+1] == "-" {
			req.Header.Del(pairs[i])
		}
	}
	w := httptest.NewRecorder()
	r.Handler(kind).ServeHTTP(w, req)
	return w
}

func zip(t testing.TB, body []byte) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	if _, err := w.Write(body); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// traces makes a request of spans; each f fills one.
func traces(fill ...func(ptrace.Span)) ptraceotlp.ExportRequest {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr(semconv.AttrServiceInstanceID, "i-1")
	rs.Resource().Attributes().PutStr(semconv.AttrServiceName, "podset")
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName(semconv.ScopeName)
	ss.Scope().Attributes().PutStr(semconv.AttrEmitterEpoch, "e-1")
	ss.Scope().Attributes().PutInt(semconv.AttrEmitterFirstSeq, 1)
	ss.Scope().Attributes().PutInt(semconv.AttrEmitterLastSeq, int64(len(fill)))
	for i, f := range fill {
		s := ss.Spans().AppendEmpty()
		s.SetTraceID(pcommon.TraceID{1})
		s.SetSpanID(pcommon.SpanID{byte(i + 1)})
		s.SetName(semconv.SpanFetch)
		s.SetStartTimestamp(1_000_000)
		s.SetEndTimestamp(3_000_000)
		f(s)
	}
	return ptraceotlp.NewExportRequestFromTraces(td)
}

func plain(ptrace.Span) {}

func logs(fill ...func(plog.LogRecord)) plogotlp.ExportRequest {
	ld := plog.NewLogs()
	sl := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty()
	for _, f := range fill {
		l := sl.LogRecords().AppendEmpty()
		l.SetEventName(semconv.LogQueueItem)
		l.SetTimestamp(5_000_000)
		f(l)
	}
	return plogotlp.NewExportRequestFromLogs(ld)
}

func encoded(t testing.TB, req interface{ MarshalProto() ([]byte, error) }) []byte {
	t.Helper()
	data, err := req.MarshalProto()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func partial(t testing.TB, body []byte) ptraceotlp.ExportPartialSuccess {
	t.Helper()
	res := ptraceotlp.NewExportResponse()
	if err := res.UnmarshalProto(body); err != nil {
		t.Fatal(err)
	}
	return res.PartialSuccess()
}
