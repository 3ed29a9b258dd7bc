package spancheck

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

func check(t *testing.T, in string) Report {
	t.Helper()
	r, err := Check(strings.NewReader(in), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestGoodStreamIsClean(t *testing.T) {
	r := check(t, newStream().lines(t))
	if len(r.Findings) != 0 {
		t.Errorf("findings: %+v", r.Findings)
	}
	if r.Spans != 8 || r.Reconciles != 1 || r.Logs != 2 || r.Lines != 2 || r.Ignored != 0 {
		t.Errorf("counted %+v", r)
	}
}

func TestBadLines(t *testing.T) {
	good := newStream().lines(t)
	for name, c := range map[string]struct{ in, rule, problem string }{
		"not JSON":      {"hello\n" + good, ruleLine, "not a JSON object"},
		"a list":        {"[]\n" + good, ruleLine, "not a JSON object"},
		"snake case":    {`{"resource_spans":[]}` + "\n" + good, ruleLine, "neither resourceSpans"},
		"bad hex":       {`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"xyz"}]}]}]}` + "\n" + good, ruleLine, "not an OTLP trace request"},
		"bad log":       {`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"traceId":"xyz"}]}]}]}` + "\n" + good, ruleLine, "not an OTLP logs request"},
		"empty":         {"", ruleEmpty, "nothing in it"},
		"only metrics":  {`{"resourceMetrics":[]}` + "\n", ruleEmpty, "nothing in it"},
		"foreign spans": {`{"resourceSpans":[{"scopeSpans":[{"scope":{"name":"x"},"spans":[{"name":"GET /"}]}]}]}`, ruleEmpty, "nothing in it"},
	} {
		t.Run(name, func(t *testing.T) {
			r := check(t, c.in)
			if r.Wrong != 1 || r.Findings[0].Rule != c.rule || !strings.Contains(r.Findings[0].Problem, c.problem) {
				t.Errorf("found %+v, want one finding %s: …%s…", r.Findings, c.rule, c.problem)
			}
		})
	}
}

func TestOtherLinesAreIgnored(t *testing.T) {
	foreign := `{"resourceSpans":[{"scopeSpans":[{"scope":{"name":"x"},"spans":[{"name":"read"},{"name":"GET /"}]}]}]}`
	r := check(t, "\n"+foreign+"\n"+`{"resourceMetrics":[]}`+"\r\n"+newStream().lines(t))
	if len(r.Findings) != 0 || r.Ignored != 2 || r.Lines != 5 {
		t.Errorf("%+v, want no findings, 2 ignored, 5 lines", r)
	}
}

func TestOpenRootIsANote(t *testing.T) {
	s := newStream()
	s.remove(rootKey)
	s.item.SetEventName(semconv.LogSpanStart)
	s.item.SetTraceID(pcommon.TraceID{9})
	s.item.SetSpanID(pcommon.SpanID{1})
	s.item.Attributes().PutStr(semconv.AttrSpanName, rootKey)
	s.item.Attributes().PutInt(semconv.AttrSpanStart, second/1000)
	r := check(t, s.lines(t))
	if r.Wrong != 0 || r.Counts[ruleRoot] != 1 {
		t.Errorf("found %+v, want a note about the root", r.Findings)
	}
}

func TestGzip(t *testing.T) {
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	if _, err := io.WriteString(w, newStream().lines(t)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if r := check(t, zipped.String()); len(r.Findings) != 0 || r.Spans != 8 {
		t.Errorf("%+v, want 8 clean spans", r)
	}
	cut := zipped.Bytes()[:zipped.Len()-9]
	if _, err := Check(bytes.NewReader(cut), Options{}); err == nil {
		t.Error("a gzip file that is cut off is taken")
	}
}

func TestOtherFormats(t *testing.T) {
	for in, want := range map[string]string{
		"\x28\xb5\x2f\xfd rest":     "compressed with zstd",
		"\x00\x00\x01\x00 protobuf": "binary, not JSON lines",
	} {
		if _, err := Check(strings.NewReader(in), Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want …%s…", in, err, want)
		}
	}
	endless := io.MultiReader(strings.NewReader("{"), zeros{})
	if _, err := Check(endless, Options{}); err == nil || !strings.Contains(err.Error(), "line 1: it is longer than 64 MiB") {
		t.Errorf("an endless line: error %v", err)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = '0'
	}
	return len(b), nil
}

func TestPerRule(t *testing.T) {
	r, err := Check(strings.NewReader(strings.Repeat("x\n", 9)+newStream().lines(t)), Options{PerRule: 2})
	if err != nil || len(r.Findings) != 2 || r.Counts[ruleLine] != 9 || r.Wrong != 9 {
		t.Errorf("%+v (%v), want 2 of 9 findings", r, err)
	}
}
