package engine

import (
	"fmt"
	"strings"

	"github.com/reconcile-tracer/tracer/lessons/format"
	"github.com/reconcile-tracer/tracer/tracer/control/wire"
)

// nextWords say what Next does now, "" where it does nothing.
func (e *Engine) nextWords() string {
	b := e.current()
	if beat, action := e.needing(); action == 0 && beat >= 0 && e.lifted(beat, 0) != nil {
		return fmt.Sprintf("Next: begin beat %d again", e.headOf(beat)+1)
	}
	switch {
	case e.stage == done && e.beat+1 == len(e.lesson.Beats):
		return "End the lesson"
	case e.stage == done:
		return "Next beat"
	case e.stage != ready && e.stage != asking:
		return ""
	case len(b.Do) > 0:
		return "Next: " + deeds(b.Do)
	case b.Wait == nil:
		return "Next: show the answer"
	}
	return "Next: wait for the answer"
}

// deeds say what actions do, those that say the same once.
func deeds(actions []format.Action) string {
	var all []string
	last := ""
	for i := range actions {
		a := &actions[i]
		object := a.Kind + "/" + a.Name
		if object == last {
			object = "it"
		} else if a.Verb != format.DoControl {
			last = object
		}
		all = once(all, deed(a, object))
	}
	return strings.Join(all, ", ")
}

// deed says what an action does to an object of that name.
func deed(a *format.Action, object string) string {
	switch a.Verb {
	case format.DoScale:
		return fmt.Sprintf("scale %s to %v", object, a.Values[0])
	case format.DoEdit:
		if len(a.Values) > 1 {
			return fmt.Sprintf("edit %s %d times", object, len(a.Values))
		}
		return fmt.Sprintf("set %s of %s", a.Path[len(a.Path)-1], object)
	case format.DoWriteOld:
		return "let two write " + object
	case format.DoDeleteChild:
		return fmt.Sprintf("delete a %s of %s", a.Child, object)
	case format.DoControl:
		return commandDeed(a.Control)
	}
	return a.Verb + " " + object
}

func commandDeed(c *wire.Command) string {
	switch c.Command {
	case wire.Pause, wire.Break:
		if c.Phase != "" {
			return "hold it before " + c.Phase
		}
		return "hold it"
	case wire.Resume, wire.Lift:
		return "let it go on"
	case wire.Step:
		return "step it"
	case wire.Slow:
		return "slow it down"
	}
	if c.Fault == wire.FaultHoldWatch {
		return "hold the watch"
	}
	return "let requests fail"
}
