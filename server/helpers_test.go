package server

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

const (
	testToken  = "the-presenter-token"
	testViewer = "the-viewers-token"
	testIngest = "the-emitters-token"
)

// running is a hub that runs until the test ends, or stop is called.
type running struct {
	*Hub
	*client
	// cancel begins the end, stop waits for it.
	cancel context.CancelFunc
	stop   func()
	// ready is closed when the hub is, changed has one when rows have changed.
	ready   chan struct{}
	changed chan struct{}
}

// start runs a hub on free ports and waits until it is ready.
func start(t testing.TB, change ...func(*Config)) *running {
	t.Helper()
	cfg := Config{
		Listen: "127.0.0.1:0", Data: t.TempDir(), Token: testToken, ViewerToken: testViewer, IngestToken: testIngest,
		Log: slog.New(slog.DiscardHandler),
	}
	for _, c := range change {
		c(&cfg)
	}
	h, err := New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	r := run(t, h)
	<-r.ready
	if res := r.do("GET", "/readyz", nil, nil); res.status != 200 {
		t.Fatalf("the hub says that it is ready, and /readyz answers %d: %s", res.status, res.body)
	}
	return r
}

// run runs a hub until the test ends.
func run(t testing.TB, h *Hub) *running {
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{Hub: h, client: &client{t, h.URL()}, cancel: cancel, ready: make(chan struct{}), changed: make(chan struct{}, 1)}
	onReady, publish := h.cfg.OnReady, h.fold.publish
	h.cfg.OnReady = func() {
		onReady()
		close(r.ready)
	}
	h.fold.publish = func(offset uint64, out []flow.Output) {
		publish(offset, out)
		select {
		case r.changed <- struct{}{}:
		default:
		}
	}
	ended := make(chan error, 1)
	go func() { ended <- h.Run(ctx) }()
	r.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run returned %v", err)
		}
	})
	t.Cleanup(r.stop)
	return r
}

// client calls a hub.
type client struct {
	t   testing.TB
	url string
}

type response struct {
	status int
	header http.Header
	body   string
}

// header pairs of a request.
type headers map[string]string

func bearer(token string) headers { return headers{"Authorization": "Bearer " + token} }

// do makes one request and follows no redirect.
func (r *client) do(method, path string, h headers, body []byte) response {
	r.t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), method, r.url+path, bytes.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	for k, v := range h {
		if k == "Host" {
			req.Host = v
		}
		req.Header.Set(k, v)
	}
	client := &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport:     &http.Transport{DisableKeepAlives: true},
	}
	res, err := client.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return response{res.StatusCode, res.Header, string(data)}
}

// await waits for a condition of the rows, which it looks at when they change.
func (r *running) await(what string, ok func() bool) {
	r.t.Helper()
	deadline := time.After(20 * time.Second)
	for !ok() {
		select {
		case <-r.changed:
		case <-deadline:
			r.t.Fatalf("waited 20 s in vain for %s", what)
		}
	}
}

// await polls a condition that has no channel.
func (r *client) await(what string, ok func() bool) {
	r.t.Helper()
	look := time.NewTicker(2 * time.Millisecond)
	defer look.Stop()
	late := time.After(20 * time.Second)
	for !ok() {
		select {
		case <-look.C:
		case <-late:
			r.t.Fatalf("waited 20 s in vain for %s", what)
		}
	}
}

// send sends a pass of the controller podset over OTLP.
func (r *client) send(n byte) {
	r.t.Helper()
	res := r.do("POST", "/v1/traces", headers{"Authorization": "Bearer " + testIngest, "Content-Type": "application/x-protobuf"}, onePass(r.t, n))
	if res.status != 200 {
		r.t.Fatalf("OTLP answered %d: %s", res.status, res.body)
	}
}

// try sends a body and returns an error where do would end the test.
func (r *client) try(body []byte) (int, error) {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, r.url+"/v1/traces", bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/x-protobuf")
	req.Header.Set("Authorization", "Bearer "+testIngest)
	transport := &http.Transport{DisableKeepAlives: true}
	res, err := transport.RoundTrip(req)
	if err != nil {
		return 0, err
	}
	return res.StatusCode, res.Body.Close()
}

// rowLines are the lines that /api/v1/rows gives.
func (r *client) rowLines(query string) []string {
	r.t.Helper()
	res := r.do("GET", "/api/v1/rows"+query, bearer(testToken), nil)
	if res.status != 200 {
		r.t.Fatalf("rows answered %d: %s", res.status, res.body)
	}
	return strings.FieldsFunc(res.body, func(r rune) bool { return r == '\n' })
}

// began is when the passes of the tests happen: around now, as the fold
// compares them with the hub's clock.
var began = time.Now().Add(-time.Second)

// onePass is a request with one whole reconcile, number n.
func onePass(t testing.TB, n byte) []byte {
	t.Helper()
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr(semconv.AttrServiceInstanceID, "instance-1")
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName(semconv.ScopeName)
	scope := ss.Scope().Attributes()
	scope.PutStr(semconv.AttrEmitterEpoch, "e1")
	scope.PutInt(semconv.AttrEmitterFirstSeq, int64(n-1)*6+1)
	scope.PutInt(semconv.AttrEmitterLastSeq, int64(n)*6)
	names := []string{
		semconv.SpanDequeue, semconv.SpanFetch, semconv.SpanCompute, semconv.SpanApply, semconv.SpanRequeue,
		semconv.SpanReconcilePrefix + "podset",
	}
	at := began.Add(time.Duration(n) * 10 * time.Millisecond)
	for i, name := range names {
		s := ss.Spans().AppendEmpty()
		s.SetName(name)
		s.SetTraceID(pcommon.TraceID{n, 1})
		s.SetSpanID(pcommon.SpanID{n, byte(i + 1)})
		s.Attributes().PutInt(semconv.AttrSeq, int64(n-1)*6+int64(i)+1)
		from, to := at.Add(time.Duration(i)*time.Millisecond), at.Add(time.Duration(i+1)*time.Millisecond)
		if name == semconv.SpanReconcilePrefix+"podset" {
			from, to = at, at.Add(5*time.Millisecond)
			rootAttrs(s.Attributes())
		} else {
			s.SetParentSpanID(pcommon.SpanID{n, byte(len(names))})
		}
		s.SetStartTimestamp(pcommon.NewTimestampFromTime(from))
		s.SetEndTimestamp(pcommon.NewTimestampFromTime(to))
	}
	data, err := ptraceotlp.NewExportRequestFromTraces(td).MarshalProto()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func rootAttrs(a pcommon.Map) {
	a.PutStr(semconv.AttrController, "podset")
	a.PutStr(semconv.AttrResult, semconv.ResultSuccess)
	a.PutStr(semconv.AttrNamespace, "default")
	a.PutStr(semconv.AttrObjectName, "web")
	a.PutStr(semconv.AttrObjectKind, "PodSet")
}

func writeFile(t testing.TB, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// here is a request by a loopback name.
var here = &http.Request{Host: "127.0.0.1:7780"}
