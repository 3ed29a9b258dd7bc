package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/reconcile-tracer/tracer/tracer/control/wire"
)

const (
	dialWithin  = 5 * time.Second
	writeWithin = time.Second
	// A hub that is not there is asked again after the first of these, which
	// doubles up to the last.
	firstRetry = 250 * time.Millisecond
	lastRetry  = 5 * time.Second
)

// newClient follows no redirect: the token is for the hub alone.
func newClient() *http.Client {
	return &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// Run keeps a connection to the hub until ctx ends, and lifts everything
// whenever it is lost.
func (d *Debugger) Run(ctx context.Context) {
	defer d.client.CloseIdleConnections()
	retry, told := firstRetry, ""
	for ctx.Err() == nil {
		linked, err := d.session(ctx)
		if linked {
			retry, told = firstRetry, ""
		}
		if ctx.Err() != nil {
			return
		}
		if text := err.Error(); text != told {
			told = text
			d.cfg.Logger.Warn("this controller takes no commands now, and tries again", "controller", d.cfg.Controller, "error", err)
		}
		timer := time.NewTimer(retry)
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
		timer.Stop()
		retry = min(2*retry, lastRetry)
	}
}

// session is one connection, from its beginning to its end. Linked says that
// the hub took it.
func (d *Debugger) session(ctx context.Context) (linked bool, err error) {
	conn, err := d.dial(ctx)
	if err != nil {
		return false, err
	}
	defer func() { _ = conn.CloseNow() }()
	d.forgetMessages()
	if err := d.write(ctx, conn, wire.Message{Type: wire.TypeHello, Controller: d.cfg.Controller, Process: d.process}); err != nil {
		return false, fmt.Errorf("greeting the hub: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	var writing sync.WaitGroup
	writing.Go(func() {
		defer cancel() // a hub that takes nothing is as good as gone
		d.writeAll(ctx, conn)
	})
	defer writing.Wait()
	defer cancel()
	defer d.unlink(&linked)
	for {
		m, err := read(ctx, conn)
		if err != nil {
			return linked, fmt.Errorf("listening to the hub: %w", err)
		}
		if !linked {
			linked = true
			d.cfg.Linked(true)
		}
		d.hear(m)
	}
}

// unlink lifts everything the moment that a connection is lost.
func (d *Debugger) unlink(linked *bool) {
	d.LiftAll(whyLost)
	if *linked {
		d.cfg.Linked(false)
	}
}

// hear takes one message of the hub. One of a type that is not known is left
// alone: a newer hub may say more.
func (d *Debugger) hear(m wire.Message) {
	var answer wire.Message
	switch {
	case m.Type == wire.TypeBeat:
		answer = m
	case m.Type == wire.TypeCommand && m.Command != nil:
		answer = wire.Message{Type: wire.TypeAck, Seq: m.Seq}
		if err := d.do(*m.Command, time.Duration(m.LeftMS)*time.Millisecond); err != nil {
			answer.Error = err.Error()
		}
	default:
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.say(answer)
}

func (d *Debugger) dial(ctx context.Context) (*websocket.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialWithin)
	defer cancel()
	url := strings.TrimRight(d.cfg.Hub, "/") + wire.Path
	conn, res, err := websocket.Dial(ctx, url, &websocket.DialOptions{
		HTTPClient: d.client, Subprotocols: []string{wire.Subprotocol},
		HTTPHeader: http.Header{"Authorization": {"Bearer " + d.cfg.Token}},
	})
	if err != nil {
		return nil, explain(res, err)
	}
	conn.SetReadLimit(wire.MaxMessage)
	return conn, nil
}

// explain says what a refusal means.
func explain(res *http.Response, err error) error {
	if res == nil {
		return fmt.Errorf("connecting to the hub: %w", err)
	}
	if res.Body != nil {
		_ = res.Body.Close()
	}
	switch res.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		return errors.New("the hub refuses the control token: set TRACER_CONTROL_TOKEN to what is in the file control-token of its data folder")
	case http.StatusNotFound:
		return errors.New("the hub has no commands to give: update it, or set TRACER_CONTROL=0")
	}
	return fmt.Errorf("connecting to the hub: it answered %s: %w", res.Status, err)
}

// read reads the next message. A hub that says nothing for wire.Silence is gone.
func read(ctx context.Context, conn *websocket.Conn) (wire.Message, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, wire.Silence, errSilent)
	defer cancel()
	var m wire.Message
	_, data, err := conn.Read(ctx)
	switch {
	case context.Cause(ctx) == errSilent: //nolint:errorlint // it is what was given, not wrapped
		return m, errSilent
	case err != nil:
		return m, err
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fmt.Errorf("reading a message: %w", err)
	}
	return m, nil
}

var errSilent = fmt.Errorf("it has said nothing for %v", wire.Silence)

func (d *Debugger) write(ctx context.Context, conn *websocket.Conn, m wire.Message) error {
	ctx, cancel := context.WithTimeout(ctx, writeWithin)
	defer cancel()
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return conn.Write(ctx, websocket.MessageText, data)
}

// writeAll writes what there is to say until the connection is lost.
func (d *Debugger) writeAll(ctx context.Context, conn *websocket.Conn) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.wake:
		}
		for _, m := range d.messages() {
			if d.write(ctx, conn, m) != nil {
				return
			}
		}
	}
}

func (d *Debugger) messages() []wire.Message {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := d.out
	d.out = nil
	return out
}

// forgetMessages drops what was meant for a hub that is gone.
func (d *Debugger) forgetMessages() { d.messages() }
