package server

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/reconcile-tracer/tracer/server/recording"
	"github.com/reconcile-tracer/tracer/tracer/control/wire"
)

// What the hub does not serve is answered to programs in JSON, to people by a page,
// and says what to do.
func TestWhatIsNotThereIsSaidToWhoAsks(t *testing.T) {
	h, viewers := sharing(t)
	replay := start(t, func(c *Config) {
		c.Recordings, c.Replay = []Recording{{Name: "mine", Open: recording.OpenSample}}, "mine"
	})
	for _, c := range []struct {
		of           *client
		method, path string
		status       int
		says         string
	}{
		{h.client, "GET", "/api/v1/rowz", 404, `there is nothing at \"/api/v1/rowz\": the API is under /api/v1, see docs/rows.md`},
		{h.client, "GET", "/api", 404, "docs/control.md"},
		{h.client, "GET", "/api/v2/rows", 404, "under /api/v1"},
		{h.client, "POST", "/api/v1/rows", 405, `\"/api/v1/rows\" does not take POST: use GET`},
		{h.client, "GET", "/api/v1/room/call", 405, "use POST"},
		{h.client, "GET", "/v1/traces", 405, "use POST"},
		{h.client, "GET", "/v1/metrics", 404, "spans go to /v1/traces"},
		{h.client, "POST", "/healthz", 405, "use GET"},
		{replay.client, "POST", "/v1/traces", 404, "this hub shows a recording, and takes neither spans nor commands"},
		{viewers, "GET", "/api/v1/rowz", 404, "this is the viewers' address"},
		{viewers, "POST", "/v1/traces", 404, "all else is at the presenter's"},
		{h.client, "GET", "/rows", 404, `href="/"`},
		{viewers, "GET", "/rows", 404, `href="/"`},
		{h.client, "POST", "/", 405, `href="/"`},
	} {
		res := c.of.do(c.method, c.path, bearer(testViewer), nil)
		if res.status != c.status || !strings.Contains(res.body, c.says) {
			t.Errorf("%s %s: %d %s, want %d with %s", c.method, c.path, res.status, res.body, c.status, c.says)
		}
		isAPI, want := forPrograms(c.path), "text/html; charset=utf-8"
		if isAPI {
			want = "application/json"
		}
		if got := res.header.Get("Content-Type"); got != want || isAPI && !json.Valid([]byte(res.body)) {
			t.Errorf("%s %s is answered as %q, want %q: %s", c.method, c.path, got, want, res.body)
		}
		if allow := res.header.Get("Allow"); (allow != "") != (c.status == 405) {
			t.Errorf("%s %s: Allow is %q", c.method, c.path, allow)
		}
	}
}

func TestCommandsAreTakenByAWebsocketAlone(t *testing.T) {
	h := start(t, func(c *Config) { c.ControlToken = testControl })
	if res := h.do("GET", wire.Path, bearer(testControl), nil); res.status != 426 || !strings.Contains(res.body, `{"error":"this is a websocket: open it as one`) {
		t.Errorf("without one: %d %s", res.status, res.body)
	}
}

// A websocket's path says so, and what is wrong in its query, as all of the API
// does.
func TestTheWatchAnswersInJSON(t *testing.T) {
	h := start(t)
	for path, c := range map[string]struct {
		head   headers
		status int
		says   string
	}{
		"/api/v1/watch":                      {bearer(testToken), 426, "this is a websocket"},
		"/api/v1/recordings/sample/watch":    {bearer(testToken), 426, "this is a websocket"},
		"/api/v1/watch?row=pod":              {wsHead, 400, "use reconcile"},
		"/api/v1/watch?from=a":               {wsHead, 400, "<epoch>:<offset>"},
		"/api/v1/recordings/sample/watch?x=": {wsHead, 400, "x"},
	} {
		head := bearer(testToken)
		maps.Copy(head, c.head)
		res := h.do("GET", path, head, nil)
		var said struct{ Error string }
		if err := json.Unmarshal([]byte(res.body), &said); err != nil || res.status != c.status || !strings.Contains(said.Error, c.says) ||
			res.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %s %s, want %d in JSON with %q", path, res.status, res.header.Get("Content-Type"), res.body, c.status, c.says)
		}
	}
}
