package control

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/tracer/control/wire"
)

// book is where a Desk's rows are made durable.
type book struct {
	mu   sync.Mutex
	rows map[string]flow.Control
	// wrote is called after each row, and gives Record's error; nil is nothing.
	wrote func(ctx context.Context) error
	ended chan flow.Control
}

func (b *book) record(ctx context.Context, row flow.Control) error {
	b.mu.Lock()
	old := b.rows[row.Key]
	if old.To == 0 {
		b.rows[row.Key] = row
	}
	wrote := b.wrote
	b.mu.Unlock()
	if row.To != 0 && old.To == 0 {
		b.ended <- row
	}
	if wrote != nil {
		return wrote(ctx)
	}
	return nil
}

func (b *book) len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.rows)
}

func (b *book) row(id string) flow.Control {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rows[id]
}

// holdersOf is how many processes may hold a command.
func (d *Desk) holdersOf(id string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	if o := d.standing[id]; o != nil {
		return len(o.holders)
	}
	return 0
}

func (d *Desk) stands(id string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.standing[id] != nil
}

// process is a controller's process whose answers the test gives.
type process struct {
	t    *testing.T
	conn *websocket.Conn
}

// openDesk makes a Desk with a book, and a way to attach processes to it.
func openDesk(t *testing.T) (d *Desk, b *book, attach func() *process) {
	d, b, attachAs := openDeskKnowing(t)
	return d, b, func() *process { return attachAs("") }
}

// openDeskKnowing is openDesk with processes that are known again by a word.
func openDeskKnowing(t *testing.T) (d *Desk, b *book, attach func(word string) *process) {
	b = &book{rows: map[string]flow.Control{}, ended: make(chan flow.Control, 10)}
	d = New(Config{Record: b.record, Log: slog.New(slog.DiscardHandler)})
	server := httptest.NewServer(http.HandlerFunc(d.Attach))
	t.Cleanup(func() {
		d.Close()
		server.Close()
	})
	return d, b, func(word string) *process {
		conn, _, err := websocket.Dial(t.Context(), server.URL, &websocket.DialOptions{Subprotocols: []string{wire.Subprotocol}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.CloseNow() })
		p := &process{t, conn}
		p.say(wire.Message{Type: wire.TypeHello, Controller: "podset", Process: word})
		p.hear(wire.TypeBeat) // it is known now
		return p
	}
}

