package otlp

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// deepProto is a request with one value that nests n levels deep.
func deepProto(n int) []byte {
	wrap := func(field protowire.Number, inner []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), inner)
	}
	value := wrap(1, []byte("x"))
	for range n {
		value = wrap(5, wrap(1, value))
	}
	attribute := wrap(9, append(wrap(1, []byte("k")), wrap(2, value)...))
	return wrap(1, wrap(2, wrap(2, attribute)))
}

func deepJSON(n int) []byte {
	value := strings.Repeat(`{"arrayValue":{"values":[`, n) + `{"stringValue":"x"}` + strings.Repeat(`]}}`, n)
	return []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":[{"key":"k","value":` + value + `}]}]}]}]}`)
}

func nest(v pcommon.Value, n int) {
	for range n {
		v = v.SetEmptySlice().AppendEmpty()
	}
	v.SetStr("x")
}

// TestCaps sends a good span with one at the cap and with one over it.
func TestCaps(t *testing.T) {
	for name, c := range map[string]struct {
		fill  func(ptrace.Span, int)
		limit int
		says  string
	}{
		"attributes": {func(s ptrace.Span, n int) {
			for i := range n {
				s.Attributes().PutInt(fmt.Sprint("a", i), 1)
			}
		}, 128, "attributes"},
		"string":    {func(s ptrace.Span, n int) { s.Attributes().PutStr("a", strings.Repeat("x", n)) }, 16 << 10, "bytes in a string"},
		"bytes":     {func(s ptrace.Span, n int) { s.Attributes().PutEmptyBytes("a").FromRaw(make([]byte, n)) }, 16 << 10, "bytes in a value"},
		"attribute": {func(s ptrace.Span, n int) { s.Attributes().PutInt(strings.Repeat("x", n), 1) }, 16 << 10, "attribute's name"},
		"name":      {func(s ptrace.Span, n int) { s.SetName(strings.Repeat("x", n)) }, 16 << 10, "name"},
		"status":    {func(s ptrace.Span, n int) { s.Status().SetMessage(strings.Repeat("x", n)) }, 16 << 10, "status"},
		"depth":     {func(s ptrace.Span, n int) { nest(s.Attributes().PutEmpty("a"), n-1) }, 8, "nested deeper than 8"},
		"events": {func(s ptrace.Span, n int) {
			for range n {
				s.Events().AppendEmpty()
			}
		}, 256, "events"},
		"links": {func(s ptrace.Span, n int) {
			for range n {
				s.Links().AppendEmpty()
			}
		}, 256, "links"},
	} {
		t.Run(name, func(t *testing.T) {
			r, store := newReceiver()
			at := func(s ptrace.Span) { c.fill(s, c.limit) }
			over := func(s ptrace.Span) { c.fill(s, c.limit+1) }
			w := post(r, Traces, encoded(t, traces(plain, at, over)))
			if w.Code != 200 {
				t.Fatalf("status %d: %s", w.Code, w.Body)
			}
			p := partial(t, w.Body.Bytes())
			if p.RejectedSpans() != 1 || !strings.Contains(p.ErrorMessage(), c.says) {
				t.Errorf("%d rejected, %q; want 1 with %q", p.RejectedSpans(), p.ErrorMessage(), c.says)
			}
			req := newRequest(Traces)
			if err := parse(req, store.all[0].payload, false, maxWalk, maxDecoded); err != nil || req.count() != 2 {
				t.Errorf("%d spans are stored (%v), want 2", req.count(), err)
			}
		})
	}
}

