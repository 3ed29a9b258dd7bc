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
	name    string
	process string // "" for one that says no word by which it is known again
	conn    *websocket.Conn
	gone    chan struct{}
	once    sync.Once

	mu      sync.Mutex
	seq     int64
	out     []wire.Message // in order
	wake    chan struct{}
	waiting map[int64]func(said string) // by the command's number
}

func newLink(conn *websocket.Conn) *link {
	return &link{conn: conn, gone: make(chan struct{}), wake: make(chan struct{}, 1), waiting: map[int64]func(string){}}
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
	if err != nil || m.Type != wire.TypeHello || m.Controller == "" || len(m.Controller) > wire.MaxName || len(m.Process) > wire.MaxName {
		_ = conn.Close(websocket.StatusPolicyViolation, "say hello first, with the controller's name of at most 253 bytes")
		return
	}
	l.name, l.process = m.Controller, m.Process
	d.replace(l)
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
	d.tellWhatStands(l)
	return true
}

// replace ends the connection that a process had before, which has let go of
// everything by itself; so does what stood there alone.
func (d *Desk) replace(l *link) {
	d.mu.Lock()
	var old *link
	for _, o := range d.links[l.name] {
		if l.process != "" && o.process == l.process {
			old = o
		}
	}
	d.mu.Unlock()
	if old == nil {
		return
	}
	d.unlink(old)
	over := d.noteEnds(old, whyGone)
	d.serving.Go(func() { d.recordEnds(over) }) // it waits for a beat meanwhile
}

// whyGone is why a command has ended at a process that is gone.
const whyGone = "the connection to the controller is gone"

func (d *Desk) leave(l *link) {
	d.unlink(l)
	d.endAll(l, whyGone)
}

func (d *Desk) unlink(l *link) {
	l.end()
	d.mu.Lock()
	defer d.mu.Unlock()
	left := slices.DeleteFunc(d.links[l.name], func(o *link) bool { return o == l })
	if d.links[l.name] = left; len(left) == 0 {
		delete(d.links, l.name)
	}
}

// serve listens until the connection is gone.
func (d *Desk) serve(ctx context.Context, l *link) {
	var talking sync.WaitGroup
	talking.Go(func() { l.talk(ctx) })
	defer talking.Wait()
	defer l.end()
	for {
		m, err := l.read(ctx, deadAfter)
		if err != nil {
			return
		}
		switch m.Type {
		case wire.TypeAck:
			l.answered(m.Seq, m.Error)
		case wire.TypeEnded:
			d.ended(l, m.ID, m.Why, false)
		}
	}
}

// talk says what there is to say, in order, and that the hub is alive, for as
// long as the connection is.
func (l *link) talk(ctx context.Context) {
	defer l.end()
	beat := []wire.Message{{Type: wire.TypeBeat}}
	tick := time.NewTicker(wire.BeatEvery)
	defer tick.Stop()
	for next := beat; ; {
		for _, m := range next {
			if l.write(ctx, m) != nil {
				return
			}
		}
		select {
		case <-tick.C:
			next = beat
		case <-l.wake:
			next = l.messages()
		case <-l.gone:
			return
		}
	}
}

func (l *link) messages() []wire.Message {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := l.out
	l.out = nil
	return out
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

// asked is a command that a controller's process has been sent.
type asked struct {
	*link
	said chan string // what it says: "" is that the command is in force
}

// ask sends a command, or one that stands already with the time that is left.
// Processes get what they are asked in that order.
func (l *link) ask(c wire.Command, left time.Duration) asked {
	said := make(chan string, 1)
	l.send(wire.Message{Command: &c, LeftMS: left.Milliseconds()}, func(text string) { said <- text })
	return asked{l, said}
}

// answer waits for what the process says.
func (a asked) answer(ctx context.Context) (said string, err error) {
	select {
	case said := <-a.said:
		return said, nil
	case <-a.gone:
		return "", errGone
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// send has a command sent. What the controller says to it is given to answered,
// once, in the goroutine that listens to it; never, when it says nothing.
func (l *link) send(m wire.Message, answered func(said string)) {
	l.mu.Lock()
	l.seq++
	m.Type, m.Seq = wire.TypeCommand, l.seq
	l.waiting[l.seq] = answered
	l.out = append(l.out, m)
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// answered takes what the controller says to a command.
func (l *link) answered(seq int64, said string) {
	l.mu.Lock()
	answered := l.waiting[seq]
	delete(l.waiting, seq)
	l.mu.Unlock()
	if answered != nil {
		answered(said[:min(len(said), maxSaid)])
	}
}
