package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/reconcile-tracer/tracer/lessons/format"
	"github.com/reconcile-tracer/tracer/tracer/control/wire"
)

// nextWords say what Next does now, "" where it does nothing.
func (e *Engine) nextWords() string {
	b := e.current()
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
	case "pause", "break":
		if c.Phase != "" {
			return "hold it before " + c.Phase
		}
		return "hold it"
	case "resume", "lift":
		return "let it go on"
	case "step":
		return "step it"
	case "slow":
		return "slow it down"
	}
	if c.Fault == "hold_watch" {
		return "hold the watch"
	}
	return "let requests fail"
}

// says are the words for terms that have some; %s is the value.
var says = map[string]string{
	"reconcile result=success": "succeeds", "reconcile result=error": "fails", "reconcile error": "ends with %s",
	"reconcile write_error": "has a write refused with %s", "reconcile wrote": "writes %s", "reconcile plan": "plans “%s”",
	"reconcile cause=own_write": "comes from its own write", "reconcile cause": "comes from a cause “%s”", "reconcile running=true": "runs",
	"reconcile running=false": "is done", "item idle=true": "is idle", "item idle=false": "is busy", "item gone=true": "is gone",
	"item delayed=true": "waits for its time", "item ready=true": "is in the queue", "item active=true": "is with a worker",
	"hold standing=true": "goes on", "hold standing=false": "is over", "hold phase": "is before %s", "wait over=true": "is over",
	"wait over=false": "goes on", "wait why=backoff": "is a back-off", "wait state=delayed": "is in the waiting room", "wait state=ready": "is in the queue",
	"finding standing=true": "stands", "finding standing=false": "has gone", "finding rule": "is “%s”",
}

// conditionWords say a condition in plain words: "a reconcile of web that
// writes status.readyReplicas=1 and succeeds".
func conditionWords(c *format.Condition) string {
	var of, that []string
	for i := range c.Terms {
		t := &c.Terms[i]
		if t.Field == "item" && t.Op == "=" {
			of = append(of, t.Value)
			continue
		}
		that = append(that, termWords(c.Row, t))
	}
	item := strings.Join(of, " and ")
	if c.Row == "item" && c.Op == ">=" && c.Count == 1 {
		return strings.TrimSpace(cmp.Or(item, "an item") + " " + strings.Join(that, " and "))
	}
	words := countWords(c)
	if item != "" {
		words += " of " + item
	}
	if len(that) > 0 {
		words += " that " + strings.Join(that, " and ")
	}
	return words
}

func countWords(c *format.Condition) string {
	switch {
	case c.Op == ">=" && c.Count == 1 && slices.Contains([]string{"item", "edge"}, c.Row):
		return "an " + c.Row
	case c.Op == ">=" && c.Count == 1:
		return "a " + c.Row
	case c.Count == 0 && (c.Op == "=" || c.Op == "<="):
		return "no " + c.Row
	}
	noun := c.Row + "s"
	if c.Count == 1 {
		noun = c.Row
	}
	amount := map[string]string{"=": "exactly", "!=": "other than", "<": "fewer than", "<=": "at most", ">": "more than", ">=": "at least"}[c.Op]
	return fmt.Sprintf("%s %d %s", amount, c.Count, noun)
}

func termWords(row string, t *format.Term) string {
	if t.Op == "=" || t.Op == "~" {
		for _, key := range []string{row + " " + t.Field + "=" + t.Value, row + " " + t.Field} {
			if words, ok := says[key]; ok {
				return strings.ReplaceAll(words, "%s", t.Value)
			}
		}
	}
	op := map[string]string{"~": "with", "=": "", ">=": "at least", "<=": "at most", ">": "over", "<": "under", "!=": "not"}[t.Op]
	return strings.Join(strings.Fields("has "+strings.ReplaceAll(t.Field, "_", " ")+" "+op+" "+t.Value), " ")
}
