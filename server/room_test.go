package server

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

func read(t testing.TB, res *http.Response) string {
	t.Helper()
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// inRoom reads room frames until one is as wanted.
func inRoom(t testing.TB, conn *websocket.Conn, ok func(room map[string]any) bool) map[string]any {
	t.Helper()
	for {
		room, _ := frame(t, conn, "room")["room"].(map[string]any)
		if ok(room) {
			return room
		}
	}
}

func has(name string, n float64) func(map[string]any) bool {
	return func(room map[string]any) bool { return room[name] == n }
}

func (r *client) put(path, token, body string) response {
	with := bearer(token)
	with["Content-Type"] = "application/json"
	return r.do("PUT", path, with, []byte(body))
}

const pausedAt7 = `{"page":"p1","mode":"paused","t":7,"since":9,"speed":1,"sel":{"controller":"podset","item":"default/web","reconcile":""},"q":"result:error"}`

func TestViewersGetThePresentersMeaning(t *testing.T) {
	h, viewers := sharing(t)
	presenting := h.watchAs(testToken, "?page=p1")
	inRoom(t, presenting, has("viewers", 0))
	early := viewers.watchAs(testViewer, "?page=v1")
	inRoom(t, presenting, has("following", 1))
	if res := h.put("/api/v1/room/presenter", testToken, pausedAt7); res.status != 204 {
		t.Fatalf("presenting: %d %s", res.status, res.body)
	}
	late := viewers.watchAs(testViewer, "?page=v2")
	for name, conn := range map[string]*websocket.Conn{"early": early, "late": late} {
		room := inRoom(t, conn, func(room map[string]any) bool {
			return room["presenter"].(map[string]any)["here"] == true
		})
		p, _ := json.Marshal(room["presenter"])
		want := `{"here":true,"mode":"paused","page":"p1","q":"result:error","question":null,"recording":"","sel":{"controller":"podset","item":"default/web","reconcile":""},"since":9,"speed":1,"t":7}`
		if string(p) != want {
			t.Errorf("the %s viewer gets %s, want %s", name, p, want)
		}
	}
	_ = presenting.CloseNow()
	inRoom(t, early, func(room map[string]any) bool { return room["presenter"].(map[string]any)["here"] == false })
}

func TestPresenterSeesWhoFollowsAndCallsThemBack(t *testing.T) {
	h, viewers := sharing(t)
	presenting := h.watchAs(testToken, "?page=p1")
	viewer := viewers.watchAs(testViewer, "?page=v1")
	inRoom(t, presenting, has("following", 1))
	if res := viewers.put("/api/v1/room/following", testViewer, `{"page":"v1","following":false}`); res.status != 204 {
		t.Fatalf("leaving: %d %s", res.status, res.body)
	}
	inRoom(t, presenting, has("following", 0))
	call := bearer(testToken)
	if res := h.do("POST", "/api/v1/room/call", call, nil); res.status != 204 {
		t.Fatalf("calling: %d %s", res.status, res.body)
	}
	inRoom(t, viewer, has("call", 1))
}

func TestSecondPresentersPageIsToldAndMayTakeOver(t *testing.T) {
	h, _ := sharing(t)
	frame(t, h.watchAs(testToken, "?page=p1"), "room")
	second := h.watchAs(testToken, "?page=p2")
	frame(t, second, "room")
	other := `{"page":"p2","mode":"following","t":0,"since":0,"speed":1}`
	taking := `{"page":"p2","take":true,"mode":"following","t":0,"since":0,"speed":1}`
	for _, step := range []struct {
		body string
		want int
	}{{pausedAt7, 204}, {other, 409}, {taking, 204}, {pausedAt7, 409}} {
		if res := h.put("/api/v1/room/presenter", testToken, step.body); res.status != step.want {
			t.Errorf("%s: %d %s, want %d", step.body, res.status, res.body, step.want)
		}
	}
}

// What is of the wrong kind is said in JSON's words.
func TestWrongKindsToTheRoomAreSaid(t *testing.T) {
	h, _ := sharing(t)
	for body, want := range map[string]string{
		`[]`: "what a page says of itself: it is JSON of the kind array, and must be an object", `{"page":5,"following":true}`: "page cannot be number", `{`: "unexpected end of JSON input",
	} {
		if res := h.put("/api/v1/room/following", testToken, body); !strings.Contains(res.body, want) || strings.Contains(res.body, "struct") {
			t.Errorf("%s: %s, want %s", body, res.body, want)
		}
	}
}

func TestWrongWordsToTheRoomAreAnswered(t *testing.T) {
	h, _ := sharing(t)
	frame(t, h.watchAs(testToken, "?page=p1"), "room")
	for body, want := range map[string]int{
		`[]`: 400, `{"page":"p1","mode":"fast","speed":1}`: 400, `{"page":"p 1","mode":"paused","speed":1}`: 400,
		`{"page":"nobody","mode":"paused","speed":1}`: 409,
	} {
		if res := h.put("/api/v1/room/presenter", testToken, body); res.status != want {
			t.Errorf("%s: %d %s, want %d", body, res.status, res.body, want)
		}
	}
	evil := headers{"Cookie": h.sessionName(here, presenter) + "=" + h.token.cookie(), "Content-Type": "application/json", "Origin": "http://evil.test"}
	for method, path := range map[string]string{"PUT": "/api/v1/room/presenter", "POST": "/api/v1/room/call"} {
		if res := h.do(method, path, evil, []byte("{}")); res.status != 403 {
			t.Errorf("%s %s from another site: %d, want 403", method, path, res.status)
		}
	}
	if res := h.do("GET", "/api/v1/watch?page=a%20b", bearer(testToken), nil); res.status != 400 {
		t.Errorf("a page of a strange name: %d, want 400", res.status)
	}
}
