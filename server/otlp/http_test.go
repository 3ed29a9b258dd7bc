package otlp

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

func TestEncodingsStoreTheSame(t *testing.T) {
	req := traces(plain, plain)
	asProto := encoded(t, req)
	asJSON, err := req.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	for name, send := range map[string]func(*Receiver) *httptest.ResponseRecorder{
		"protobuf": func(r *Receiver) *httptest.ResponseRecorder { return post(r, Traces, asProto) },
		"protobuf gzip": func(r *Receiver) *httptest.ResponseRecorder {
			return post(r, Traces, zip(t, asProto), "Content-Encoding", "gzip")
		},
		"json": func(r *Receiver) *httptest.ResponseRecorder {
			return post(r, Traces, asJSON, "Content-Type", "application/json; charset=utf-8")
		},
		"json gzip": func(r *Receiver) *httptest.ResponseRecorder {
			return post(r, Traces, zip(t, asJSON), "Content-Type", typeJSON, "Content-Encoding", "gzip")
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, store := newReceiver()
			if w := send(r); w.Code != http.StatusOK {
				t.Fatalf("status %d: %s", w.Code, w.Body)
			}
			got := store.all[0]
			if !bytes.Equal(got.payload, asProto) {
				t.Error("what is stored is not the request in protobuf")
			}
			if len(got.batch.Spans) != 2 || got.batch.Spans[0].Name != semconv.SpanFetch {
				t.Errorf("spans %+v, want two fetch", got.batch.Spans)
			}
			again, err := Decode(Traces, got.payload)
			if diff := cmp.Diff(got.batch, again); diff != "" || err != nil {
				t.Errorf("a replay decodes something else (%v):\n%s", err, diff)
			}
		})
	}
}

