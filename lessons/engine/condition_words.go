package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/reconcile-tracer/tracer/lessons/format"
)

// says are the words for terms that have some; %s is the value.
var says = map[string]string{
	"reconcile result=success": "succeeds", "reconcile result=error": "fails", "reconcile error": "ends with %s",
	"reconcile write_error": "has a write refused with %s", "reconcile wrote": "writes %s", "reconcile plan": "plans “%s”",
	"reconcile cause=own_write": "comes from its own write", "reconcile cause": "comes from a cause “%s”",
	"reconcile by=self": "comes from the controller itself", "reconcile by=other": "comes from somebody else",
	"reconcile by=unknown": "comes from somebody who is not known", "reconcile running=true": "runs", "reconcile running=false": "is done",
	"reconcile read_from=cache": "reads from the cache", "reconcile read_from=api": "reads from the API server",
	"reconcile stale=yes": "reads what is stale", "reconcile stale=no": "reads what is new", "reconcile stale=unknown": "reads what may be stale",
	"reconcile stale!=yes": "reads nothing stale",
	"item idle=true":       "is idle", "item idle=false": "is busy", "item gone=true": "is gone", "item gone=false": "is there",
	"item delayed=true": "waits for its time", "item delayed=false": "does not wait for its time",
	"item ready=true": "is in the queue", "item ready=false": "is not in the queue",
	"item active=true": "is with a worker", "item active=false": "is with no worker",
	"item dirty=true": "has come again meanwhile", "item dirty=false": "has not come again",
	"hold standing=true": "goes on", "hold standing=false": "is over", "hold phase": "is before %s",
	"wait over=true": "is over", "wait over=false": "goes on", "wait why=backoff": "is a back-off",
	"wait state=delayed": "is in the waiting room", "wait state=ready": "is in the queue",
	"edge self=true": "comes from the controller's own write", "edge self=false": "comes from another's write",
	"finding standing=true": "stands", "finding standing=false": "has gone", "finding rule": "is “%s”",
}

// amounts are the words for numbers that have some; %s is how much, as "at least
// 9".
var amounts = map[string]string{
	"delay_ms": "lasts %s ms", "took_ms": "takes %s ms", "stale_by": "misses %s of its own writes",
	"generation": "is of generation %s", "observed": "has observed generation %s",
}

// counted are the words for numbers of things.
var counted = map[string]string{
	"causes": "cause", "updates": "update", "writes": "write", "failed_writes": "failed write", "requeues": "requeue",
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

// countWords say how many rows. They keep to the singular, so that what is said
// of a row fits.
func countWords(c *format.Condition) string {
	one := "a " + c.Row
	if slices.Contains([]string{"item", "edge"}, c.Row) {
		one = "an " + c.Row
	}
	switch {
	case c.Op == ">=" && c.Count == 1:
		return one
	case c.Count == 0 && (c.Op == "=" || c.Op == "<="):
		return "no " + c.Row
	case c.Count == 1:
		one = c.Row
	default:
		one = "times " + one
	}
	return fmt.Sprintf("%s %d %s", cmp.Or(ops[c.Op], "exactly"), c.Count, one)
}

// ops are the words before a number.
var ops = map[string]string{"!=": "other than", "<": "fewer than", "<=": "at most", ">": "more than", ">=": "at least"}

func termWords(row string, t *format.Term) string {
	if t.Type == format.Number {
		return numberWords(t)
	}
	if t.Op == "=" || t.Op == "~" {
		for _, key := range []string{row + " " + t.Field + "=" + t.Value, row + " " + t.Field} {
			if words, ok := says[key]; ok {
				return strings.ReplaceAll(words, "%s", t.Value)
			}
		}
	}
	if words, ok := says[row+" "+t.Field+t.Op+t.Value]; ok {
		return words
	}
	op := map[string]string{"~": "with", "!=": "not"}[t.Op]
	return strings.Join(strings.Fields("has "+strings.ReplaceAll(t.Field, "_", " ")+" "+op+" "+t.Value), " ")
}

func numberWords(t *format.Term) string {
	amount := strings.TrimSpace(ops[t.Op] + " " + t.Value)
	noun := counted[t.Field]
	switch {
	case noun == "":
		return strings.ReplaceAll(amounts[t.Field], "%s", amount)
	case t.Value == "0" && (t.Op == "=" || t.Op == "<="):
		return "has no " + noun
	case t.Value == "1":
		return "has " + amount + " " + noun
	}
	return "has " + amount + " " + noun + "s"
}