// TestTimesAheadAreRejected sends times that a clock far ahead, or an overflow,
// makes.
func TestTimesAheadAreRejected(t *testing.T) {
	now := time.Now()
	for name, c := range map[string]struct {
		at   pcommon.Timestamp
		good bool
	}{
		"now":          {pcommon.NewTimestampFromTime(now), true},
		"within":       {pcommon.NewTimestampFromTime(now.Add(time.Minute)), true},
		"beyond":       {pcommon.NewTimestampFromTime(now.Add(time.Minute + time.Nanosecond)), false},
		"in a century": {pcommon.NewTimestampFromTime(now.AddDate(100, 0, 0)), false},
		"before 1970":  {pcommon.Timestamp(1<<64 - 5000), false},
	} {
		for what, fill := range map[string]func(ptrace.Span){
			"start": func(s ptrace.Span) { s.SetStartTimestamp(c.at) },
			"end":   func(s ptrace.Span) { s.SetEndTimestamp(c.at) },
			"event": func(s ptrace.Span) { s.Events().AppendEmpty().SetTimestamp(c.at) },
		} {
			r, _ := newReceiver(func(c *Config) { c.Now = func() time.Time { return now } })
			p := partial(t, post(r, Traces, encoded(t, traces(fill, plain))).Body.Bytes())
			if c.good != (p.RejectedSpans() == 0) || !c.good && !strings.Contains(p.ErrorMessage(), "clock") {
				t.Errorf("%s %s: %d rejected, %q", what, name, p.RejectedSpans(), p.ErrorMessage())
			}
		}
		r, _ := newReceiver(func(c *Config) { c.Now = func() time.Time { return now } })
		post(r, Logs, encoded(t, logs(func(l plog.LogRecord) { l.SetTimestamp(c.at) })))
		if got := r.Counts().Rejected; c.good != (got == 0) {
			t.Errorf("log record %s: %d rejected", name, got)
		}
	}
}

func TestSpanWithoutIDIsRejected(t *testing.T) {
	r, _ := newReceiver()
	w := post(r, Traces, encoded(t, traces(func(s ptrace.Span) { s.SetTraceID(pcommon.TraceID{}) }, plain)))
	if p := partial(t, w.Body.Bytes()); p.RejectedSpans() != 1 || !strings.Contains(p.ErrorMessage(), "trace id") {
		t.Errorf("%d rejected, %q; want 1 for its trace id", p.RejectedSpans(), p.ErrorMessage())
	}
}

// TestScopeOverACapIsRejected is about what all spans of a scope share.
func TestScopeOverACapIsRejected(t *testing.T) {
	for name, fill := range map[string]func(pcommon.InstrumentationScope){
		"attributes": func(s pcommon.InstrumentationScope) {
			for i := range 129 {
				s.Attributes().PutInt(fmt.Sprint("a", i), 1)
			}
		},
		"string": func(s pcommon.InstrumentationScope) { s.Attributes().PutStr("a", strings.Repeat("x", 16<<10+1)) },
	} {
		r, store := newReceiver()
		ts, ls := traces(plain, plain), logs(func(plog.LogRecord) {})
		fill(ts.Traces().ResourceSpans().At(0).ScopeSpans().At(0).Scope())
		fill(ls.Logs().ResourceLogs().At(0).ScopeLogs().At(0).Scope())
		p := partial(t, post(r, Traces, encoded(t, ts)).Body.Bytes())
		post(r, Logs, encoded(t, ls))
		if p.RejectedSpans() != 2 || !strings.Contains(p.ErrorMessage(), "the scope") || r.Counts().Rejected != 3 || store.count() != 0 {
			t.Errorf("%s: %d spans rejected, %q, %d in all, %d stored; want 2, 3, none", name, p.RejectedSpans(), p.ErrorMessage(),
				r.Counts().Rejected, store.count())
		}
	}
}

func TestKnownHasEveryAttributeOfTheContract(t *testing.T) {
	n := 0
	count := func(node ast.Node) bool {
		spec, ok := node.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, "Attr") {
			return true
		}
		n++
		name, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil || !known[name] {
			t.Errorf("%s (%s) is in the contract and does not reach the fold", spec.Names[0].Name, name)
		}
		return true
	}
	for _, path := range []string{"../../tracer/semconv/semconv.go", "../../tracer/semconv/lesson.go"} {
		file, err := parser.ParseFile(gotoken.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, count)
	}
	if n < 50 || n != len(known) {
		t.Errorf("the contract has %d attributes, %d are known", n, len(known))
	}
}

