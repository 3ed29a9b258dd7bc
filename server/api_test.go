package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"github.com/reconcile-tracer/tracer/server/watch"
)

// recordedActions notes what it is asked for.
type recordedActions struct {
	action string
	args   map[string]string
	err    error
}

func (a *recordedActions) Do(_ context.Context, action string, args map[string]string) (string, error) {
	a.action, a.args = action, args
	return "scaled web to 5", a.err
}

// statusError asks for a status.
type statusError int

func (statusError) Error() string     { return "the PodSet is not there" }
func (e statusError) HTTPStatus() int { return int(e) }

func TestActions(t *testing.T) {
	acts := &recordedActions{}
	h := start(t, func(c *Config) { c.Actions = acts })
	with := bearer(testToken)
	with["Content-Type"] = "application/json; charset=utf-8"
	res := h.do("POST", "/api/v1/actions/scale", with, []byte(`{"namespace":"default","name":"web","replicas":"5"}`))
	if res.status != 200 || strings.TrimSpace(res.body) != `{"summary":"scaled web to 5"}` {
		t.Errorf("answer %d %s", res.status, res.body)
	}
	if diff := cmp.Diff(map[string]string{"namespace": "default", "name": "web", "replicas": "5"}, acts.args); diff != "" || acts.action != "scale" {
		t.Errorf("asked for %s (-want +got):\n%s", acts.action, diff)
	}
	for name, c := range map[string]struct {
		body   string
		err    error
		status int
		says   string
	}{
		"its own status":  {"{}", fmt.Errorf("scaling: %w", statusError(404)), 404, "the PodSet is not there"},
		"any other error": {"{}", errors.New("no way"), 500, "no way"},
		"silly status":    {"{}", statusError(99), 500, "the PodSet"},
		"not JSON":        {"replicas=5", nil, 400, "JSON object of strings"},
		"not strings":     {`{"replicas":5}`, nil, 400, "JSON object of strings"},
		"null":            {"null", nil, 400, "JSON object of strings"},
		"list":            {"[]", nil, 400, "JSON object of strings"},
		"too large":       {`{"name":"` + strings.Repeat("x", 16<<10) + `"}`, nil, 413, "16 KiB"},
	} {
		acts.err = c.err
		res := h.do("POST", "/api/v1/actions/scale", with, []byte(c.body))
		if res.status != c.status || !strings.Contains(res.body, c.says) || !strings.HasPrefix(res.body, `{"error":`) {
			t.Errorf("%s: %d %s, want %d with %q", name, res.status, res.body, c.status, c.says)
		}
	}
}

// A body that breaks off is not one that is too large.
func TestActionWhoseBodyBreaksOffIsABadRequest(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, "/api/v1/actions/scale", iotest.ErrReader(io.ErrUnexpectedEOF))
	r.Header.Set("Content-Type", "application/json")
	_, status, err := readJSON(httptest.NewRecorder(), r)
	if status != http.StatusBadRequest || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("answer %d, %v; want 400 and the reason", status, err)
	}
}

func TestWithoutAClusterThePageSaysWhatToDo(t *testing.T) {
	h := start(t)
	with := bearer(testToken)
	with["Content-Type"] = "application/json"
	if res := h.do("POST", "/api/v1/actions/scale", with, []byte("{}")); res.status != 503 || !strings.Contains(res.body, "--kubeconfig") {
		t.Errorf("answer %d %s, want 503 that names --kubeconfig", res.status, res.body)
	}
	if page := h.do("GET", "/", bearer(testToken), nil); page.status != 200 || !strings.Contains(page.body, "--kubeconfig") {
		t.Errorf("the page (%d) does not say how to get a cluster", page.status)
	}
}

