package control

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/reconcile-tracer/tracer/tracer/control/wire"
)

const (
	// helloWithin is how long a controller may take to say its name, deadAfter
	// how long it may say nothing, writeWithin how long it may not listen.
	helloWithin = 2 * time.Second
	deadAfter   = 5 * time.Second
	writeWithin = time.Second
	// maxSaid is how much of a controller's refusal is passed on, in bytes.
	maxSaid = 1024
	// maxLinks is how many controllers may be connected.
	maxLinks = 1000
)

var errGone = errors.New("the controller is gone")

// link is the connection of one controller's process.
type link struct {
	name string
	conn *websocket.Conn
	gone chan struct{}
	once sync.Once

	mu      sync.Mutex
	seq     int64
	waiting map[int64]func(said string) // by the command's number
}

func newLink(conn *websocket.Conn) *link {
	return &link{conn: conn, gone: make(chan struct{}), waiting: map[int64]func(string){}}
}

// end lets the controller go. It may be called again.
func (l *link) end() {
	l.once.Do(func() {
		close(l.gone)
		_ = l.conn.CloseNow()
	})
}

// Attach takes a controller's connection and returns when that is gone. Who may
// attach, the caller has checked already.
func (d *Desk) Attach(w http.ResponseWriter, r *http.Request) {
	d.serving.Add(1)
	defer d.serving.Done()
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{wire.Subprotocol}})
	if err != nil {
		return // Accept has answered
	}
	l := newLink(conn)
	defer l.end()
	conn.SetReadLimit(wire.MaxMessage)
	if conn.Subprotocol() != wire.Subprotocol {
		_ = conn.Close(websocket.StatusPolicyViolation, "ask for the subprotocol "+wire.Subprotocol)
		return
	}
	ctx := context.WithoutCancel(r.Context()) // which ends when the server is shut down, before Close
	m, err := l.read(ctx, helloWithin)
	if err != nil || m.Type != wire.TypeHello || m.Controller == "" || len(m.Controller) > wire.MaxName {
		_ = conn.Close(websocket.StatusPolicyViolation, "say hello first, with the controller's name of at most 253 bytes")
		return
	}
	l.name = m.Controller
	if !d.join(l) {
		_ = conn.Close(websocket.StatusTryAgainLater, "the hub is closing, or has its limit of controllers")
		return
	}
	defer d.leave(l)
	d.serve(ctx, l)
}

func (d *Desk) join(l *link) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := 0
	for _, links := range d.links {
		n += len(links)
	}
	if d.closed || n >= maxLinks {
		return false
	}
	d.links[l.name] = append(d.links[l.name], l)
	return true
}

func (d *Desk) leave(l *link) {
	l.end()
	d.mu.Lock()
	left := slices.DeleteFunc(d.links[l.name], func(o *link) bool { return o == l })
	if d.links[l.name] = left; len(left) == 0 {
		delete(d.links, l.name)
	}
	d.mu.Unlock()
	d.endAll(l, "the connection to the controller is gone")
}

// serve listens until the connection is gone.
func (d *Desk) serve(ctx context.Context, l *link) {
	var beating sync.WaitGroup
	beating.Go(func() { l.beat(ctx) })
	defer beating.Wait()
	defer l.end()
	for {
		m, err := l.read(ctx, deadAfter)
		if err != nil {
			return
		}
		switch m.Type {
		case wire.TypeAck:
			l.answer(m.Seq, m.Error)
		case wire.TypeEnded:
			d.ended(l, m.ID, m.Why, false)
		}
	}
}

// beat says that the hub is alive, for as long as the connection is.
func (l *link) beat(ctx context.Context) {
	tick := time.NewTicker(wire.BeatEvery)
	defer tick.Stop()
	for l.write(ctx, wire.Message{Type: wire.TypeBeat}) == nil {
		select {
		case <-tick.C:
		case <-l.gone:
			return
		}
	}
	l.end()
}

func (l *link) read(ctx context.Context, within time.Duration) (m wire.Message, err error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	_, data, err := l.conn.Read(ctx)
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	return m, err
}

func (l *link) write(ctx context.Context, m wire.Message) error {
	ctx, cancel := context.WithTimeout(ctx, writeWithin)
	defer cancel()
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return l.conn.Write(ctx, websocket.MessageText, data)
}

// ask sends a command and waits for what the controller says: "" is that it is
// in force.
func (l *link) ask(ctx context.Context, c wire.Command) (said string, err error) {
	answer := make(chan string, 1)
	if err := l.send(ctx, c, func(said string) { answer <- said }); err != nil {
		return "", errGone
	}
	select {
	case said := <-answer:
		return said, nil
	case <-l.gone:
		return "", errGone
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// send sends a command. What the controller says to it is given to answered,
// once, in the goroutine that listens to it; never, when it says nothing.
func (l *link) send(ctx context.Context, c wire.Command, answered func(said string)) error {
	l.mu.Lock()
	l.seq++
	seq := l.seq
	l.waiting[seq] = answered
	l.mu.Unlock()
	return l.write(context.WithoutCancel(ctx), wire.Message{Type: wire.TypeCommand, Seq: seq, Command: &c})
}

func (l *link) answer(seq int64, said string) {
	l.mu.Lock()
	answered := l.waiting[seq]
	delete(l.waiting, seq)
	l.mu.Unlock()
	if answered != nil {
		answered(said[:min(len(said), maxSaid)])
	}
}
