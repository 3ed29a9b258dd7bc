package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"github.com/reconcile-tracer/tracer/server/recording"
)

// held is a file in memory.
func held(name, content string) Recording {
	return Recording{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(content)), nil }}
}

// recordingLines are the rows of a recording.
func (r *client) recordingLines(name, query string) []string {
	r.t.Helper()
	res := r.do("GET", "/api/v1/recordings/"+name+"/rows"+query, bearer(testToken), nil)
	if res.status != 200 {
		r.t.Fatalf("the rows of %s answered %d: %s", name, res.status, res.body)
	}
	return strings.FieldsFunc(res.body, func(r rune) bool { return r == '\n' })
}

// exported is what the hub gives out.
func (r *client) exported(query string) response {
	r.t.Helper()
	res := r.do("GET", "/api/v1/export"+query, bearer(testToken), nil)
	if res.status != 200 {
		r.t.Fatalf("export answered %d: %s", res.status, res.body)
	}
	return res
}

// TestReplayShowsWhatTheHubHeld is the way round: what a hub exports, another
// one shows row by row, at the same positions.
func TestReplayShowsWhatTheHubHeld(t *testing.T) {
	dir := t.TempDir()
	h := start(t, func(c *Config) { c.Data = dir })
	for n := range byte(5) {
		h.send(n + 1)
	}
	h.await("five reconciles", func() bool { return len(h.rowLines("?row=reconcile")) == 5 })
	if err := h.journal.Append(t.Context()); err != nil { // time passes
		t.Fatal(err)
	}
	plain, zipped := h.exported("").body, h.exported("?gzip=true").body
	h.stop()
	// What the file has, the hub has folded: another look at its journal.
	h = start(t, func(c *Config) { c.Data = dir })
	want := h.rowLines("")
	again := h.exported("").body
	h.stop()
	var offline bytes.Buffer
	counts, err := ExportFolder(t.Context(), dir, recording.Window{}, false, &offline, func(recording.Counts) {})
	if err != nil {
		t.Fatal(err)
	}
	if counts != (recording.Counts{Requests: 5, Spans: 30}) {
		t.Errorf("the folder's export counts %+v, want 5 requests and 30 spans", counts)
	}
	if !strings.HasPrefix(again, plain) || !strings.HasPrefix(offline.String(), again) {
		t.Error("the export of the folder is not what the hub had exported, and what came since")
	}
	if strings.Contains(plain, `"resourceSpans"`) == strings.Contains(zipped, `"resourceSpans"`) {
		t.Error("one of the exports should be compressed, and the other not")
	}

	shown := start(t, func(c *Config) { c.Recordings = []Recording{held("plain", again), held("zipped", zipped)} })
	if diff := cmp.Diff(want, shown.recordingLines("plain", "")); diff != "" {
		t.Errorf("the replay shows other rows (-hub +replay):\n%s", diff)
	}
	for _, name := range []string{"plain", "zipped"} {
		if got := len(shown.recordingLines(name, "?row=reconcile")); got != 5 {
			t.Errorf("%s has %d reconciles, want 5", name, got)
		}
	}
	if got := len(shown.rowLines("")); got != 0 {
		t.Errorf("%d rows of the recordings are among what is live", got)
	}
}

// TestExportSaysWhatItSent: an answer without its trailers is not whole.
func TestExportSaysWhatItSent(t *testing.T) {
	h := start(t)
	h.send(1)
	h.send(2)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.URL()+"/api/v1/export", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+testToken)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		t.Fatal(err)
	}
	if got := [2]string{res.Trailer.Get(TrailerRequests), res.Trailer.Get(TrailerSpans)}; got != [2]string{"2", "12"} {
		t.Errorf("the trailers are %v, want 2 requests and 12 spans", got)
	}
	if got := res.Header.Get("Content-Disposition"); !strings.Contains(got, `filename="tracer-`) {
		t.Errorf("Content-Disposition is %q", got)
	}
}

