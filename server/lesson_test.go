package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

// recordedLessons notes what it is asked for.
type recordedLessons struct {
	asked   []string
	viewers []string
	mine    map[string]int
	err     error
}

func (l *recordedLessons) List() any { return []map[string]string{{"id": "lesson-1"}} }

func (l *recordedLessons) State() any { return map[string]int{"beat": len(l.asked)} }

func (l *recordedLessons) Mine(viewer string) (choice int, ok bool) {
	choice, ok = l.mine[viewer]
	return choice, ok
}

func (l *recordedLessons) StartAt(id string, beat int) error {
	if beat != 1 {
		id += fmt.Sprintf(" at %d", beat)
	}
	l.asked = append(l.asked, "start "+id)
	return l.err
}

func (l *recordedLessons) DoAt(_ context.Context, command string, beat int, state string) error {
	if beat != 0 {
		command += fmt.Sprintf(" at %d %s", beat, state)
	}
	l.asked = append(l.asked, command)
	return l.err
}

func (l *recordedLessons) Answer(_ context.Context, viewer string, beat, choice int) error {
	l.asked, l.viewers = append(l.asked, fmt.Sprintf("answer %d %d", beat, choice)), append(l.viewers, viewer)
	if l.mine == nil {
		l.mine = map[string]int{}
	}
	l.mine[viewer] = choice
	return l.err
}

func TestLessonCommands(t *testing.T) {
	l := &recordedLessons{}
	h := start(t, func(c *Config) { c.Lessons = l })
	for _, path := range []string{"/lessons/lesson-2/start", "/lesson/next", "/lesson/previous", "/lesson/restart", "/lesson/stop"} {
		if res := h.do("POST", "/api/v1"+path, bearer(testToken), nil); res.status != 200 || !strings.HasPrefix(res.body, `{"lesson":{"beat":`) {
			t.Errorf("%s: %d %s", path, res.status, res.body)
		}
	}
	if got := strings.Join(l.asked, ", "); got != "start lesson-2, next, previous, restart, stop" {
		t.Errorf("asked for %s", got)
	}
	if res := h.do("GET", "/api/v1/lessons", bearer(testToken), nil); strings.TrimSpace(res.body) != `{"lessons":[{"id":"lesson-1"}]}` {
		t.Errorf("the list is %s", res.body)
	}
	l.err = statusError(409)
	if res := h.do("POST", "/api/v1/lesson/next", bearer(testToken), nil); res.status != 409 || !strings.Contains(res.body, "the PodSet is not there") {
		t.Errorf("a refusal: %d %s", res.status, res.body)
	}
}

// A command says where the lesson was for who gave it, or nothing of that.
func TestLessonCommandsSayWhatTheyMean(t *testing.T) {
	l := &recordedLessons{}
	h := start(t, func(c *Config) { c.Lessons = l })
	for _, c := range []struct {
		body string
		want int
	}{{`{"beat":3,"state":"done"}`, 200}, {"{}", 200}, {"", 200}, {`{"beat":3}`, 400}, {`{"state":"done"}`, 400}, {`{"beat":-1,"state":"done"}`, 400}, {`{"beat":"3"}`, 400}, {"beat=3", 400}} {
		if res := h.do("POST", "/api/v1/lesson/next", bearer(testToken), []byte(c.body)); res.status != c.want {
			t.Errorf("%q: %d %s, want %d", c.body, res.status, res.body, c.want)
		}
	}
	for body, want := range map[string]int{`{"beat":4}`: 200, `{"beat":"4"}`: 400} {
		if res := h.do("POST", "/api/v1/lessons/lesson-4/start", bearer(testToken), []byte(body)); res.status != want {
			t.Errorf("start with %q: %d %s, want %d", body, res.status, res.body, want)
		}
	}
	if got := strings.Join(l.asked, ", "); got != "next at 3 done, next, next, start lesson-4 at 4" {
		t.Errorf("asked for %s", got)
	}
}

// What is wrong in a body is said in the body's words.
func TestLessonsSayWhatIsWrongInABody(t *testing.T) {
	h := start(t, func(c *Config) { c.Lessons = &recordedLessons{} })
	for _, c := range []struct{ path, body, says string }{
		{"/lessons/lesson-4/start", `{"beat":"4"}`, "beat cannot be string"},
		{"/lesson/next", `{"beat":3,"state":false}`, "state cannot be bool"},
		{"/lesson/next", `{"beat":3}`, "it needs both a beat"},
		{"/lesson/answer", `[2,1]`, "JSON of the kind array"},
		{"/lesson/answer", `{"beat":2}`, "it needs both a beat and a choice"},
	} {
		res := h.do("POST", "/api/v1"+c.path, asJSON(bearer(testToken)), []byte(c.body))
		if res.status != 400 || !strings.Contains(res.body, c.says) || !strings.Contains(res.body, ": send {") {
			t.Errorf("%s %s: %d %s, want 400 with %q", c.path, c.body, res.status, res.body, c.says)
		}
	}
}

