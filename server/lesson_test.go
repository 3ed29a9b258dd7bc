package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

// recordedLessons notes what it is asked for.
type recordedLessons struct {
	asked   []string
	viewers []string
	err     error
}

func (l *recordedLessons) List() any { return []map[string]string{{"id": "lesson-1"}} }

func (l *recordedLessons) State() any { return map[string]int{"beat": len(l.asked)} }

func (l *recordedLessons) Start(id string) error {
	l.asked = append(l.asked, "start "+id)
	return l.err
}

func (l *recordedLessons) Do(_ context.Context, command string) error {
	l.asked = append(l.asked, command)
	return l.err
}

func (l *recordedLessons) Answer(_ context.Context, viewer string, beat, choice int) error {
	l.asked, l.viewers = append(l.asked, fmt.Sprintf("answer %d %d", beat, choice)), append(l.viewers, viewer)
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
}

func TestAnswersCountOnceForEachBrowser(t *testing.T) {
	l := &recordedLessons{}
	h := start(t, func(c *Config) { c.Lessons = l })
	for _, body := range []string{"", "{}", `{"beat":2}`, `{"beat":"two","choice":1}`, strings.Repeat("x", 2000)} {
		if res := h.do("POST", "/api/v1/lesson/answer", bearer(testToken), []byte(body)); res.status != 400 || !strings.Contains(res.body, "not an answer") {
			t.Errorf("%.20q: %d %s", body, res.status, res.body)
		}
	}
	first := h.do("POST", "/api/v1/lesson/answer", bearer(testToken), []byte(`{"beat":2,"choice":0}`))
	if first.status != http.StatusNoContent {
		t.Fatalf("an answer: %d %s", first.status, first.body)
	}
	cookie, _, _ := strings.Cut(first.header.Get("Set-Cookie"), ";")
	again := bearer(testToken)
	again["Cookie"] = cookie
	h.do("POST", "/api/v1/lesson/answer", again, []byte(`{"beat":2,"choice":1}`))
	h.do("POST", "/api/v1/lesson/answer", bearer(testToken), []byte(`{"beat":2,"choice":1}`))
	if len(l.viewers) != 3 || l.viewers[0] != l.viewers[1] || l.viewers[0] == l.viewers[2] {
		t.Errorf("the viewers are %q, want the first two the same", l.viewers)
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