// TestRecordingsAreAskedForByName: what is asked for wrongly is told so, and
// nothing of it is for emitters.
func TestRecordingsAreAskedForByName(t *testing.T) {
	h := start(t, func(c *Config) { c.Recordings = []Recording{held("broken", "nonsense"), held("empty", "")} })
	for path, want := range map[string]struct {
		status int
		part   string
	}{
		"/api/v1/recordings":              {200, `{"name":"broken","title":"broken"}`},
		"/api/v1/recordings/nope/rows":    {404, `there is no recording \"nope\": use one of: sample, broken, empty`},
		"/api/v1/recordings/broken/rows":  {422, "it is text, and no JSON"},
		"/api/v1/recordings/broken/watch": {422, "it is text, and no JSON"},
		"/api/v1/recordings/empty/rows":   {422, "it is empty"},
		"/api/v1/export?sinc=1":           {400, `parameter \"sinc\" is not known`},
		"/api/v1/export?since=yesterday":  {400, "since=yesterday is no time"},
		"/api/v1/export?until=tomorrow":   {400, "until=tomorrow is no time"},
		"/api/v1/export?controller=nope":  {400, `there is no controller \"nope\"`},
		"/api/v1/export?gzip=maybe":       {400, "gzip=maybe is neither true nor false"},
		"/api/v1/export?since=2&until=1":  {400, "until is not after since"},
	} {
		res := h.do("GET", path, bearer(testToken), nil)
		if res.status != want.status || !strings.Contains(res.body, want.part) {
			t.Errorf("%s answers %d %s, want %d with %s", path, res.status, res.body, want.status, want.part)
		}
		if res := h.do("GET", path, bearer(testIngest), nil); res.status != 401 {
			t.Errorf("%s answers %d to an emitter's token, want 401", path, res.status)
		}
	}
}

// TestRecordingIsWatched: a snapshot of all rows whose now is the recording's
// end, and a position to resume from.
func TestRecordingIsWatched(t *testing.T) {
	h := start(t)
	h.send(1)
	h.await("the reconcile", func() bool { return len(h.rowLines("?row=reconcile")) == 1 })
	file := h.exported("").body
	h = start(t, func(c *Config) { c.Recordings, c.Replay = []Recording{held("one", file)}, "one" })
	first := watchOne(t, h, "")
	if first.Type != "snapshot" || first.Reason != "start" || len(first.Rows) != len(h.recordingLines("one", "")) {
		t.Fatalf("the first frame is a %s (%s) of %d rows", first.Type, first.Reason, len(first.Rows))
	}
	var blocks, end int64
	for line := range strings.Lines(file) {
		blocks, end = blocks+1, markOf(t, line)
	}
	if first.Offset != uint64(blocks) || first.Now != end {
		t.Errorf("the snapshot is of %d at %d, want %d at %d", first.Offset, first.Now, blocks, end)
	}
	if next := watchOne(t, h, "?from="+first.Epoch+":0"); next.Type != "snapshot" || next.Reason != "lagged" {
		t.Errorf("a resume from before its end gets a %s (%s)", next.Type, next.Reason)
	}
	if res := h.do("POST", "/v1/traces", bearer(testIngest), onePass(t, 2)); res.status != 404 {
		t.Errorf("a hub that replays answers %d to spans, want 404", res.status)
	}
}

type anyFrame struct {
	Type, Epoch, Reason string
	Offset              uint64
	Now                 int64
	Rows                []json.RawMessage
}

