package engine

import (
	"fmt"
	"strings"

	"github.com/reconcile-tracer/tracer/lessons/format"
)

// result takes in how an effect ended. Of one that has been overtaken nothing
// is heard.
func (e *Engine) result(r *Result) {
	if r.Seq != e.seq {
		return
	}
	switch e.stage {
	case preparing:
		e.run = r.Run
		if r.Err != nil {
			e.fail(e.lesson.Beats[0].Line, "%v", r.Err)
			return
		}
		e.enter(0)
	case acting:
		e.did, e.gave[e.beat] = r.Did, r.Gave
		if r.Err != nil {
			e.failFor(r.At, lineOf(e.current(), r.At), "%v", r.Err)
			return
		}
		e.await()
	case undoing:
		if r.Err != nil {
			e.fail(e.current().Line, "taking back what was done: %v", r.Err)
			return
		}
		e.settle()
	case cleaning:
		e.cleaned(r)
	}
}

func (e *Engine) settle() {
	for n := range e.acted {
		if n >= e.beat {
			delete(e.acted, n)
			delete(e.gave, n)
		}
	}
	e.stage, e.until, e.steady = settling, e.now+settleWithin, 0
}

func (e *Engine) cleaned(r *Result) {
	if r.Err != nil {
		e.failure = strings.TrimPrefix(e.failure+"; ", "; ") + fmt.Sprintf("cleaning up: %v", r.Err)
	}
	e.stage = over
	if e.failure != "" {
		e.stage = failed
	}
}

// fail ends the lesson, with the beat, the line and the remedy.
func (e *Engine) fail(line int, format string, args ...any) {
	e.clean(fmt.Sprintf("beat %d, line %d: ", e.beat+1, line) + fmt.Sprintf(format, args...))
}

// failFor ends the lesson with what an action, or what came after it, has run
// into. What somebody has lifted before is the cause, whatever came of it.
func (e *Engine) failFor(action, line int, format string, args ...any) {
	if h := e.lifted(e.beat, action); h != nil {
		e.fail(line, "%s was lifted, and this beat needs it: start at this beat", h)
		return
	}
	e.fail(line, format, args...)
}

// lose ends a lesson that is still played: it cannot see any more.
func (e *Engine) lose(err error) {
	switch e.stage {
	case cleaning, failed, over:
	default:
		e.fail(e.current().Line, "%v", err)
	}
}

// look sees whether what is waited for has come, or cannot come in time.
func (e *Engine) look() {
	switch e.stage {
	case waiting:
		e.lookAtWait(e.current().Wait)
	case settling:
		e.lookAtRest()
	}
}

func (e *Engine) lookAtWait(w *format.Wait) {
	e.matched = e.matched[:0]
	missing := -1
	for i := range w.For {
		m := e.table.match(&w.For[i])
		e.matched = append(e.matched, m)
		if !m.fits && missing < 0 {
			missing = i
		}
	}
	switch {
	case missing < 0 && e.holds(w.Steady):
		e.reveal()
	case missing >= 0:
		e.steady = 0
	}
	if e.stage == waiting && e.now >= e.until {
		e.late(w, missing)
	}
}

// holds says whether all has held long enough.
func (e *Engine) holds(long int64) bool {
	if e.steady == 0 {
		e.steady = e.now
	}
	return e.now-e.steady >= long
}

func (e *Engine) late(w *format.Wait, missing int) {
	if missing < 0 {
		e.fail(w.Line, "what it waits for held, but not for %s within %s: raise within, or lower steady", seconds(w.Steady), seconds(w.Within))
		return
	}
	c := &w.For[missing]
	e.failFor(len(e.current().Do), c.Line, "%s did not hold within %s: %s; mend the condition or what the beat does, or raise within", c.Text, seconds(w.Within), e.matched[missing].seen())
}

// reveal ends a wait; where there was a question, what came must be the right
// answer and no other.
func (e *Engine) reveal() {
	if q := e.current().Question; q != nil {
		for i := range q.Choices {
			c := q.Choices[i].When
			if c == nil {
				continue
			}
			if m := e.table.match(c); m.fits != (i == q.Right) {
				e.fail(c.Line, "choice %q is %s, and what came says otherwise: %s; mend the question or the beat", q.Choices[i].Text, rightOrWrong(i == q.Right), m.seen())
				return
			}
		}
	}
	for i := range e.matched {
		if key := e.matched[i].newestPass; key != "" && e.sel == "" {
			e.sel = key
		}
	}
	e.finish()
}

func rightOrWrong(right bool) string {
	if right {
		return "said to be right"
	}
	return "said to be wrong"
}

// lookAtRest waits, after an undo, until nothing goes on any more.
func (e *Engine) lookAtRest() {
	if !e.table.idle() {
		e.steady = 0
	} else if e.holds(settleFor) {
		e.enter(e.beat)
		return
	}
	if e.now >= e.until {
		e.fail(e.current().Line, "the items did not come to rest within %s after what was done was taken back: see what keeps them busy, and start the lesson again", seconds(settleWithin))
	}
}

func seconds(us int64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.1f", float64(us)/1e6), "0"), ".") + " s"
}