func TestLessonsAreThePresentersOnThisPage(t *testing.T) {
	h := start(t, func(c *Config) { c.Lessons = &recordedLessons{} })
	for _, path := range []string{"/lessons/lesson-1/start", "/lesson/next", "/lesson/answer"} {
		if res := h.do("POST", "/api/v1"+path, nil, nil); res.status != 401 {
			t.Errorf("%s without a token: %d", path, res.status)
		}
		foreign := bearer(testToken)
		foreign["Origin"] = "https://elsewhere.test"
		if res := h.do("POST", "/api/v1"+path, foreign, nil); res.status != 403 {
			t.Errorf("%s from another page: %d %s", path, res.status, res.body)
		}
	}
	none := start(t)
	if res := none.do("GET", "/api/v1/lesson", bearer(testToken), nil); res.status != 503 || !strings.Contains(res.body, "--kubeconfig") {
		t.Errorf("without a cluster: %d %s", res.status, res.body)
	}
	// A list without an entry is an answer: the page asks for it wherever it is.
	if res := none.do("GET", "/api/v1/lessons", bearer(testToken), nil); res.status != 200 || !strings.Contains(res.body, `"lessons":[]`) ||
		!strings.Contains(res.body, "--kubeconfig") || strings.Contains(res.body, "`") {
		t.Errorf("the list without a cluster: %d %s", res.status, res.body)
	}
}

func TestAnswersCountOnceForEachBrowser(t *testing.T) {
	l := &recordedLessons{}
	h, viewers := sharing(t, func(c *Config) { c.Lessons = l })
	for body, want := range map[string]int{"": 400, "{}": 400, `{"beat":2}`: 400, `{"beat":"two","choice":1}`: 400, strings.Repeat("x", 17<<10): 413} {
		if res := h.do("POST", "/api/v1/lesson/answer", asJSON(bearer(testToken)), []byte(body)); res.status != want {
			t.Errorf("%.20q: %d %s, want %d", body, res.status, res.body, want)
		}
	}
	if res := h.do("POST", "/api/v1/lesson/answer", bearer(testToken), []byte(`{"beat":2,"choice":1}`)); res.status != http.StatusUnsupportedMediaType {
		t.Errorf("an answer that is not said to be JSON: %d, want 415", res.status)
	}
	answer := func(of *client, who headers, want int) {
		t.Helper()
		if res := of.do("POST", "/api/v1/lesson/answer", asJSON(who), []byte(`{"beat":2,"choice":1}`)); res.status != want {
			t.Errorf("an answer: %d %s, want %d", res.status, res.body, want)
		}
	}
	made := bearer(testViewer)
	made["Cookie"] = "tracer-browser-" + portOf(h.ShareAddr()) + "=" + strings.Repeat("A", 26)
	for _, who := range []headers{bearer(testViewer), made} { // neither watches
		answer(viewers, who, http.StatusConflict)
	}
	first, second := viewers.browser(), viewers.browser()
	presenting := bearer(testToken)
	for _, who := range []headers{first, first, second} {
		answer(viewers, who, http.StatusNoContent)
	}
	answer(h.client, presenting, http.StatusNoContent)
	answer(h.client, presenting, http.StatusNoContent)
	v := l.viewers
	if len(v) != 5 || v[0] != v[1] || v[0] == v[2] || v[3] != v[4] || v[3] == v[0] {
		t.Errorf("the viewers are %q, want the first two the same, and the last two", v)
	}
}

