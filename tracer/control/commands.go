package control

import (
	"fmt"
	"slices"
	"time"

	"github.com/reconcile-tracer/tracer/tracer/control/wire"
)

// Why a command has ended, in words for the presenter.
const (
	whyLifted  = wire.Lifted
	whyResumed = wire.Resumed
	whyTime    = "its time was over"
	whyUsedUp  = "it has hit what it was for"
	whyLost    = "the connection to the hub is gone"
)

// Do does a command. An error says why it cannot be done and what to do; then
// nothing has changed.
func (d *Debugger) Do(c wire.Command) error { return d.do(c, 0) }

// do does a command of which so much time is left; 0 is all of it.
func (d *Debugger) do(c wire.Command, left time.Duration) error {
	asked := c
	if c.Command != wire.Lift {
		asked.ID = "" // the hub's own name for it
	}
	if err := asked.Check(); err != nil {
		return err
	}
	c = c.WithDefaults()
	d.mu.Lock()
	defer d.mu.Unlock()
	defer d.rearm()
	switch c.Command {
	case wire.Resume:
		return d.resume(c)
	case wire.Step:
		return d.step(c)
	case wire.Lift:
		return d.lift(c)
	}
	return d.stand(c, left)
}

// stand puts a command up.
func (d *Debugger) stand(c wire.Command, left time.Duration) error {
	if len(d.standing) >= wire.MaxCommands {
		return fmt.Errorf("%d commands stand for %s already, the limit is %d: lift some", len(d.standing), d.cfg.Controller, wire.MaxCommands)
	}
	when, err := conditionOf(c)
	if err != nil {
		return err
	}
	s := &standing{Command: c, when: when, left: c.Count, over: make(chan struct{})}
	if c.Fault == wire.FaultHoldWatch {
		if err := d.holdWatch(s); err != nil {
			return err
		}
	}
	d.standing = append(d.standing, s)
	lasts := c.Lasts()
	if left > 0 {
		lasts = min(lasts, left)
	}
	s.timer = time.AfterFunc(lasts, func() { d.expire(s) })
	return nil
}

func conditionOf(c wire.Command) (wire.Condition, error) {
	if c.When == "" {
		return wire.Condition{}, nil
	}
	return wire.ParseCondition(c.When)
}

func (d *Debugger) expire(s *standing) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.end(s, whyTime)
	d.rearm()
}

// end takes a command down, lets go of who is held because of it, and tells the
// hub. One that stands no more is left alone. Lock held.
func (d *Debugger) end(s *standing, why string) {
	at := slices.Index(d.standing, s)
	if at < 0 {
		return
	}
	d.standing = slices.Delete(d.standing, at, at+1)
	s.timer.Stop()
	close(s.over)
	for h := range d.holds {
		if h.by == s {
			d.release(h, false)
		}
	}
	d.say(wire.Message{Type: wire.TypeEnded, ID: s.ID, Why: why})
}

// covers says whether the selector of a command means all that another one is
// for.
func covers(c wire.Command, s *standing) bool {
	return (c.Item == "" || c.Item == s.Item) && (c.Phase == "" || c.Phase == s.Phase)
}

// resume ends pauses and lets held workers go on.
func (d *Debugger) resume(c wire.Command) error {
	n := d.endAll(func(s *standing) bool { return s.Command.Command == wire.Pause && covers(c, s) }, whyResumed)
	n += d.releaseAll(c, "")
	if n == 0 {
		return fmt.Errorf("%s is neither paused nor held%s: there is nothing to resume", d.cfg.Controller, whereOf(c))
	}
	return nil
}

// step lets held workers go on to the next place, or to the end.
func (d *Debugger) step(c wire.Command) error {
	if d.releaseAll(c, c.By) == 0 {
		return fmt.Errorf("no worker of %s is held%s: pause it first, or wait until one comes to the pause", d.cfg.Controller, whereOf(c))
	}
	return nil
}

// lift ends one command, or all that the selector means.
func (d *Debugger) lift(c wire.Command) error {
	if c.ID != "" {
		if d.endAll(func(s *standing) bool { return s.ID == c.ID }, whyLifted) == 0 {
			return fmt.Errorf("id %q names no command that stands for %s: it has ended, or never was", c.ID, d.cfg.Controller)
		}
		return nil
	}
	n := d.endAll(func(s *standing) bool { return covers(c, s) }, whyLifted)
	n += d.releaseAll(c, "")
	if n == 0 {
		return fmt.Errorf("nothing stands for %s%s: there is nothing to lift", d.cfg.Controller, whereOf(c))
	}
	return nil
}

func (d *Debugger) endAll(which func(*standing) bool, why string) int {
	n := 0
	for _, s := range slices.Clone(d.standing) {
		if which(s) {
			d.end(s, why)
			n++
		}
	}
	return n
}

// releaseAll lets the held workers go on that a selector means, past the place
// where they are, whatever else stands there. With a step they are held again.
func (d *Debugger) releaseAll(c wire.Command, step string) int {
	n := 0
	for h := range d.holds {
		if h.freed || h.slow || !c.Matches(h.place.item(), h.place.Phase) {
			continue
		}
		if step != "" {
			h.pass.step = step
			d.stepping[h.pass] = true
		}
		d.release(h, true)
		n++
	}
	return n
}

// whereOf is a selector in words.
func whereOf(c wire.Command) string {
	text := ""
	if c.Item != "" {
		text += " with " + c.Item
	}
	if c.Phase != "" {
		text += " before " + c.Phase
	}
	return text
}