// canaries are secrets, each in a place of its own.
func canaries(s ptrace.Span) {
	s.Attributes().PutStr("http.request.header.Authorization", "CANARY-1")
	s.Attributes().PutStr("note", "called with Bearer CANARY-2-abcdefgh and failed")
	s.Attributes().PutStr("annotation", `{"kubectl.kubernetes.io/last-applied-configuration":"CANARY-3"}`)
	s.Attributes().PutEmptyMap("headers").PutStr("Set-Cookie", "CANARY-4")
	s.Attributes().PutEmptySlice("list").AppendEmpty().SetStr("Basic CANARY-5-abcdefgh")
	s.Status().SetMessage("401: Bearer CANARY-6-abcdefgh")
	s.Events().AppendEmpty().Attributes().PutStr("db.password", "CANARY-7")
	s.Links().AppendEmpty().Attributes().PutStr("x-api-key", "CANARY-8")
	s.Attributes().PutStr(semconv.AttrObjectFields, "Bearer CANARY-9-abcdefgh")
	s.SetName("GET with Bearer CANARY-12-abcdefgh")
	s.Events().AppendEmpty().SetName("Basic CANARY-13-abcdefgh")
	s.TraceState().FromRaw("a=Bearer CANARY-14-abcdefgh")
}

func TestSecretsAreNotStored(t *testing.T) {
	r, store := newReceiver()
	post(r, Traces, encoded(t, traces(canaries)))
	post(r, Logs, encoded(t, logs(func(l plog.LogRecord) {
		l.Body().SetStr("Bearer CANARY-10-abcdefgh")
		l.Attributes().PutStr("cookie", "CANARY-11")
		l.SetSeverityText("Bearer CANARY-15-abcdefgh")
	}, func(l plog.LogRecord) {
		l.SetEventName("Bearer CANARY-16-abcdefgh")
	})))
	if store.count() != 2 {
		t.Fatalf("%d requests are stored, want 2", store.count())
	}
	for _, s := range store.all {
		if i := strings.Index(string(s.payload), "CANARY"); i >= 0 {
			t.Errorf("a secret is stored: %q", s.payload[i:min(len(s.payload), i+20)])
		}
		if text := fmt.Sprintf("%+v", s.batch); strings.Contains(text, "CANARY") {
			t.Errorf("a secret reaches the fold: %s", text)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(true, false, encoded(f, traces(plain, canaries)))
	f.Add(false, false, encoded(f, logs(func(plog.LogRecord) {})))
	f.Add(true, false, deepProto(100))
	f.Add(true, true, deepJSON(10))
	f.Fuzz(func(t *testing.T, isTraces, asJSON bool, body []byte) {
		kind, contentType := Logs, typeProto
		if isTraces {
			kind = Traces
		}
		if asJSON {
			contentType = typeJSON
		}
		r, store := newReceiver()
		w := post(r, kind, body, "Content-Type", contentType)
		if w.Code != 200 && w.Code != 400 && w.Code != 413 {
			t.Fatalf("status %d", w.Code)
		}
		if w.Code != 200 && store.count() > 0 {
			t.Error("a refused request was stored")
		}
		for _, s := range store.all {
			if _, err := Decode(s.kind, s.payload); err != nil {
				t.Errorf("what is stored cannot be decoded: %v", err)
			}
		}
	})
}

func BenchmarkAccept(b *testing.B) {
	spans := make([]func(ptrace.Span), 512)
	for i := range spans {
		spans[i] = func(s ptrace.Span) {
			s.Attributes().PutStr(semconv.AttrWriteResource, "pods")
			s.Attributes().PutStr(semconv.AttrWriteNamespace, "default")
			s.Attributes().PutStr(semconv.AttrWriteName, "web-5f6d8")
			s.Attributes().PutStr(semconv.AttrWriteResourceVersionNew, "123456")
			s.Attributes().PutInt(semconv.AttrHTTPStatus, 201)
			s.Attributes().PutInt(semconv.AttrSeq, int64(i))
		}
	}
	body := encoded(b, traces(spans...))
	r, _ := newReceiver(func(c *Config) {
		c.Store = func(context.Context, Kind, []byte, Batch) error { return nil }
	})
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if w := post(r, Traces, body); w.Code != 200 {
			b.Fatal(w.Code)
		}
	}
	b.ReportMetric(float64(512*b.N)/b.Elapsed().Seconds(), "spans/s")
}
