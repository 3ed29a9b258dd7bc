package server

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/reconcile-tracer/tracer/server/recording"
)

// watchRecording opens a page of the sample session.
func (r *client) watchRecording(token, page string) *websocket.Conn {
	r.t.Helper()
	conn, res, err := r.dialWatch(token, "/api/v1/recordings/sample/watch?page="+page)
	if err != nil {
		r.t.Fatalf("watching: %v (%v)", err, res)
	}
	return conn
}

// shows is a room whose presenter is there and shows a recording, "" for what is live.
func shows(recording string) func(map[string]any) bool {
	return func(room map[string]any) bool {
		p, _ := room["presenter"].(map[string]any)
		return p["here"] == true && p["recording"] == recording
	}
}

const sampleAt7 = `{"page":"p2","recording":"sample","mode":"playing","t":7,"since":9,"speed":1}`

// The room is one, whatever its pages show: viewers of what is live hear that the
// presenter has gone to a recording, those of it that the presenter is back.
func TestTheRoomIsOneWhereverItsPagesAre(t *testing.T) {
	h, viewers := sharing(t)
	live := viewers.watchAs(testViewer, "?page=v1")
	inRoom(t, live, has("following", 1))
	presenting := h.watchRecording(testToken, "p2")
	frame(t, presenting, "room")
	if res := h.put("/api/v1/room/presenter", testToken, sampleAt7); res.status != 204 {
		t.Fatalf("presenting a recording: %d %s", res.status, res.body)
	}
	inRoom(t, live, shows("sample"))
	followed := viewers.watchRecording(testViewer, "v2")
	inRoom(t, followed, shows("sample"))
	inRoom(t, presenting, has("following", 2))
	if res := viewers.put("/api/v1/room/following", testViewer, `{"page":"v2","following":false}`); res.status != 204 {
		t.Fatalf("leaving: %d %s", res.status, res.body)
	}
	inRoom(t, presenting, has("following", 1))

	_ = presenting.CloseNow()
	inRoom(t, followed, func(room map[string]any) bool { return room["presenter"].(map[string]any)["here"] == false })
	back := h.watchAs(testToken, "?page=p1")
	frame(t, back, "room")
	if res := h.put("/api/v1/room/presenter", testToken, pausedAt7); res.status != 204 {
		t.Fatalf("presenting what is live: %d %s", res.status, res.body)
	}
	inRoom(t, followed, shows(""))
}

// The frames of a recording carry its end, but those of the room the time that it is.
func TestTheRoomTellsTheTimeInARecordingToo(t *testing.T) {
	h := start(t)
	page, live := h.watchRecording(testToken, "p1"), h.watchAs(testToken, "")
	end := frame(t, page, "snapshot")["now"].(float64)
	told, now := frame(t, page, "room")["now"].(float64), frame(t, live, "snapshot")["now"].(float64)
	if told <= end || told > now+60e6 || told < now-60e6 {
		t.Errorf("the room is told at %.0f, it is %.0f and the recording ends at %.0f", told, now, end)
	}
}

func TestAPresenterShowsOnlyWhatThereIs(t *testing.T) {
	h := start(t)
	frame(t, h.watchRecording(testToken, "p2"), "room")
	for name, want := range map[string]string{
		"nope":                  `recording: there is no recording \"nope\": use one of: sample`,
		strings.Repeat("x", 65): "recording has 65 bytes, the limit is 64",
	} {
		res := h.put("/api/v1/room/presenter", testToken, strings.ReplaceAll(sampleAt7, `"sample"`, `"`+name+`"`))
		if res.status != 400 || !strings.Contains(res.body, want) {
			t.Errorf("%s: %d %s, want 400 and %s", name, res.status, res.body, want)
		}
	}
	h = start(t, func(c *Config) {
		c.Recordings, c.Replay = []Recording{{Name: "mine", Open: recording.OpenSample}}, "mine"
	})
	live := strings.ReplaceAll(sampleAt7, `"sample"`, `""`)
	if res := h.put("/api/v1/room/presenter", testToken, live); res.status != 400 || !strings.Contains(res.body, "use one of: mine") {
		t.Errorf("what is live, where a recording alone is shown: %d %s", res.status, res.body)
	}
}

