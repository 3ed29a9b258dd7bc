package engine

import (
	"fmt"
	"strings"

	"github.com/reconcile-tracer/tracer/lessons/format"
	"github.com/reconcile-tracer/tracer/tracer/control/wire"
)

// lapseMargin is how long before its end a command counts as over, in
// microseconds: it is to outlast the wait of the beat that needs it. For one
// that stands for less than a minute it is half of that time.
const lapseMargin = 30_000_000

// countsUntil is until when a command counts that was given at a time.
func countsUntil(given int64, c *wire.Command) int64 {
	stands := c.Lasts().Microseconds()
	return given + stands - min(lapseMargin, stands/2)
}

// headOf is the beat with which begins what beat goes on with.
func (e *Engine) headOf(beat int) int {
	for e.lesson.Beats[beat].Continues {
		beat--
	}
	return beat
}

// held is a command that a beat has given and that later ones need.
type held struct {
	beat    int // from 0
	command *wire.Command
	id      string
	until   int64 // as countsUntil says
}

// String names it: "the hold of beat 3".
func (h *held) String() string {
	what := "hold"
	switch {
	case h.command.Command == wire.Slow:
		what = "slow-down"
	case h.command.Command == wire.Fault && h.command.Fault != wire.FaultHoldWatch:
		what = "fault"
	}
	return fmt.Sprintf("the %s of beat %d", what, h.beat+1)
}

// standing are the commands with which an action of a beat goes on: those that
// the beats before it have given and not ended, and the actions before it.
func (e *Engine) standing(beat, action int) []held {
	var all []held
	for n := e.headOf(beat); n <= beat; n++ {
		do, gave := e.lesson.Beats[n].Do, e.gave[n]
		if n == beat {
			do = do[:action]
		}
		for i := range do {
			c := do[i].Control
			switch {
			case do[i].Verb != format.DoControl || e.acted[n] == 0:
			case c.Command == wire.Resume, c.Command == wire.Lift:
				all = nil
			default:
				h := held{beat: n, command: c, until: countsUntil(e.acted[n], c)}
				if c.Stands() && len(gave) > 0 {
					h.id, gave = gave[0], gave[1:]
				}
				all = append(all, h)
			}
		}
	}
	return all
}

// lifted is the first of what stands before an action of a beat that somebody
// has lifted, nil where all is there.
func (e *Engine) lifted(beat, action int) *held {
	for _, h := range e.standing(beat, action) {
		if e.table.lifted[h.id] {
			return &h
		}
	}
	return nil
}

// lapsed returns the beat to go back to because a command has ended on which
// beat goes on; -1 where all that is needed stands. People talk longer than a
// controller may be held.
func (e *Engine) lapsed(beat int) int {
	for _, h := range e.standing(beat, 0) {
		if e.now >= h.until || e.table.lifted[h.id] {
			return e.headOf(beat)
		}
	}
	return -1
}

// holdAgain goes back to a beat, because what it held has ended before beat
// could go on with it.
func (e *Engine) holdAgain(head, beat int) error {
	note := fmt.Sprintf("What beat %d held has ended by itself, as it does after a while. We begin here again.\n", head+1)
	if h := e.lifted(beat, 0); h != nil {
		note = fmt.Sprintf("%s was lifted. We begin here again.\n", capital(h.String()))
	}
	if err := e.turnBack(head); err != nil {
		return err
	}
	e.note = note
	return nil
}

// liftedWords say that somebody has lifted what the next step needs, and what
// to do; "" where nobody has.
func (e *Engine) liftedWords() string {
	beat, action := e.needing()
	if beat < 0 {
		return ""
	}
	h := e.lifted(beat, action)
	switch {
	case h == nil:
		return ""
	case e.stage == waiting:
		return capital(h.String()) + " was lifted, and this beat needs it: restart the beat."
	}
	return fmt.Sprintf("%s was lifted: Next begins beat %d again.", capital(h.String()), e.headOf(beat)+1)
}

// needing is the beat and the action in it that needs what stands now, -1 for
// none.
func (e *Engine) needing() (beat, action int) {
	switch {
	case e.stage == ready, e.stage == asking:
		return e.beat, 0
	case e.stage == waiting:
		return e.beat, len(e.current().Do)
	case e.stage == done && e.beat+1 < len(e.lesson.Beats):
		return e.beat + 1, 0
	}
	return -1, 0
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