func (p *process) say(m wire.Message) {
	p.t.Helper()
	data, err := json.Marshal(m)
	if err == nil {
		err = p.conn.Write(p.t.Context(), websocket.MessageText, data)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// hear waits for a message of a type.
func (p *process) hear(kind string) (m wire.Message) {
	p.t.Helper()
	for m.Type != kind {
		_, data, err := p.conn.Read(p.t.Context())
		m = wire.Message{}
		if err == nil {
			err = json.Unmarshal(data, &m)
		}
		if err != nil {
			p.t.Fatal(err)
		}
	}
	return m
}

// wantLift waits until a command is lifted, and lifts it.
func (p *process) wantLift(given wire.Message) {
	p.t.Helper()
	m := p.hear(wire.TypeCommand)
	if m.Command.Command != wire.Lift || m.Command.ID != given.Command.ID {
		p.t.Fatalf("the hub sends %+v, want a lift of %s", m.Command, given.Command.ID)
	}
	p.say(wire.Message{Type: wire.TypeEnded, ID: given.Command.ID, Why: "lifted"})
	p.say(wire.Message{Type: wire.TypeAck, Seq: m.Seq})
}

var pause = wire.Command{Command: wire.Pause, Controller: "podset"}

// do gives a command in the background.
func do(ctx context.Context, d *Desk) <-chan error {
	said := make(chan error, 1)
	go func() {
		_, err := d.Do(ctx, pause)
		said <- err
	}()
	return said
}

// Who asks may go away while the controller is busy. What it then puts into
// force is nobody's.
func TestACommandWhoseAskerHasGoneIsLifted(t *testing.T) {
	d, b, attach := openDesk(t)
	p := attach()
	ctx, leave := context.WithCancel(t.Context())
	said := do(ctx, d)
	given := p.hear(wire.TypeCommand)
	leave()
	p.say(wire.Message{Type: wire.TypeAck, Seq: given.Seq})
	p.wantLift(given)
	if row := <-b.ended; row.Key != given.Command.ID || row.Lifted != "lifted" {
		t.Errorf("its row ends as %+v", row)
	}
	if err := <-said; !errors.Is(err, context.Canceled) {
		t.Errorf("who asked is told %v", err)
	}
}

func TestACommandThatIsTakenTooLateIsLifted(t *testing.T) {
	d, b, attach := openDesk(t)
	p := attach()
	began := time.Now()
	said := do(t.Context(), d)
	given := p.hear(wire.TypeCommand)
	err := <-said
	if err == nil || !strings.Contains(err.Error(), "did not answer within 2s, and the command is taken back") || time.Since(began) < AckWithin {
		t.Errorf("after %v: %v", time.Since(began), err)
	}
	p.say(wire.Message{Type: wire.TypeAck, Seq: given.Seq})
	p.wantLift(given)
	if row := <-b.ended; row.Key != given.Command.ID || row.From == 0 {
		t.Errorf("its row ends as %+v", row)
	}
}

// One that was never taken has no row, also once the process is gone.
func TestACommandThatIsNeverTakenHasNoRow(t *testing.T) {
	d, b, attach := openDesk(t)
	p := attach()
	said := do(t.Context(), d)
	p.hear(wire.TypeCommand)
	if err := <-said; err == nil {
		t.Error("who asked is told that it stands")
	}
	lift := p.hear(wire.TypeCommand)
	p.say(wire.Message{Type: wire.TypeAck, Seq: lift.Seq, Error: "it names no command"})
	_ = p.conn.CloseNow()
	d.Close()
	if b.len() != 0 || len(d.standing) != 0 {
		t.Errorf("it left %d rows and %d orders", b.len(), len(d.standing))
	}
}

// A row may be durable although Record says that it is not, or nobody waits for
// it any more. It must not stand for ever.
func TestARowThatMayBeDurableEnds(t *testing.T) {
	for name, wrote := range map[string]func(ctx context.Context, leave func()) error{
		"the journal is slow": func(context.Context, func()) error { return errors.New("too slow") },
		"the asker has gone":  func(ctx context.Context, leave func()) error { leave(); return ctx.Err() },
	} {
		t.Run(name, func(t *testing.T) {
			d, b, attach := openDesk(t)
			p := attach()
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			b.wrote = func(ctx context.Context) error { return wrote(ctx, leave) }
			said := do(ctx, d)
			given := p.hear(wire.TypeCommand)
			p.say(wire.Message{Type: wire.TypeAck, Seq: given.Seq})
			p.wantLift(given)
			if row := <-b.ended; row.Key != given.Command.ID {
				t.Errorf("another row has ended: %+v", row)
			}
			if err := <-said; err == nil {
				t.Error("who asked is told that it stands")
			}
		})
	}
}

// One process takes it, another is late: the command stands, and the late one
// lets go.
func TestALateProcessLetsGo(t *testing.T) {
	d, b, attach := openDesk(t)
	p, late := attach(), attach()
	said := do(t.Context(), d)
	given, missed := p.hear(wire.TypeCommand), late.hear(wire.TypeCommand)
	p.say(wire.Message{Type: wire.TypeAck, Seq: given.Seq})
	if err := <-said; err != nil {
		t.Fatal(err)
	}
	late.say(wire.Message{Type: wire.TypeAck, Seq: missed.Seq})
	late.wantLift(missed)
	if !d.stands(given.Command.ID) {
		t.Error("it has ended at both")
	}
	p.say(wire.Message{Type: wire.TypeEnded, ID: given.Command.ID, Why: "its time was over"})
	if row := <-b.ended; row.Lifted != "its time was over" {
		t.Errorf("its row ends as %+v", row)
	}
}

// One process takes it and ends it before another has answered: it stands where
// it is taken last.
func TestItStandsWhereItIsTakenLast(t *testing.T) {
	d, b, attach := openDesk(t)
	p, q := attach(), attach()
	said := do(t.Context(), d)
	given, asked := p.hear(wire.TypeCommand), q.hear(wire.TypeCommand)
	p.say(wire.Message{Type: wire.TypeAck, Seq: given.Seq})
	p.say(wire.Message{Type: wire.TypeEnded, ID: given.Command.ID, Why: "its time was over"})
	for d.holdersOf(given.Command.ID) > 1 { // until that has come in
		p.hear(wire.TypeBeat)
	}
	q.say(wire.Message{Type: wire.TypeAck, Seq: asked.Seq})
	if err := <-said; err != nil {
		t.Fatal(err)
	}
	if row := b.row(given.Command.ID); !d.stands(given.Command.ID) || row.To != 0 {
		t.Fatalf("it has ended, although a process holds it: %+v", row)
	}
	q.say(wire.Message{Type: wire.TypeEnded, ID: given.Command.ID, Why: "lifted"})
	if row := <-b.ended; row.Lifted != "lifted" {
		t.Errorf("its row ends as %+v", row)
	}
}