// Who goes from what is live to a recording finds a place in a room that is full.
func TestWhoIsThereMayGoFromPageToPage(t *testing.T) {
	_, viewers := sharing(t, func(c *Config) { c.ShareViewers = 1 })
	me := viewers.browser()
	if res := viewers.do("HEAD", "/?recording=sample", me, nil); res.status != 200 {
		t.Errorf("who has a place is answered %d", res.status)
	}
	if res := viewers.do("HEAD", "/?recording=sample", bearer(testViewer), nil); res.status != 503 {
		t.Errorf("another is answered %d, want 503", res.status)
	}
}

// A presenter shows the viewers' link from a recording too, where there is one.
func TestARecordingIsSharedFromItsPage(t *testing.T) {
	h, viewers := sharing(t)
	page := func(of *client, token string) string {
		return of.do("GET", "/?recording=sample", bearer(token), nil).body
	}
	const button = `id="share-open"`
	if body := page(h.client, testToken); !strings.Contains(body, button) || !strings.Contains(body, "data-shared") {
		t.Error("the presenter's page of a recording has no button to share")
	}
	if strings.Contains(page(viewers, testViewer), button) || strings.Contains(page(start(t).client, testToken), button) {
		t.Error("there is a button to share for a viewer, or where there is no link")
	}
}

// Viewers answer the question of a recorded lesson, one voice for each browser, and
// what they answered is told without names once it is closed.
func TestViewersAnswerARecordedQuestion(t *testing.T) {
	h, viewers := sharing(t)
	presenting := h.watchRecording(testToken, "p2")
	frame(t, presenting, "room")
	me := viewers.browser()
	answer := func(who headers, body string) response {
		return viewers.do("POST", "/api/v1/room/answer", asJSON(who), []byte(body))
	}
	ask := func(open string) {
		asked := strings.Replace(sampleAt7, "}", `,"question":{"beat":2,"choices":2,"open":`+open+`}}`, 1)
		if res := h.put("/api/v1/room/presenter", testToken, asked); res.status != 204 {
			t.Fatalf("asking: %d %s", res.status, res.body)
		}
	}
	ask("true")
	for _, body := range []string{`{"beat":2,"choice":0}`, `{"beat":2,"choice":1}`} {
		if res := answer(me, body); res.status != 204 {
			t.Errorf("answering: %d %s", res.status, res.body)
		}
	}
	if res := answer(me, `{"beat":3,"choice":0}`); res.status != 409 || !strings.Contains(res.body, "beat 3 has no question that is open") {
		t.Errorf("to another beat: %d %s", res.status, res.body)
	}
	if res := answer(bearer(testViewer), `{"beat":2,"choice":0}`); res.status != 409 || !strings.Contains(res.body, "pages that watch") {
		t.Errorf("of who does not watch: %d %s", res.status, res.body)
	}
	if res := viewers.do("GET", "/api/v1/room/answer", me, nil); strings.TrimSpace(res.body) != `{"mine":1}` {
		t.Errorf("the browser is told %s", res.body)
	}
	poll := func(room map[string]any) map[string]any { p, _ := room["poll"].(map[string]any); return p }
	open := inRoom(t, presenting, func(room map[string]any) bool { return poll(room)["answered"] == 1.0 })
	if tally := poll(open)["tally"]; tally != nil {
		t.Errorf("while it is open the tally is %v", tally)
	}
	ask("false")
	closed := inRoom(t, presenting, func(room map[string]any) bool { return poll(room)["open"] == false })
	if tally := fmt.Sprint(poll(closed)["tally"]); tally != "[0 1]" {
		t.Errorf("once it is closed the tally is %s", tally)
	}
}
