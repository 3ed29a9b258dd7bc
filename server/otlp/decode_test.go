package otlp

import (
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// TestServersSpansReachTheFold sends what the API server sends, by the three
// ways in which it hangs on a write, and a span that hangs on nothing.
func TestServersSpansReachTheFold(t *testing.T) {
	request := traces(
		func(s ptrace.Span) { s.SetName("POST"); s.SetParentSpanID(pcommon.SpanID{9}) },
		func(s ptrace.Span) {
			s.SetName("PUT")
			l := s.Links().AppendEmpty()
			l.SetTraceID(pcommon.TraceID{7})
			l.SetSpanID(pcommon.SpanID{8})
		},
		func(s ptrace.Span) {
			s.SetName("PATCH")
			s.Attributes().PutStr(semconv.AttrAuditID, "07-1")
			s.Attributes().PutStr("http.target", "/api")
			s.Status().SetCode(ptrace.StatusCodeError)
		},
		func(s ptrace.Span) { s.SetName("GET") },
	)
	batch, err := Decode(Traces, encoded(t, request))
	if err != nil {
		t.Fatal(err)
	}
	if len(batch.Spans) != 3 {
		t.Fatalf("%d spans reach the fold, want 3: %+v", len(batch.Spans), batch.Spans)
	}
	post, put, patch := batch.Spans[0], batch.Spans[1], batch.Spans[2]
	if post.Parent != "0900000000000000" {
		t.Errorf("the parent is %q", post.Parent)
	}
	if want := (flow.Link{TraceID: "07000000000000000000000000000000", SpanID: "0800000000000000"}); len(put.Links) != 1 || put.Links[0] != want {
		t.Errorf("the links are %v, want %v", put.Links, want)
	}
	if len(patch.Attrs) != 1 || patch.Attrs[semconv.AttrAuditID] != "07-1" || !patch.Failed {
		t.Errorf("attributes %v, failed %v; want the audit id alone, and true", patch.Attrs, patch.Failed)
	}
}
