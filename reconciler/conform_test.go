package reconciler

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/reconcile-tracer/tracer/internal/spancheck"
)

// exporter writes what it is sent as the Collector's file exporter does.
type exporter struct {
	mu    sync.Mutex
	lines bytes.Buffer
}

func (e *exporter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(unzipped(r))
	var line []byte
	switch {
	case err != nil:
	case r.URL.Path == "/v1/traces":
		request := ptraceotlp.NewExportRequest()
		if err = request.UnmarshalProto(body); err == nil {
			line, err = (&ptrace.JSONMarshaler{}).MarshalTraces(request.Traces())
		}
	default:
		request := plogotlp.NewExportRequest()
		if err = request.UnmarshalProto(body); err == nil {
			line, err = (&plog.JSONMarshaler{}).MarshalLogs(request.Logs())
		}
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lines.Write(append(line, '\n'))
}

// TestSpansConform holds what this controller sends against the contract that
// it asks of others: creating, scaling both ways, and an edit that changes nothing.
func TestSpansConform(t *testing.T) {
	b, file := newBench(t), &exporter{}
	hub := httptest.NewServer(file)
	t.Cleanup(hub.Close)
	o := b.options()
	b.traced(&o, hub.URL)
	stop := b.start(o)
	b.create("web", 3)
	b.settled("web", 3)
	b.scale("web", 5)
	b.settled("web", 5)
	b.scale("web", 1)
	b.settled("web", 1)
	b.touch("web", "once")
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	if err := o.Tracer.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	file.mu.Lock()
	defer file.mu.Unlock()
	report, err := spancheck.Check(&file.lines, spancheck.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range report.Findings {
		t.Errorf("line %d, %q of trace %s: %s (%s); want %s", f.Line, f.Name, f.TraceID, f.Problem, f.Severity, f.Want)
	}
	if report.Reconciles < 3 || report.Spans < 20 || report.Logs == 0 {
		t.Errorf("only %d reconciles, %d spans, %d records came", report.Reconciles, report.Spans, report.Logs)
	}
}
