package engine

import (
	"fmt"
	"maps"

	"github.com/reconcile-tracer/tracer/lessons/format"
)

func (e *Engine) command(c Command, meant *Meant) error {
	if e.stage == failed || e.stage == over || e.stage == cleaning {
		return refuse("the lesson has ended: start it again")
	}
	if c == Stop {
		e.clean("")
		return nil
	}
	if meant != nil && (*meant != Meant{e.beat + 1, e.word()}) {
		return refuse("the lesson is elsewhere by now, at beat %d (%s), and somebody else has moved it: look, and give the command again", e.beat+1, e.word())
	}
	switch c {
	case Next:
		return e.next()
	case Restart:
		return e.turnBack(e.beat)
	case Previous:
		if e.beat == 0 {
			return refuse("beat 1 is the first: use restart")
		}
		return e.turnBack(e.beat - 1)
	}
	return refuse("command %q is not known: use next, previous, restart or stop", c)
}

func (e *Engine) next() error {
	switch e.stage {
	case ready, asking:
		if n := e.lapsed(e.beat); n >= 0 {
			return e.holdAgain(n, e.beat)
		}
		e.act()
	case done:
		e.leave()
		if e.beat+1 == len(e.lesson.Beats) {
			e.clean("")
			return nil
		}
		if n := e.lapsed(e.beat + 1); n >= 0 {
			return e.holdAgain(n, e.beat+1)
		}
		e.enter(e.beat + 1)
	case waiting:
		return refuse("beat %d still waits for %s: wait, restart the beat or go back", e.beat+1, e.waitingFor())
	default:
		return refuse("beat %d is not ready yet: wait a moment", e.beat+1)
	}
	return nil
}

// turnBack begins beat again, with everything as it was before. Where the beat
// goes on with what an earlier one holds, and something is to be taken back, it
// is the earlier one that begins again: what it holds is let go too.
func (e *Engine) turnBack(beat int) error {
	switch e.stage {
	case preparing, acting, undoing, settling:
		return refuse("beat %d is not ready yet: wait a moment", e.beat+1)
	}
	e.leave()
	e.from, e.note = 0, ""
	if e.firstActed(beat) < 0 {
		e.enter(beat)
		return nil
	}
	asked := beat
	if beat = e.headOf(beat); beat < asked {
		e.note = fmt.Sprintf("Beat %d needs what beat %d holds, so it starts there.\n", asked+1, beat+1)
	}
	first := e.firstActed(beat)
	e.show(beat)
	e.sel = ""
	e.stage, e.until = undoing, 0
	e.emit(Effect{Undo: &Undo{Seq: e.number(), Run: e.run, Beat: first}})
	return nil
}

// firstActed is the first beat from beat on that has acted, -1 where none has.
func (e *Engine) firstActed(beat int) int {
	for n := beat; n < len(e.lesson.Beats); n++ {
		if e.acted[n] != 0 {
			return n
		}
	}
	return -1
}

func (e *Engine) answer(a *Answer) error {
	if e.stage != asking || a.Beat != e.beat+1 {
		return refuse("beat %d has no question that is open: answers are taken until the beat acts", a.Beat)
	}
	if a.Choice < 0 || a.Choice >= len(e.current().Question.Choices) {
		return refuse("choice %d is not there: choose one from 0 to %d", a.Choice, len(e.current().Question.Choices)-1)
	}
	if _, again := e.answers[a.Viewer]; !again && len(e.answers) >= maxAnswers {
		return refuse("%d viewers have answered, which is the limit: watch the others", maxAnswers)
	}
	e.answers = maps.Clone(e.answers) // states have the one before
	e.answers[a.Viewer] = a.Choice
	return nil
}

// maxAnswers bounds the answers of one question.
const maxAnswers = 10_000

// show makes beat the one that is shown.
func (e *Engine) show(beat int) {
	e.beat, e.did, e.matched = beat, nil, nil
	e.answers = map[string]int{}
}

// enter begins a beat.
func (e *Engine) enter(beat int) {
	e.show(beat)
	e.until, e.steady = 0, 0
	b := e.current()
	e.begin(b)
	switch {
	case e.skips():
		e.act()
	case b.Question != nil:
		e.stage = asking
	case len(b.Do) > 0:
		e.stage = ready
	default:
		e.act()
	}
}

// act does what the beat does; one that does nothing begins to wait.
func (e *Engine) act() {
	e.note = ""
	e.table.mark()
	if e.current().Wait != nil {
		e.sel = "" // until there is a newer one to look at
	}
	if len(e.current().Do) == 0 {
		e.await()
		return
	}
	e.acted[e.beat] = e.now
	e.stage, e.until = acting, 0
	e.recordActed()
	e.emit(Effect{Act: &Act{Seq: e.number(), Run: e.run, Beat: e.beat, Actions: e.current().Do}})
}

func (e *Engine) await() {
	if e.current().Wait == nil {
		e.finish()
		return
	}
	e.stage, e.steady = waiting, 0
	e.until = e.now + e.current().Wait.Within
}

// finish ends a beat well: what came is told, and the question revealed.
func (e *Engine) finish() {
	e.stage, e.until, e.steady = done, 0, 0
	e.recordDone()
	if e.skips() {
		e.enter(e.beat + 1)
	}
}

// skips says that the beat is one before that at which the lesson begins.
func (e *Engine) skips() bool { return e.beat < e.from }

// clean ends the lesson; why is "" where nothing failed.
func (e *Engine) clean(why string) {
	e.leave()
	e.failure = why
	e.stage, e.until = cleaning, 0
	e.emit(Effect{Clean: &Clean{Seq: e.number(), Run: e.run}})
}

// lineOf is where an action stands in the file, or the beat where it is none.
func lineOf(b *format.Beat, action int) int {
	if action >= 0 && action < len(b.Do) {
		return b.Do[action].Line
	}
	return b.Line
}
