package engine

import (
	"fmt"

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

// lapsed returns the beat to go back to because a command has ended by itself,
// on which beat goes on; -1 where all that is needed stands. People talk longer
// than a controller may be held.
func (e *Engine) lapsed(beat int) int {
	if head := e.headOf(beat); head < beat && e.now >= e.standsUntil(head, beat) {
		return head
	}
	return -1
}

// standsUntil is when the first of the commands ends that the beats from head
// on, and before beat, have given and not ended.
func (e *Engine) standsUntil(head, beat int) int64 {
	const never = int64(1) << 62
	until := never
	for n := head; n < beat; n++ {
		for _, a := range e.lesson.Beats[n].Do {
			switch {
			case a.Verb != format.DoControl || e.acted[n] == 0:
			case a.Control.Command == wire.Resume, a.Control.Command == wire.Lift:
				until = never
			default:
				until = min(until, countsUntil(e.acted[n], a.Control))
			}
		}
	}
	return until
}

// holdAgain goes back to the beat whose command has ended by itself.
func (e *Engine) holdAgain(beat int) error {
	if err := e.turnBack(beat); err != nil {
		return err
	}
	e.note = fmt.Sprintf("What beat %d held has ended by itself, as it does after a while. We begin here again.\n", beat+1)
	return nil
}
