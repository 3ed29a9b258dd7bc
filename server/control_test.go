package server

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/tracer/control"
	"github.com/reconcile-tracer/tracer/tracer/control/wire"
)

const testControl = "the-controllers-token"

// controlled is a hub to which one controller is attached.
type controlled struct {
	*running
	debugger *control.Debugger
	// detach ends the controller's connection.
	detach func()
}

func startControlled(t *testing.T, change ...func(*Config)) *controlled {
	t.Helper()
	c := &controlled{running: start(t, append(change, func(cfg *Config) { cfg.ControlToken = testControl })...)}
	linked := make(chan bool, 10)
	c.debugger = control.New(control.Config{
		Hub: c.URL(), Token: testControl, Controller: "podset", Resource: "podsets",
		Linked: func(on bool) { linked <- on }, Logger: slog.New(slog.DiscardHandler),
	})
	c.detach = attach(t, c.debugger)
	if !<-linked {
		t.Fatal("the controller is not linked")
	}
	return c
}

func attach(t *testing.T, d *control.Debugger) (detach func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { d.Run(ctx) })
	detach = sync.OnceFunc(func() { cancel(); running.Wait() })
	t.Cleanup(detach)
	return detach
}

func (c *controlled) ask(body string) response {
	c.t.Helper()
	h := bearer(testToken)
	h["Content-Type"] = "application/json"
	return c.do("POST", "/api/v1/control", h, []byte(body))
}

// commands are the rows of commands, by id.
func (r *client) commands() map[string]flow.Control {
	r.t.Helper()
	rows := map[string]flow.Control{}
	for _, line := range r.rowLines("?row=control") {
		var row flow.Control
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			r.t.Fatal(err)
		}
		rows[row.Key] = row
	}
	return rows
}

func (c *controlled) mustAsk(body string) (id, text string) {
	c.t.Helper()
	res := c.ask(body)
	var a struct{ ID, Text string }
	if err := json.Unmarshal([]byte(res.body), &a); err != nil || res.status != http.StatusOK {
		c.t.Fatalf("%s: %d %s", body, res.status, res.body)
	}
	return a.ID, a.Text
}

func (c *controlled) wantLifted(id, why string) {
	c.t.Helper()
	c.await("the command has ended", func() bool { return c.commands()[id].To != 0 })
	if row := c.commands()[id]; row.Lifted != why || row.To <= row.From {
		c.t.Errorf("it has ended as %+v, want by %q", row, why)
	}
}

func TestACommandIsARowUntilItIsLifted(t *testing.T) {
	c := startControlled(t)
	id, text := c.mustAsk(`{"command":"pause","controller":"podset","item":"default/web","phase":"apply"}`)
	if text != "presenter paused podset with default/web before apply" || !c.debugger.Armed() {
		t.Errorf("it is called %q, and is in force: %v", text, c.debugger.Armed())
	}
	c.await("its row", func() bool { return c.commands()[id].Text == text })
	if row := c.commands()[id]; row.To != 0 || row.Until-row.From != wire.MaxHold.Microseconds() || row.Item != "default/web" || row.By != "presenter" {
		t.Errorf("its row is %+v", row)
	}
	done, _ := c.mustAsk(`{"command":"resume","controller":"podset"}`)
	c.wantLifted(id, "resumed")
	if row := c.commands()[done]; row.To != row.From || row.Until != 0 || c.debugger.Armed() {
		t.Errorf("the resume is %+v, armed: %v", row, c.debugger.Armed())
	}
}

func TestWhatStoodEndsWithTheConnection(t *testing.T) {
	c := startControlled(t)
	id, _ := c.mustAsk(`{"command":"slow","controller":"podset","factor":10}`)
	c.detach()
	c.wantLifted(id, "the connection to the controller is gone")
	if c.debugger.Armed() {
		t.Error("it is in force still")
	}
	res := c.ask(`{"command":"pause","controller":"podset"}`)
	if res.status != http.StatusConflict || !strings.Contains(res.body, "podset does not take commands: start it with Control: true") {
		t.Errorf("without a controller: %d %s", res.status, res.body)
	}
}

