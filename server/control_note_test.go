package server

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// writing is a pass of default/web that has written pods and podsets/status.
func writing(t *testing.T) []byte {
	t.Helper()
	request := ptraceotlp.NewExportRequest()
	if err := request.UnmarshalProto(onePass(t, 1)); err != nil {
		t.Fatal(err)
	}
	ss := request.Traces().ResourceSpans().At(0).ScopeSpans().At(0)
	ss.Scope().Attributes().PutInt(semconv.AttrEmitterLastSeq, 8)
	apply := ss.Spans().At(3)
	for i, resource := range []string{"pods", "podsets"} {
		s := ss.Spans().AppendEmpty()
		apply.CopyTo(s)
		s.SetName(semconv.SpanWrite)
		s.SetSpanID(pcommon.SpanID{1, byte(50 + i)})
		s.SetParentSpanID(apply.SpanID())
		s.Attributes().PutInt(semconv.AttrSeq, int64(7+i))
		s.Attributes().PutStr(semconv.AttrWriteResource, resource)
		if resource == "podsets" {
			s.Attributes().PutStr(semconv.AttrWriteSubresource, "status")
		}
	}
	data, err := request.MarshalProto()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A command for what the hub has not seen is taken, and that is said.
func TestACommandForNothingSaysSo(t *testing.T) {
	c := startControlled(t)
	note := func(fields string) string {
		t.Helper()
		res := c.ask(`{"controller":"podset",` + fields + `}`)
		var answer struct{ Note string }
		if err := json.Unmarshal([]byte(res.body), &answer); err != nil || res.status != http.StatusOK {
			t.Fatalf("%s: %d %s", fields, res.status, res.body)
		}
		return answer.Note
	}
	if got := note(`"command":"fault","fault":"500","resource":"podset"`); got != "" {
		t.Errorf("before anything was written it says %q", got)
	}
	head := headers{"Authorization": "Bearer " + testIngest, "Content-Type": "application/x-protobuf"}
	if res := c.do("POST", "/v1/traces", head, writing(t)); res.status != http.StatusOK {
		t.Fatalf("the spans: %d %s", res.status, res.body)
	}
	c.await("what it has written", func() bool {
		rows := strings.Join(c.rowLines("?row=reconcile"), "")
		return strings.Contains(rows, `"resource":"pods"`) && len(c.rowLines("?row=item")) == 1
	})
	const noItem = "No item default/nope is there now: it holds when one comes"
	const noPodset = "podset is no resource that podset has written; it has written pods, podsets/status"
	for fields, want := range map[string]string{
		`"command":"pause","item":"default/web"`:                                                        "",
		`"command":"pause","item":"default/nope"`:                                                       noItem,
		`"command":"slow","item":"default/nope","factor":2`:                                             noItem,
		`"command":"break","when":"item = default/nope"`:                                                noItem,
		`"command":"break","when":"item != default/nope and phase = apply"`:                             "",
		`"command":"break","when":"resource = podset"`:                                                  noPodset,
		`"command":"fault","fault":"500","resource":"podset"`:                                           noPodset,
		`"command":"fault","fault":"409","verb":"create","resource":"services"`:                         strings.Replace(noPodset, "podset", "services", 1),
		`"command":"fault","fault":"500","resource":"podsets"`:                                          "",
		`"command":"fault","fault":"500","resource":"podsets/status"`:                                   "",
		`"command":"fault","fault":"latency","delay_ms":5,"resource":"podset"`:                          "",
		`"command":"fault","fault":"latency","delay_ms":5,"verb":"update","resource":"podset"`:          noPodset,
		`"command":"fault","fault":"429","item":"default/nope","resource":"podset"`:                     noItem + ". " + noPodset,
		`"command":"break","when":"item = default/web and resource = podsets/status and phase = apply"`: "",
		`"command":"lift"`: "",
	} {
		if got := note(fields); got != want {
			t.Errorf("%s says %q, want %q", fields, got, want)
		}
	}
}