func TestRowsHaveAPositionAndAFilter(t *testing.T) {
	h := start(t)
	h.send(1)
	h.send(2)
	h.await("two reconciles", func() bool { return len(h.rowLines("?row=reconcile")) == 2 })
	res := h.do("GET", "/api/v1/rows?row=reconcile&controller=podset&item=default/*&result=success&since=1h&limit=1", bearer(testToken), nil)
	if res.status != 200 || strings.Count(res.body, "\n") != 1 || res.header.Get("Content-Type") != "application/x-ndjson" {
		t.Errorf("answer %d %s: %s", res.status, res.header.Get("Content-Type"), res.body)
	}
	if _, err := watch.ParsePosition(res.header.Get(PositionHeader)); err != nil {
		t.Errorf("the position %q: %v", res.header.Get(PositionHeader), err)
	}
	for _, query := range []string{"row=%zz", "row=reconcile;limit=1", "%"} {
		for _, path := range []string{"/api/v1/rows?", "/api/v1/watch?"} {
			if bad := h.do("GET", path+query, bearer(testToken), nil); bad.status != 400 || !strings.Contains(bad.body, "%xx") {
				t.Errorf("%s%s: %d %s, want 400 that says how to write it", path, query, bad.status, bad.body)
			}
		}
	}
	if bad := h.do("GET", "/api/v1/rows", nil, nil); bad.status != 401 || !strings.Contains(bad.body, "<token>") {
		t.Errorf("answer %d %s, want 401 that a human can read", bad.status, bad.body)
	}
	if bad := h.do("GET", "/api/v1/rows?row=pods", bearer(testToken), nil); bad.status != 400 || !strings.Contains(bad.body, "use reconcile") {
		t.Errorf("a bad filter gives %d %s", bad.status, bad.body)
	}
}

func TestWatchFollowsWhatIsSent(t *testing.T) {
	h := start(t)
	conn, _, err := websocket.Dial(t.Context(), h.URL()+"/api/v1/watch?row=reconcile", &websocket.DialOptions{
		HTTPHeader:   http.Header{"Authorization": {"Bearer " + testToken}},
		Subprotocols: []string{watch.Subprotocol},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.CloseNow() }()
	h.send(1)
	for {
		_, data, err := conn.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(data), `"result":"success"`) {
			return
		}
	}
}

func TestGRPC(t *testing.T) {
	h := start(t, func(c *Config) { c.OTLPGRPC = "127.0.0.1:0" })
	conn, err := grpc.NewClient(h.GRPCAddr(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	req := ptraceotlp.NewExportRequest()
	if err := req.UnmarshalProto(onePass(t, 1)); err != nil {
		t.Fatal(err)
	}
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+testIngest)
	if _, err := ptraceotlp.NewGRPCClient(conn).Export(ctx, req); err != nil {
		t.Fatal(err)
	}
	h.await("the reconcile", func() bool { return len(h.rowLines("?row=reconcile")) == 1 })
}

func TestMetrics(t *testing.T) {
	h := start(t, func(c *Config) { c.Version = "v0.1" })
	h.send(1)
	h.await("the reconcile", func() bool { return len(h.rowLines("?row=reconcile")) == 1 })
	body := h.do("GET", "/metrics", bearer(testToken), nil).body
	for _, want := range []string{
		`tracer_build_info{version="v0.1"} 1`, "tracer_ready 1", "tracer_ingest_spans_total 6", "tracer_journal_offset",
		`tracer_rows{row="reconcile"} 1`, "tracer_viewers 0", "go_goroutines", "tracer_journal_replay_seconds",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("/metrics has no %s", want)
		}
	}
}

func TestStaticFiles(t *testing.T) {
	h := start(t)
	res := h.do("GET", "/static/app.js", nil, nil)
	if res.status != 200 || !strings.Contains(res.header.Get("Content-Type"), "javascript") || res.header.Get("Etag") == "" {
		t.Errorf("app.js: %d %s %s", res.status, res.header.Get("Content-Type"), res.header.Get("Etag"))
	}
	if again := h.do("GET", "/static/app.js", headers{"If-None-Match": res.header.Get("Etag")}, nil); again.status != 304 {
		t.Errorf("asked again: %d, want 304", again.status)
	}
	for _, path := range []string{"/static/", "/static/nothing.js", "/static/../hub.go", "/static/%2e%2e/hub.go"} {
		if got := h.do("GET", path, nil, nil).status; got != 404 {
			t.Errorf("%s: %d, want 404", path, got)
		}
	}
}

func TestPageShowsWhatIsThere(t *testing.T) {
	h := start(t)
	h.send(1)
	h.await("the reconcile", func() bool { return len(h.rowLines("?row=reconcile")) == 1 })
	page := h.do("GET", "/", bearer(testToken), nil)
	if !strings.Contains(page.body, "podset") || !strings.Contains(page.body, "default/web") {
		t.Errorf("the page (%d) shows neither the controller nor the item", page.status)
	}
}
