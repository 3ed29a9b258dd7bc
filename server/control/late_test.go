package control

import (
	"testing"
	"time"

	"github.com/reconcile-tracer/tracer/tracer/control/wire"
)

// paused gives a pause that one process takes.
func paused(t *testing.T, d *Desk, p *process) wire.Message {
	t.Helper()
	said := do(t.Context(), d)
	given := p.hear(wire.TypeCommand)
	p.say(wire.Message{Type: wire.TypeAck, Seq: given.Seq})
	if err := <-said; err != nil {
		t.Fatal(err)
	}
	return given
}

// wantTold waits until a process is sent a command that stands, and takes it.
func (p *process) wantTold(given wire.Message) wire.Message {
	p.t.Helper()
	m := p.hear(wire.TypeCommand)
	if *m.Command != *given.Command || m.LeftMS <= 0 || m.LeftMS > given.Command.Lasts().Milliseconds() {
		p.t.Fatalf("the hub sends %+v with %d ms left, want %+v", m.Command, m.LeftMS, given.Command)
	}
	p.say(wire.Message{Type: wire.TypeAck, Seq: m.Seq})
	return m
}

func TestANewProcessGetsWhatStandsWithTheTimeLeft(t *testing.T) {
	d, b, attach := openDesk(t)
	began, ahead := time.Now(), time.Duration(0)
	d.cfg.Now = func() time.Time { return began.Add(ahead) }
	p := attach()
	given := paused(t, d, p)
	ahead = 4 * time.Minute
	q := attach()
	if told := q.wantTold(given); told.LeftMS != (6 * time.Minute).Milliseconds() {
		t.Errorf("%d ms are left, want 6 min", told.LeftMS)
	}
	_ = p.conn.CloseNow()
	for d.holdersOf(given.Command.ID) > 1 { // until that is seen
		q.hear(wire.TypeBeat)
	}
	if !d.stands(given.Command.ID) {
		t.Error("it has ended, although the new process holds it")
	}
	q.say(wire.Message{Type: wire.TypeEnded, ID: given.Command.ID, Why: "its time was over"})
	if row := <-b.ended; row.Lifted != "its time was over" {
		t.Errorf("its row ends as %+v", row)
	}
}

// A new process that does not take what stands changes nothing for the others,
// and keeps it from ending no longer than it may take to answer.
func TestANewProcessMayRefuse(t *testing.T) {
	for name, refuse := range map[string]func(q *process, told wire.Message){
		"it refuses": func(q *process, told wire.Message) {
			q.say(wire.Message{Type: wire.TypeAck, Seq: told.Seq, Error: "64 commands stand already"})
		},
		"it says nothing": func(q *process, told wire.Message) { q.wantLift(told) },
	} {
		t.Run(name, func(t *testing.T) {
			d, b, attach := openDesk(t)
			p := attach()
			given := paused(t, d, p)
			q := attach()
			refuse(q, q.hear(wire.TypeCommand))
			for d.holdersOf(given.Command.ID) > 1 {
				p.hear(wire.TypeBeat)
			}
			if row := b.row(given.Command.ID); !d.stands(given.Command.ID) || row.To != 0 {
				t.Fatalf("it has ended for all: %+v", row)
			}
			_ = p.conn.CloseNow()
			if row := <-b.ended; row.Lifted != whyGone {
				t.Errorf("its row ends as %+v", row)
			}
		})
	}
}

// A lift that was sent to the others before a process came is not sent to it; the
// command, which has not ended yet, is. It must not outlast the lift there.
func TestALiftReachesWhoIsJustBeingTold(t *testing.T) {
	d, b, attach := openDesk(t)
	p := attach()
	given := paused(t, d, p)
	lifted := make(chan error, 1)
	go func() {
		_, err := d.Do(t.Context(), wire.Command{Command: wire.Lift, Controller: "podset"})
		lifted <- err
	}()
	lift := p.hear(wire.TypeCommand)
	q := attach()
	told := q.wantTold(given)
	p.say(wire.Message{Type: wire.TypeEnded, ID: given.Command.ID, Why: "lifted"})
	p.say(wire.Message{Type: wire.TypeAck, Seq: lift.Seq})
	if err := <-lifted; err != nil {
		t.Fatal(err)
	}
	late := attach() // it is ending: who comes now does not get it
	q.wantLift(told)
	<-b.ended // the lift's own row
	if row := <-b.ended; row.Key != given.Command.ID || row.Lifted != "lifted" {
		t.Errorf("its row ends as %+v", row)
	}
	go func() { _, _ = d.Do(t.Context(), wire.Command{Command: wire.Step, Controller: "podset"}) }()
	if m := late.hear(wire.TypeCommand); m.Command.Command != wire.Step {
		t.Errorf("who comes after the lift is sent %+v", m.Command)
	}
}