func TestWhatStoodEndsWithTheHub(t *testing.T) {
	dir := t.TempDir()
	c := startControlled(t, func(cfg *Config) { cfg.Data = dir })
	id, _ := c.mustAsk(`{"command":"break","controller":"podset","when":"result = error"}`)
	c.stop()
	again := start(t, func(cfg *Config) { cfg.Data = dir })
	again.await("the command has ended", func() bool { return again.commands()[id].To != 0 })
}

// A hub that was killed could not say that its commands have ended.
func TestTheCommandsOfAKilledHubEndWhenItStartsAgain(t *testing.T) {
	c := start(t)
	row := flow.Control{Row: flow.RowControl, Key: "k", Controller: "podset", Command: "pause", Text: "presenter paused podset", By: "presenter", From: 1_000}
	if err := c.recordControl(t.Context(), row); err != nil {
		t.Fatal(err)
	}
	c.await("its row", func() bool { return c.commands()["k"].Key != "" })
	c.stop()
	again := start(t, func(cfg *Config) { cfg.Data = c.cfg.Data })
	again.await("the command has ended", func() bool { return again.commands()["k"].Lifted == "the hub was started again" })
}

func TestWhoMayCommandAndWhoMayTakeCommands(t *testing.T) {
	c := startControlled(t)
	body := []byte(`{"command":"pause","controller":"podset"}`)
	for name, h := range map[string]headers{
		"nobody":          {},
		"a controller":    bearer(testControl),
		"an emitter":      bearer(testIngest),
		"another page":    {"Authorization": "Bearer " + testToken, "Origin": "http://evil.test"},
		"another site":    {"Authorization": "Bearer " + testToken, "Sec-Fetch-Site": "cross-site"},
		"by another name": {"Authorization": "Bearer " + testToken, "Host": "evil.test"},
	} {
		h["Content-Type"] = "application/json"
		if res := c.do("POST", "/api/v1/control", h, body); res.status != 401 && res.status != 403 && res.status != 421 {
			t.Errorf("%s may command: %d %s", name, res.status, res.body)
		}
	}
	for name, h := range map[string]headers{
		"nobody": {}, "the presenter": bearer(testToken), "an emitter": bearer(testIngest),
		"a page": {"Authorization": "Bearer " + testControl, "Origin": c.URL()},
	} {
		if res := c.do("GET", wire.Path, h, nil); res.status != 401 && res.status != 403 {
			t.Errorf("%s may take commands: %d %s", name, res.status, res.body)
		}
	}
	if c.debugger.Armed() {
		t.Error("a command of somebody else is in force")
	}
}

func TestBadCommandsSayWhatIsWrong(t *testing.T) {
	c := startControlled(t)
	for body, want := range map[string]string{
		``:   "is not one JSON object",
		`[]`: "is not one JSON object",
		`{"command":"pause","controller":"podset"} {}`:                           "is not one JSON object",
		`{"command":"pause","controller":"podset","x":1}`:                        `"x\" is no field of a command: use command, controller`,
		`{"command":"slow","controller":"podset","factor":[]}`:                   "factor is a array, and must be a number",
		`{"command":"fault","controller":"podset","fault":"409","count":1.5}`:    "count is a number 1.5, and must be a whole number",
		`{"command":"pause","controller":"` + strings.Repeat("x", 17<<10) + `"}`: "over the limit of 16 KiB",
	} {
		if res := c.ask(body); res.status/100 != 4 || !strings.Contains(res.body, want) {
			t.Errorf("%.60s: %d %s\nwant %s", body, res.status, res.body, want)
		}
	}
}