// However many connections a browser has, it has one voice; without any it has
// none.
func TestABrowserOfManyConnectionsHasOneVoice(t *testing.T) {
	l := &recordedLessons{}
	h, viewers := sharing(t, func(c *Config) { c.Lessons = l })
	me := bearer(testViewer)
	me["Cookie"], _, _ = strings.Cut(viewers.do("GET", "/", me, nil).header.Get("Set-Cookie"), ";")
	var conns []*websocket.Conn
	for range 5 {
		conns = append(conns, viewers.watchWith(me))
	}
	answer := func() int {
		return viewers.do("POST", "/api/v1/lesson/answer", asJSON(me), []byte(`{"beat":2,"choice":1}`)).status
	}
	for i, conn := range conns {
		if got := answer(); got != http.StatusNoContent {
			t.Errorf("with %d connections: %d, want 204", len(conns)-i, got)
		}
		_ = conn.CloseNow()
	}
	h.client.await("the connections to be gone", func() bool { return answer() == http.StatusConflict })
	if len(l.mine) != 1 {
		t.Errorf("it has %d voices, want 1", len(l.mine))
	}
}

// asJSON are headers that say that the body is JSON.
func asJSON(h headers) headers {
	with := maps.Clone(h)
	with["Content-Type"] = "application/json"
	return with
}

// browser opens the page as a browser does, and watches until the test ends.
func (r *client) browser() headers {
	r.t.Helper()
	who := bearer(testViewer)
	who["Cookie"], _, _ = strings.Cut(r.do("GET", "/", who, nil).header.Get("Set-Cookie"), ";")
	r.watchWith(who)
	if again := r.do("GET", "/", who, nil).header.Get("Set-Cookie"); again != "" {
		r.t.Errorf("a browser that has its cookie gets %q", again)
	}
	return who
}

// watchWith watches with headers until the test ends.
func (r *client) watchWith(who headers) *websocket.Conn {
	r.t.Helper()
	conn, _, err := websocket.Dial(r.t.Context(), r.url+"/api/v1/watch", &websocket.DialOptions{
		HTTPHeader: http.Header{"Authorization": {who["Authorization"]}, "Cookie": {who["Cookie"]}}, Subprotocols: []string{"tracer.v1"},
	})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = conn.CloseNow() })
	frame(r.t, conn, "snapshot")
	return conn
}

// A page that is opened anew asks for its own answer, as the lesson has it.
func TestABrowserIsToldItsAnswer(t *testing.T) {
	l := &recordedLessons{}
	h, viewers := sharing(t, func(c *Config) { c.Lessons = l })
	me, other := viewers.browser(), viewers.browser()
	mine := func(of *client, who headers) string {
		var state struct{ Mine json.RawMessage }
		if err := json.Unmarshal([]byte(of.do("GET", "/api/v1/lesson", who, nil).body), &state); err != nil {
			t.Fatal(err)
		}
		return string(state.Mine)
	}
	viewers.do("POST", "/api/v1/lesson/answer", asJSON(me), []byte(`{"beat":2,"choice":0}`))
	h.do("POST", "/api/v1/lesson/answer", asJSON(bearer(testToken)), []byte(`{"beat":2,"choice":1}`))
	if mine(viewers, me) != "0" || mine(viewers, other) != "" || mine(h.client, bearer(testToken)) != "1" {
		t.Errorf("one is told %q, another %q, the presenter %q", mine(viewers, me), mine(viewers, other), mine(h.client, bearer(testToken)))
	}
	l.mine = nil // the beat begins again
	if got := mine(viewers, me); got != "" {
		t.Errorf("it is told %q still", got)
	}
}

// What belongs to the hub calls it from within, as presenter and as emitter.
func TestLocalClient(t *testing.T) {
	h := start(t)
	client := h.Local()
	res, err := client.Get(LocalURL + "/api/v1/rows")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.ReadAll(res.Body); err != nil || res.StatusCode != http.StatusOK {
		t.Errorf("rows: %d, %v", res.StatusCode, err)
	}
	sent, err := client.Post(LocalURL+"/v1/traces", "application/x-protobuf", strings.NewReader(string(onePass(t, 1))))
	if err != nil {
		t.Fatal(err)
	}
	defer sent.Body.Close()
	if sent.StatusCode != http.StatusOK {
		t.Errorf("traces: %d", sent.StatusCode)
	}
	conn, _, err := websocket.Dial(t.Context(), LocalURL+"/api/v1/watch", &websocket.DialOptions{HTTPClient: client, Subprotocols: []string{"tracer.v1"}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.CloseNow() }()
	_, data, err := conn.Read(t.Context())
	var frame struct{ Type string }
	if err != nil || json.Unmarshal(data, &frame) != nil || frame.Type != "snapshot" {
		t.Errorf("the first frame is %s, %v", data, err)
	}
	h.stop()
	if _, err := client.Get(LocalURL + "/healthz"); err == nil {
		t.Error("a hub that has ended answers")
	}
}
