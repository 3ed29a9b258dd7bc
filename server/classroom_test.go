package server

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"
)

// classSize is how many follow on one laptop in a usual class.
const classSize = 35

// pupil is a viewer's page: it applies what comes, as the page does.
type pupil struct {
	conn *websocket.Conn

	mu   sync.Mutex
	rows map[string]string
	room string
}

// read applies frames until the connection ends.
func (p *pupil) read(ctx context.Context, heard func()) {
	for {
		_, data, err := p.conn.Read(ctx)
		if err != nil {
			return
		}
		var f struct {
			Type string
			Rows []json.RawMessage
			Gone []string
			Room json.RawMessage
		}
		if json.Unmarshal(data, &f) != nil {
			return
		}
		p.apply(f.Type, f.Rows, f.Gone, f.Room)
		heard()
	}
}

func (p *pupil) apply(kind string, rows []json.RawMessage, gone []string, room json.RawMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if kind == "snapshot" {
		p.rows = map[string]string{}
	}
	for _, raw := range rows {
		var name struct{ Row, Key string }
		_ = json.Unmarshal(raw, &name)
		p.rows[name.Row+"/"+name.Key] = string(raw)
	}
	for _, name := range gone {
		delete(p.rows, name)
	}
	if kind == "room" {
		p.room = string(room)
	}
}

// shows is what the page shows now.
func (p *pupil) shows() map[string]string {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := map[string]string{"room": p.room}
	for k, v := range p.rows {
		out[k] = v
	}
	return out
}

// class is a presenter's page and its viewers', with a word when one heard
// something.
type class struct {
	presenter *pupil
	viewers   []*pupil
	heard     chan struct{}
}

func (c *class) add(ctx context.Context, conn *websocket.Conn) *pupil {
	p := &pupil{conn: conn, rows: map[string]string{}}
	go p.read(ctx, func() {
		select {
		case c.heard <- struct{}{}:
		default:
		}
	})
	return p
}

// converge waits until every viewer shows what the presenter does, which must be
// at least so many rows.
func (c *class) converge(t *testing.T, rows int) {
	t.Helper()
	late := time.After(30 * time.Second)
	for {
		behind, want := 0, c.presenter.shows()
		for _, p := range c.viewers {
			if !cmp.Equal(want, p.shows()) {
				behind++
			}
		}
		if behind == 0 && len(want) > rows {
			return
		}
		select {
		case <-c.heard:
		case <-late:
			t.Fatalf("%d of %d viewers show something else than the presenter, who has %d rows, want more than %d", behind, len(c.viewers), len(want), rows)
		}
	}
}

// TestClassConverges has a class follow while spans come in and the presenter
// moves about. One of it reads nothing at all: the others must not wait for it,
// and it must be right as soon as it reads on.
func TestClassConverges(t *testing.T) {
	h, viewers := sharing(t)
	c := &class{heard: make(chan struct{}, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c.presenter = c.add(ctx, h.watchAs(testToken, "?page=p"))
	asleep := viewers.watchAs(testViewer, "?page=asleep")
	for i := range classSize {
		c.viewers = append(c.viewers, c.add(ctx, viewers.watchAs(testViewer, fmt.Sprintf("?page=v%d", i))))
	}
	c.converge(t, 0)
	const passes = 40
	for n := range passes {
		h.send(byte(n + 1))
		body := fmt.Sprintf(`{"page":"p","mode":"paused","t":%d,"since":1,"speed":1}`, n+1)
		if res := h.put("/api/v1/room/presenter", testToken, body); res.status != 204 {
			t.Fatalf("presenting: %d %s", res.status, res.body)
		}
	}
	c.converge(t, passes)
	var room struct {
		Viewers   int
		Presenter struct{ T int }
	}
	if err := json.Unmarshal([]byte(c.presenter.shows()["room"]), &room); err != nil || room.Viewers != classSize+1 || room.Presenter.T != passes {
		t.Errorf("the room is %+v, %v; want %d viewers at %d", room, err, classSize+1, passes)
	}
	c.viewers = append(c.viewers, c.add(ctx, asleep))
	c.converge(t, passes)
}

// A class follows the presenter's steps in a recording.
func TestClassConvergesInARecording(t *testing.T) {
	h, viewers := sharing(t)
	c := &class{heard: make(chan struct{}, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c.presenter = c.add(ctx, h.watchRecording(testToken, "p2"))
	for i := range classSize {
		c.viewers = append(c.viewers, c.add(ctx, viewers.watchRecording(testViewer, fmt.Sprintf("v%d", i))))
	}
	c.converge(t, 20)
	for n := range 40 {
		body := fmt.Sprintf(`{"page":"p2","recording":"sample","mode":"paused","t":%d,"since":1,"speed":1}`, n+1)
		if res := h.put("/api/v1/room/presenter", testToken, body); res.status != 204 {
			t.Fatalf("presenting: %d %s", res.status, res.body)
		}
	}
	c.converge(t, 20)
	var room struct {
		Following int
		Presenter struct{ T int }
	}
	if err := json.Unmarshal([]byte(c.presenter.shows()["room"]), &room); err != nil || room.Following != classSize || room.Presenter.T != 40 {
		t.Errorf("the room is %+v, %v; want %d who follow at 40", room, err, classSize)
	}
}