// dumb is a controller that says hello and nothing else.
func dumb(t *testing.T, url string, hello string) *websocket.Conn {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), url+wire.Path, &websocket.DialOptions{
		Subprotocols: []string{wire.Subprotocol}, HTTPHeader: http.Header{"Authorization": {"Bearer " + testControl}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.CloseNow() })
	if err := conn.Write(t.Context(), websocket.MessageText, []byte(hello)); err != nil {
		t.Fatal(err)
	}
	return conn
}

func TestAControllerThatDoesNotAnswerHoldsNobodyUp(t *testing.T) {
	c := startControlled(t)
	conn := dumb(t, c.URL(), `{"type":"hello","controller":"dumb"}`)
	if _, _, err := conn.Read(t.Context()); err != nil { // a beat: it is known
		t.Fatal(err)
	}
	began := time.Now()
	res := c.ask(`{"command":"pause","controller":"dumb"}`)
	if res.status != http.StatusGatewayTimeout || !strings.Contains(res.body, "dumb did not answer within 2s") || time.Since(began) > 10*time.Second {
		t.Errorf("%d %s after %v", res.status, res.body, time.Since(began))
	}
	if rows := c.commands(); len(rows) != 0 {
		t.Errorf("rows are left: %v", rows)
	}
}

func TestAControllerThatSaysNoHelloIsLetGo(t *testing.T) {
	c := startControlled(t)
	for _, hello := range []string{"x", `{"type":"ack"}`, `{"type":"hello"}`, string(bytes.Repeat([]byte("x"), wire.MaxMessage+1))} {
		conn := dumb(t, c.URL(), hello)
		if _, _, err := conn.Read(t.Context()); err == nil {
			t.Errorf("%.20s: it is taken for a controller", hello)
		}
	}
}

// What every process of a controller does, counts once.
func TestACommandReachesEveryProcess(t *testing.T) {
	c := startControlled(t)
	linked := make(chan bool, 10)
	other := control.New(control.Config{
		Hub: c.URL(), Token: testControl, Controller: "podset", Linked: func(on bool) { linked <- on }, Logger: slog.New(slog.DiscardHandler),
	})
	detach := attach(t, other)
	<-linked
	id, _ := c.mustAsk(`{"command":"pause","controller":"podset"}`)
	if !c.debugger.Armed() || !other.Armed() {
		t.Errorf("it is in force at one: %v, at the other: %v", c.debugger.Armed(), other.Armed())
	}
	detach()
	second, _ := c.mustAsk(`{"command":"pause","controller":"podset","phase":"apply"}`)
	if row := c.commands()[id]; row.To != 0 {
		t.Errorf("it has ended with one of two: %+v", row)
	}
	if _, text := c.mustAsk(`{"command":"lift","controller":"podset","id":"` + id + `"}`); text != "presenter lifted: paused podset" {
		t.Errorf("the lift of one command is called %q, and does not say which", text)
	}
	c.wantLifted(id, "lifted")
	c.mustAsk(`{"command":"lift","controller":"podset"}`)
	c.wantLifted(second, "lifted")
}

// A process that connects later is paused too, until the pause is lifted or its
// time is over at the others.
func TestAPauseIsTrueOfAProcessThatComesLater(t *testing.T) {
	c := startControlled(t)
	id, _ := c.mustAsk(`{"command":"pause","controller":"podset"}`)
	other := control.New(control.Config{Hub: c.URL(), Token: testControl, Controller: "podset", Logger: slog.New(slog.DiscardHandler)})
	attach(t, other)
	c.client.await("the pause at the new process", other.Armed)
	c.detach()
	c.mustAsk(`{"command":"pause","controller":"podset","phase":"apply"}`) // it has heard that the first one is gone
	if row := c.commands()[id]; row.To != 0 || !other.Armed() {
		t.Errorf("it has ended with the first process: %+v", row)
	}
	c.mustAsk(`{"command":"resume","controller":"podset"}`)
	c.wantLifted(id, "resumed")
	if other.Armed() {
		t.Error("the new process is paused still")
	}
}