func watchOne(t *testing.T, h *running, query string) (f anyFrame) {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), h.URL()+"/api/v1/recordings/one/watch"+query, &websocket.DialOptions{
		Subprotocols: []string{"tracer.v1"}, HTTPHeader: http.Header{"Authorization": {"Bearer " + testToken}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(-1)
	_, data, err := conn.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// markOf is when a line was received.
func markOf(t *testing.T, line string) int64 {
	t.Helper()
	_, rest, _ := strings.Cut(line, recording.AttrReceived+`","value":{"intValue":"`)
	number, _, ok := strings.Cut(rest, `"`)
	var at int64
	if err := json.Unmarshal([]byte(number), &at); err != nil || !ok {
		t.Fatalf("no time in %s", line)
	}
	return at
}

func TestReplayOfABadFileFails(t *testing.T) {
	cfg := Config{Listen: "127.0.0.1:0", Data: t.TempDir(), Recordings: []Recording{held("bad", "%PDF-1.7")}, Replay: "bad"}
	if _, err := New(context.Background(), cfg); err == nil || !strings.Contains(err.Error(), "it is a PDF") {
		t.Errorf("New gives %v", err)
	}
}

// endless is a file without an end.
type endless struct {
	head   io.Reader
	begun  func()
	closed chan struct{}
}

func (e *endless) Read(p []byte) (int, error) {
	if n, err := e.head.Read(p); err == nil {
		return n, nil
	}
	e.begun()
	for i := range p {
		p[i] = '\n'
	}
	return len(p), nil
}

func (e *endless) Close() error {
	close(e.closed)
	return nil
}

// endlessRecording is one that is never folded. begun is told of the first
// reading, closed when the file is.
func endlessRecording(t *testing.T) (r Recording, begun, closed chan struct{}) {
	h := start(t)
	h.send(1)
	line := h.exported("").body
	begun, closed = make(chan struct{}), make(chan struct{})
	return Recording{Name: "endless", Open: func() (io.ReadCloser, error) {
		return &endless{strings.NewReader(line), sync.OnceFunc(func() { close(begun) }), closed}, nil
	}}, begun, closed
}

func TestFoldingEndsWithTheHub(t *testing.T) {
	file, begun, closed := endlessRecording(t)
	h := start(t, func(c *Config) { c.Recordings = []Recording{file} })
	answer := make(chan response, 1)
	go func() { answer <- h.do("GET", "/api/v1/recordings/endless/rows", bearer(testToken), nil) }()
	<-begun
	h.stop()
	select {
	case <-closed:
	default:
		t.Error("the hub has ended, and the file is read on")
	}
	if res := <-answer; res.status != http.StatusServiceUnavailable {
		t.Errorf("who asked is told %d %s", res.status, res.body)
	}
	if _, _, err := h.recordings.find(t.Context(), "endless"); err == nil {
		t.Error("a hub that has ended folds")
	}
}

func TestFoldingEndsWithTheLastWhoAsks(t *testing.T) {
	file, begun, closed := endlessRecording(t)
	h := start(t, func(c *Config) { c.Recordings = []Recording{file} })
	one, leave := context.WithCancel(t.Context())
	other, leaveToo := context.WithCancel(t.Context())
	said := make(chan error, 2)
	for _, ctx := range []context.Context{one, other} {
		go func() {
			_, _, err := h.recordings.find(ctx, "endless")
			said <- err
		}()
	}
	<-begun
	h.client.await("two to ask", func() bool {
		r := h.recordings.list[1]
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.now != nil && r.now.askers == 2
	})
	leave()
	gone := func() {
		if err := <-said; !errors.Is(err, context.Canceled) {
			t.Errorf("who has gone is told %v", err)
		}
	}
	gone()
	select {
	case <-closed:
		t.Error("it has ended, and somebody waits")
	default:
	}
	leaveToo()
	gone()
	<-closed
}

func TestAStartThatFoldsCanBeInterrupted(t *testing.T) {
	file, begun, closed := endlessRecording(t)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-begun; cancel() }()
	cfg := Config{Listen: "127.0.0.1:0", Data: t.TempDir(), Recordings: []Recording{file}, Replay: "endless"}
	if _, err := New(ctx, cfg); !errors.Is(err, context.Canceled) {
		t.Errorf("New gives %v", err)
	}
	<-closed
}

// Who watches a recording takes a place as well.
func TestViewersOfRecordingsAreCounted(t *testing.T) {
	h, viewers := sharing(t, func(c *Config) { c.ShareViewers = 1 })
	watch := func(path string) *websocket.Conn {
		conn, _, err := websocket.Dial(t.Context(), viewers.url+path, &websocket.DialOptions{
			HTTPHeader: http.Header{"Authorization": {"Bearer " + testViewer}}, Subprotocols: []string{"tracer.v1"},
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.CloseNow() })
		conn.SetReadLimit(-1)
		return conn
	}
	frame(t, watch("/api/v1/recordings/sample/watch"), "snapshot")
	for _, path := range []string{"/api/v1/recordings/sample/watch", "/api/v1/watch"} {
		if f := frame(t, watch(path), "error"); f["code"] != "full" {
			t.Errorf("%s: one too many is told %v", path, f)
		}
	}
	if res := viewers.do("GET", "/", bearer(testViewer), nil); res.status != http.StatusServiceUnavailable {
		t.Errorf("the page answers %d", res.status)
	}
	h.stop()
}
