// Package presenter is a hub's side of package control for tests: it gives
// commands to a controller under test, so that its reconciler can be tried with
// conflicts, timeouts and stale caches.
//
//	p := presenter.New(t)
//	t, err := tracer.Start(ctx, tracer.Config{…, Control: true, ControlToken: presenter.Token})
//	p.WaitLinked()
//	p.Do(wire.Command{Command: wire.Fault, Controller: "podset", Fault: wire.Fault409})
package presenter

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/reconcile-tracer/tracer/tracer/control/wire"
)

// Token is what a controller must send.
const Token = "presenter-token"

// patience is how long a Presenter waits for a controller.
const patience = 10 * time.Second

// Presenter gives commands to one controller, the one that has connected last.
// It is an http.Handler for wire.Path, and safe for concurrent use.
type Presenter struct {
	t testing.TB

	mu     sync.Mutex
	conn   *websocket.Conn
	name   string
	seq    int64
	silent bool
	linked chan struct{} // closed when a controller is there
	answer chan wire.Message
	ended  []wire.Message
}

// New makes a Presenter.
func New(t testing.TB) *Presenter {
	return &Presenter{t: t, linked: make(chan struct{}), answer: make(chan wire.Message, 100)}
}

// ServeHTTP takes a controller's connection.
func (p *Presenter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != wire.Path {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	if r.Header.Get("Authorization") != "Bearer "+Token {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{wire.Subprotocol}})
	if err != nil {
		return
	}
	defer func() { _ = conn.CloseNow() }()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	hello, err := read(ctx, conn)
	if err != nil || hello.Type != wire.TypeHello {
		return
	}
	p.link(conn, hello.Controller)
	var beating sync.WaitGroup
	beating.Go(func() { p.beat(ctx, conn) })
	defer beating.Wait()
	defer cancel()
	for {
		m, err := read(ctx, conn)
		if err != nil {
			p.lose(conn)
			return
		}
		p.hear(m)
	}
}

func read(ctx context.Context, conn *websocket.Conn) (m wire.Message, err error) {
	_, data, err := conn.Read(ctx)
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	return m, err
}

func (p *Presenter) link(conn *websocket.Conn, name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conn == nil {
		close(p.linked)
	}
	p.conn, p.name = conn, name
}

func (p *Presenter) hear(m wire.Message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch m.Type {
	case wire.TypeAck:
		p.answer <- m
	case wire.TypeEnded:
		p.ended = append(p.ended, m)
	}
}

func (p *Presenter) lose(conn *websocket.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conn == conn {
		p.conn, p.linked = nil, make(chan struct{})
	}
}

func (p *Presenter) beat(ctx context.Context, conn *websocket.Conn) {
	tick := time.NewTicker(wire.BeatEvery)
	defer tick.Stop()
	for {
		p.mu.Lock()
		silent := p.silent
		p.mu.Unlock()
		if !silent && write(ctx, conn, wire.Message{Type: wire.TypeBeat}) != nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func write(ctx context.Context, conn *websocket.Conn, m wire.Message) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return conn.Write(ctx, websocket.MessageText, data)
}

// WaitLinked waits until a controller is there, and returns its name.
func (p *Presenter) WaitLinked() string {
	p.t.Helper()
	p.mu.Lock()
	linked := p.linked
	p.mu.Unlock()
	select {
	case <-linked:
	case <-time.After(patience):
		p.t.Fatal("no controller has connected")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.name
}

// Do gives a command and returns why the controller refuses it, nil for not at
// all.
func (p *Presenter) Do(c wire.Command) error {
	p.t.Helper()
	p.mu.Lock()
	p.seq++
	conn, m := p.conn, wire.Message{Type: wire.TypeCommand, Seq: p.seq, Command: &c}
	p.mu.Unlock()
	if conn == nil {
		return errors.New("no controller is connected")
	}
	if err := write(context.Background(), conn, m); err != nil {
		return err
	}
	select {
	case a := <-p.answer:
		if a.Error != "" {
			return errors.New(a.Error)
		}
		return nil
	case <-time.After(patience):
		p.t.Fatal("the controller does not answer")
		return nil
	}
}

// Silence has the Presenter keep its connection and say nothing any more, or
// speak again.
func (p *Presenter) Silence(silent bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.silent = silent
}

// Hangup ends the connection.
func (p *Presenter) Hangup() {
	p.mu.Lock()
	conn := p.conn
	p.mu.Unlock()
	if conn != nil {
		_ = conn.CloseNow()
	}
}

// Ended returns what the controller has said of commands that have ended.
func (p *Presenter) Ended() []wire.Message {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]wire.Message(nil), p.ended...)
}