func TestWhatIsDecoded(t *testing.T) {
	batch, err := Decode(Traces, encoded(t, traces(plain)))
	if err != nil {
		t.Fatal(err)
	}
	source := flow.Source{Instance: "i-1", Service: "podset"}
	want := Batch{
		Spans: []flow.Span{{
			Source: source, Epoch: "e-1", TraceID: "01" + strings.Repeat("0", 30), SpanID: "01" + strings.Repeat("0", 14),
			Name: "fetch", From: 1000, To: 3000, Attrs: flow.Attrs{},
		}},
		Emitters: []flow.Emitter{{Source: source, Epoch: "e-1", First: 1, Last: 1}},
	}
	if diff := cmp.Diff(want, batch); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLogEventNameInEitherPlace(t *testing.T) {
	r, store := newReceiver()
	body := encoded(t, logs(
		func(plog.LogRecord) {},
		func(l plog.LogRecord) { l.SetEventName(""); l.Attributes().PutStr("event.name", semconv.LogHold) },
		func(l plog.LogRecord) { l.SetEventName("somebody.else") },
	))
	if w := post(r, Logs, body); w.Code != http.StatusOK {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	var events []string
	for _, l := range store.all[0].batch.Logs {
		events = append(events, l.Event)
	}
	if diff := cmp.Diff([]string{semconv.LogQueueItem, semconv.LogHold}, events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if r.Counts().Logs != 3 {
		t.Errorf("%d records are counted as stored, want all 3", r.Counts().Logs)
	}
}

// TestRefusals has every way in which a request can be wrong as a whole.
func TestRefusals(t *testing.T) {
	good := encoded(t, traces(plain))
	const limit = 4096
	big := bytes.Repeat([]byte{'x'}, limit+1)
	for name, c := range map[string]struct {
		body   []byte
		header []string
		status int
		says   string
	}{
		"no token":          {good, []string{"Authorization", "-"}, 401, "ingest token"},
		"wrong token":       {good, []string{"Authorization", "Bearer nonsense"}, 401, "ingest token"},
		"not bearer":        {good, []string{"Authorization", "Basic " + token}, 401, "ingest token"},
		"origin":            {good, []string{"Origin", "http://127.0.0.1:7780"}, 403, "web page"},
		"null origin":       {good, []string{"Origin", "null"}, 403, "web page"},
		"text":              {good, []string{"Content-Type", "text/plain"}, 415, typeProto},
		"form":              {good, []string{"Content-Type", "application/x-www-form-urlencoded"}, 415, typeProto},
		"no type":           {good, []string{"Content-Type", "-"}, 415, typeProto},
		"brotli":            {good, []string{"Content-Encoding", "br"}, 415, "gzip"},
		"not gzip":          {good, []string{"Content-Encoding", "gzip"}, 400, "gzip"},
		"gzip cut off":      {zip(t, good)[:20], []string{"Content-Encoding", "gzip"}, 400, "nothing was stored"},
		"not protobuf":      {[]byte("hello there"), nil, 400, "nothing was stored"},
		"protobuf cut off":  {good[:len(good)-3], nil, 400, "nothing was stored"},
		"not JSON":          {[]byte("{"), []string{"Content-Type", typeJSON}, 400, "nothing was stored"},
		"too large":         {big, nil, 413, "4096 bytes as sent"},
		"too large inside":  {zip(t, bytes.Repeat(big, 4)), []string{"Content-Encoding", "gzip"}, 413, "8192 bytes as decompressed"},
		"nested protobuf":   {deepProto(3000), nil, 400, "nested too deep"},
		"nested JSON":       {deepJSON(1000), []string{"Content-Type", typeJSON}, 400, "nested too deep"},
		"JSON and more":     {[]byte(`{"resourceSpans":[]} x`), []string{"Content-Type", typeJSON}, 400, "nothing was stored"},
		"two JSON objects":  {[]byte(`{}{}`), []string{"Content-Type", typeJSON}, 400, "nothing was stored"},
		"JSON null":         {[]byte(" null"), []string{"Content-Type", typeJSON}, 400, "nothing was stored"},
		"JSON of no object": {[]byte("[1,2]"), []string{"Content-Type", typeJSON}, 400, "nothing was stored"},
	} {
		t.Run(name, func(t *testing.T) {
			r, store := newReceiver(func(c *Config) { c.MaxWire, c.MaxBody = limit, 2*limit })
			if strings.HasPrefix(name, "nested") {
				r, store = newReceiver()
			}
			w := post(r, Traces, c.body, c.header...)
			if w.Code != c.status || !strings.Contains(w.Body.String(), c.says) {
				t.Errorf("answer %d %q, want %d with %q", w.Code, w.Body, c.status, c.says)
			}
			if store.count() != 0 {
				t.Error("something was stored")
			}
			if r.Counts().Refused != 1 {
				t.Errorf("%d refusals are counted, want 1", r.Counts().Refused)
			}
		})
	}
}

func TestRefusalIsAStatusInTheRequestsEncoding(t *testing.T) {
	r, _ := newReceiver()
	var st status.Status
	w := post(r, Traces, []byte("hello there"))
	if err := proto.Unmarshal(w.Body.Bytes(), &st); err != nil || st.Code != 3 || st.Message == "" {
		t.Errorf("the protobuf answer is %v (%v), want code 3 with a message", &st, err)
	}
	w = post(r, Traces, []byte("{\"\xff\xfe"), "Content-Type", typeJSON)
	if !utf8.Valid(w.Body.Bytes()) || !strings.Contains(w.Body.String(), "message") {
		t.Errorf("the answer to what is no UTF-8 is %q", w.Body)
	}
	w = post(r, Traces, []byte{}, "Content-Encoding", "\xff")
	if err := proto.Unmarshal(w.Body.Bytes(), &st); err != nil || st.Message == "" {
		t.Errorf("the answer to an encoding that is no UTF-8 is %q", w.Body)
	}
	writer := httptest.NewRecorder()
	writeRefusal(writer, errors.New("bad byte \xff"), false)
	if err := proto.Unmarshal(writer.Body.Bytes(), &st); err != nil || !strings.HasPrefix(st.Message, "bad byte") {
		t.Errorf("a reason that is no UTF-8 is answered as %q", writer.Body)
	}
	w = post(r, Traces, []byte("{"), "Content-Type", typeJSON)
	if !strings.HasPrefix(w.Body.String(), `{"code":3`) || w.Header().Get("Content-Type") != typeJSON {
		t.Errorf("the JSON answer is %q", w.Body)
	}
}

func TestStoreThatFails(t *testing.T) {
	for name, c := range map[string]struct {
		err    error
		status int
	}{
		"full":    {fmt.Errorf("journal: %w", ErrBusy), 429},
		"failing": {errors.New("disk on fire"), 503},
		"no room": {fmt.Errorf("%w: 9 bytes", ErrTooLarge), 413},
	} {
		t.Run(name, func(t *testing.T) {
			r, store := newReceiver()
			store.err = c.err
			w := post(r, Traces, encoded(t, traces(plain)))
			if w.Code != c.status || (w.Header().Get("Retry-After") == "") != (c.status == 413) {
				t.Errorf("answer %d, Retry-After %q; want %d, with it where trying again helps", w.Code, w.Header().Get("Retry-After"), c.status)
			}
			if r.Counts().Spans != 0 {
				t.Error("spans are counted as stored")
			}
		})
	}
}

// zeros is a body of some gigabytes of zeros that just passes on the wire.
func zeros(t *testing.T) []byte {
	part := zip(t, make([]byte, 4<<20))
	return bytes.Repeat(part, (4<<20)/len(part))
}

func TestBombRaisesLittleMemory(t *testing.T) {
	r, store := newReceiver()
	body := zeros(t)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	req := httptest.NewRequest(http.MethodPost, "/v1/traces", bytes.NewReader(body))
	req.Header.Set("Content-Type", typeProto)
	req.Header.Set("Content-Encoding", "gzip")
	req.Header.Set("Authorization", "Bearer "+token)
	w := httptest.NewRecorder()
	r.Handler(Traces).ServeHTTP(w, req)
	runtime.ReadMemStats(&after)
	if w.Code != http.StatusRequestEntityTooLarge || store.count() != 0 {
		t.Errorf("answer %d, %d stored; want 413, 0", w.Code, store.count())
	}
	if grown := int64(after.Sys) - int64(before.Sys); grown > 64<<20 {
		t.Errorf("memory grew by %d MiB, want less than 64", grown>>20)
	}
}

func TestUnknownSpansAreStoredAndLeftOut(t *testing.T) {
	r, store := newReceiver()
	req := traces(plain, plain)
	req.Traces().ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).SetName("HTTP GET /other")
	if w := post(r, Traces, encoded(t, req)); w.Code != 200 {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	back := ptraceotlp.NewExportRequest()
	if err := back.UnmarshalProto(store.all[0].payload); err != nil || back.Traces().SpanCount() != 2 {
		t.Errorf("%d spans are stored (%v), want 2", back.Traces().SpanCount(), err)
	}
	if len(store.all[0].batch.Spans) != 1 {
		t.Errorf("%d spans reach the fold, want 1", len(store.all[0].batch.Spans))
	}
}

func TestRequestOfClaimsAloneIsStored(t *testing.T) {
	r, store := newReceiver()
	post(r, Traces, encoded(t, traces()))
	if store.count() != 1 || len(store.all[0].batch.Emitters) != 1 {
		t.Errorf("%d stored, want the emitter's claim", store.count())
	}
	post(r, Traces, nil)
	if store.count() != 1 {
		t.Error("an empty request was stored")
	}
}

// The emitter numbers every span of its process, also those of a library that
// the contract does not know. One of these that came is not missing.
func TestUnknownSpansWithANumberLeaveNoGap(t *testing.T) {
	r, store := newReceiver()
	names := []string{semconv.SpanFetch, "SELECT users", semconv.SpanCompute}
	var fill []func(ptrace.Span)
	for i, name := range names {
		fill = append(fill, func(s ptrace.Span) {
			s.SetName(name)
			s.Attributes().PutInt(semconv.AttrSeq, int64(i+1))
			s.Attributes().PutStr("db.system", "sqlite")
		})
	}
	post(r, Traces, encoded(t, traces(fill...)))
	batch := store.all[0].batch
	state := flow.New(flow.Limits{})
	state.Step(flow.Input{Now: 1_000_000, Spans: batch.Spans, Emitters: batch.Emitters})
	state.Step(flow.Input{Now: 10_000_000})
	for _, row := range state.Rows() {
		if row.Kind() == flow.RowGap {
			t.Errorf("a gap is announced although all spans came: %+v", row)
		}
	}
}

// A record says of which run of its emitter it is, so that what a run left is
// not taken for the next one's.
func TestLogRecordsBelongToTheirRun(t *testing.T) {
	r, store := newReceiver()
	req := logs(func(plog.LogRecord) {})
	req.Logs().ResourceLogs().At(0).ScopeLogs().At(0).Scope().Attributes().PutStr(semconv.AttrEmitterEpoch, "e-7")
	post(r, Logs, encoded(t, req))
	if got := store.all[0].batch.Logs[0].Epoch; got != "e-7" {
		t.Errorf("the record's run is %q, want e-7", got)
	}
}
