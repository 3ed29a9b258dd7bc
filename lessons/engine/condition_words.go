package engine

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/reconcile-tracer/tracer/lessons/format"
)

// says are the words for terms that have some; %s is the value. Waits, holds and
// edges have sentences of their own.
var says = map[string]string{
	"reconcile result=success": "succeeds", "reconcile result=error": "fails", "reconcile error": "ends with %s",
	"reconcile write_error": "has a write refused with %s", "reconcile wrote": "writes %s", "reconcile plan": "plans “%s”",
	"reconcile cause=own_write": "comes from its own write", "reconcile cause": "comes from a cause “%s”",
	"reconcile cause=add": "comes from a creation", "reconcile cause=update": "comes from an update", "reconcile cause=delete": "comes from a deletion",
	"reconcile cause=backoff": "comes after a back-off", "reconcile status": "has a write answered with %s", "reconcile writes=0": "writes nothing",
	"reconcile failed_writes=0": "gets every write through",
	"reconcile by=self":         "comes from the controller itself", "reconcile by=other": "comes from somebody else",
	"reconcile by=unknown": "comes from somebody who is not known", "reconcile running=true": "runs", "reconcile running=false": "is done",
	"reconcile read_from=cache": "reads from the cache", "reconcile read_from=api": "reads from the API server",
	"reconcile stale=yes": "reads what is stale", "reconcile stale=no": "reads what is new", "reconcile stale=unknown": "reads what may be stale",
	"reconcile stale!=yes": "reads nothing stale",
	"item idle=true":       "is idle", "item idle=false": "is busy", "item gone=true": "is gone", "item gone=false": "is there",
	"item delayed=true": "waits for its time", "item delayed=false": "does not wait for its time",
	"item ready=true": "is in the queue", "item ready=false": "is not in the queue",
	"item active=true": "is with a worker", "item active=false": "is with no worker",
	"item dirty=true": "has come again meanwhile", "item dirty=false": "has not come again",
	"finding standing=true": "stands", "finding standing=false": "has gone", "finding rule": "is “%s”",
}

// amounts are the words for numbers that have some; %s is how much, as "at least
// 9".
var amounts = map[string]string{
	"took_ms": "takes %s", "stale_by": "misses %s of its own writes",
	"generation": "is of generation %s", "observed": "has observed generation %s",
}

// counted are the words for numbers of things.
var counted = map[string]string{
	"causes": "cause", "updates": "update", "writes": "write", "failed_writes": "refused write", "requeues": "requeue",
}

// conditionWords say a condition in plain words: "a reconcile of web
// writes status.readyReplicas=1 and succeeds".
func conditionWords(c *format.Condition) string {
	if words, ok := sentence(c); ok {
		return words
	}
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
		return strings.TrimSpace(cmp.Or(item, "an item") + " " + listed(that))
	}
	words := countWords(c)
	if item != "" {
		words += " of " + item
	}
	if c.Row == "reconcile" && len(that) == 0 {
		that = []string{"runs"}
	}
	return strings.TrimSpace(words + " " + listed(merged(that)))
}

// merged says a verb once for what follows from it twice: "plans “a” and “b”".
func merged(that []string) []string {
	var all []string
	for _, words := range that {
		verb, plan, ok := strings.Cut(words, " “")
		if n := len(all); ok && n > 0 && strings.HasPrefix(all[n-1], verb+" “") {
			all[n-1] += " and “" + plan
			continue
		}
		all = append(all, words)
	}
	return all
}

// listed joins words: "a, b and c".
func listed(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// countWords say how many rows. They keep to the singular, so that what is said
// of a row fits.
func countWords(c *format.Condition) string {
	one := "a " + c.Row
	if c.Row == "item" {
		one = "an item"
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
	if words, ok := says[row+" "+t.Field+t.Op+t.Value]; ok && t.Type == format.Number {
		return words
	}
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
	if strings.HasSuffix(t.Field, "_ms") {
		amount = strings.TrimSpace(ops[t.Op] + " " + milliseconds(t.Number))
	}
	noun := counted[t.Field]
	switch {
	case noun == "":
		return strings.ReplaceAll(amounts[t.Field], "%s", amount)
	case t.Value == "0" && (t.Op == "=" || t.Op == "<="):
		return "has no " + noun
	case noun == "write":
		return "writes " + times(t)
	}
	return "has " + number(t, noun)
}

// times says how often: "at least 2 times", "once".
func times(t *format.Term) string {
	words := strings.TrimSpace(ops[t.Op]+" "+t.Value) + " times"
	if t.Value == "1" {
		words = strings.TrimSpace(ops[t.Op] + " once")
	}
	return words
}