// A lift that is given once a process has come is sent to it after the command.
func TestALiftComesAfterWhatItLifts(t *testing.T) {
	d, _, attach := openDesk(t)
	p := attach()
	given := paused(t, d, p)
	q := attach()
	go func() { _, _ = d.Do(t.Context(), wire.Command{Command: wire.Resume, Controller: "podset"}) }()
	q.wantTold(given)
	if m := q.hear(wire.TypeCommand); m.Command.Command != wire.Resume {
		t.Errorf("after the pause it is sent %+v", m.Command)
	}
}

// A process that comes while the others are still asked gets the command as soon
// as it stands, and not when it comes to nothing.
func TestWhoComesWhileACommandIsGiven(t *testing.T) {
	d, _, attach := openDesk(t)
	p := attach()
	said := do(t.Context(), d)
	refused := p.hear(wire.TypeCommand)
	q := attach()
	p.say(wire.Message{Type: wire.TypeAck, Seq: refused.Seq, Error: "no"})
	if err := <-said; err == nil {
		t.Fatal("it is said to stand")
	}
	do(t.Context(), d)
	given := p.hear(wire.TypeCommand)
	if m := q.hear(wire.TypeCommand); m.LeftMS != 0 || m.Command.ID != given.Command.ID {
		t.Fatalf("the second process is sent %+v, want the second command", m)
	}
	r := attach()
	p.say(wire.Message{Type: wire.TypeAck, Seq: given.Seq})
	r.wantTold(given) // once the second one, which says nothing, is given up
}

// What has ended with its last process is not brought back to it, whether its old
// connection is known to be gone or not.
func TestWhatEndedWithItsLastProcessStaysEnded(t *testing.T) {
	for name, lose := range map[string]func(p *process){
		"it is known":     func(p *process) { _ = p.conn.CloseNow() },
		"it is not known": func(*process) {},
	} {
		t.Run(name, func(t *testing.T) {
			d, b, attach := openDeskKnowing(t)
			p := attach("one")
			given := paused(t, d, p)
			lose(p)
			again := attach("one")
			if row := <-b.ended; row.Key != given.Command.ID || row.Lifted != whyGone {
				t.Errorf("its row ends as %+v", row)
			}
			next := paused(t, d, again)
			if next.Command.ID == given.Command.ID || next.LeftMS != 0 {
				t.Errorf("it is sent %+v again", next.Command)
			}
			other := attach("other")
			other.wantTold(next)
			attach("one").wantTold(next) // it stands at the other
		})
	}
}

// A fault that has hit what it was for at one process ends at those that came
// later: it does not begin anew with each.
func TestAFaultThatIsUsedUpEndsAtNewProcesses(t *testing.T) {
	d, _, attach := openDesk(t)
	p, idle := attach(), attach()
	go func() {
		_, _ = d.Do(t.Context(), wire.Command{Command: wire.Fault, Controller: "podset", Fault: wire.Fault500, Count: 3})
	}()
	given := p.hear(wire.TypeCommand)
	p.say(wire.Message{Type: wire.TypeAck, Seq: given.Seq})
	idle.say(wire.Message{Type: wire.TypeAck, Seq: idle.hear(wire.TypeCommand).Seq})
	q := attach()
	told := q.wantTold(given)
	if told.Command.Count != 3 {
		t.Errorf("its count is %d, want it as it was given", told.Command.Count)
	}
	p.say(wire.Message{Type: wire.TypeEnded, ID: given.Command.ID, Why: "it has hit what it was for"})
	q.wantLift(told)
	if !d.stands(given.Command.ID) {
		t.Error("it has ended at the one that was there from the beginning")
	}
}
