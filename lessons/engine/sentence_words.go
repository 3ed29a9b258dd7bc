package engine

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/reconcile-tracer/tracer/lessons/format"
)

// sentence says a condition on waits, holds or edges as something that its item
// does: "web waits at least 5 s in back-off, its 11th in a row". ok is false for
// other rows.
func sentence(c *format.Condition) (words string, ok bool) {
	s := parts{item: "an item"}
	for i := range c.Terms {
		s.take(c.Row, &c.Terms[i])
	}
	var does, how []string
	switch c.Row {
	case "wait":
		does = []string{"waits", "does not wait"}
		if s.over {
			does = []string{"has waited", "has not waited"}
		}
		how = []string{lengthWords(s.lengths), cmp.Or(s.why, s.where)}
	case "hold":
		does = []string{"is held", "is not held"}
		if s.over {
			does = []string{"was held", "was not held"}
		}
		how = []string{s.where}
	case "edge":
		does = []string{"is set off", "is not set off"}
		how = []string{cmp.Or(s.why, "by a write"), s.where}
	default:
		return "", false
	}
	times := timesWords(c)
	verb := does[0]
	if times == never {
		verb, times = does[1], ""
	}
	words = strings.Join(strings.Fields(s.item+" "+verb+" "+strings.Join(how, " ")), " ")
	if times != "" {
		words += ", " + times
	}
	return strings.Join(append([]string{words}, s.rest...), ", "), true
}

// parts are what the terms of a condition say.
type parts struct {
	item, why, where string
	// over says that it is to be over.
	over    bool
	lengths []*format.Term
	rest    []string
}

func (s *parts) take(row string, t *format.Term) {
	switch key := row + " " + t.Field + t.Op + t.Value; {
	case t.Field == "item" && t.Op == "=":
		s.item = t.Value
	case t.Field == "delay_ms":
		s.lengths = append(s.lengths, t)
	case t.Field == "requeues":
		s.rest = append(s.rest, strings.TrimSpace(ops[t.Op]+" its "+ordinal(t.Number)+" in a row"))
	case t.Field == "causes":
		s.rest = append(s.rest, "for "+number(t, "cause"))
	case key == "wait over=true", key == "hold standing=false":
		s.over = true
	case key == "wait over=false", key == "hold standing=true": // what it does, it does now
	case wheres[key] != "":
		s.where = wheres[key]
	case row == "hold" && t.Field == "phase" && t.Op == "=":
		s.where = "before " + t.Value
	case row == "edge" && t.Field == "kind" && t.Op == "=":
		s.where = "of a " + t.Value
	case whyWords[key] != "":
		s.why = whyWords[key]
	case row == "wait" && t.Field == "why" && t.Op == "=":
		s.why = "for “" + t.Value + "”"
	default:
		s.rest = append(s.rest, "and "+termWords(row, t))
	}
}

// whyWords and wheres are the words for terms that have some.
var (
	whyWords = map[string]string{
		"wait why=backoff": "in back-off", "wait why=requeue_after": "for its time",
		"edge self=true": "by the controller's own write", "edge self=false": "by another's write",
	}
	wheres = map[string]string{"wait state=delayed": "in the waiting room", "wait state=ready": "in the queue"}
)

const never = "never"

// timesWords say how often an item does something, "" for once or more.
func timesWords(c *format.Condition) string {
	switch {
	case c.Op == ">=" && c.Count == 1:
		return ""
	case c.Count == 0 && (c.Op == "=" || c.Op == "<="):
		return never
	case c.Count == 1:
		return cmp.Or(ops[c.Op], "exactly") + " once"
	}
	return fmt.Sprintf("%s %d times", cmp.Or(ops[c.Op], "exactly"), c.Count)
}

// lengthWords say how long a wait is: "9 to 11 ms", "at least 5 s".
func lengthWords(terms []*format.Term) string {
	var all []string
	for _, t := range terms {
		all = append(all, strings.TrimSpace(ops[t.Op]+" "+milliseconds(t.Number)))
	}
	if len(terms) == 2 && terms[0].Op == ">=" && terms[1].Op == "<=" {
		from, to := milliseconds(terms[0].Number), milliseconds(terms[1].Number)
		if unit := to[strings.IndexByte(to, ' '):]; strings.HasSuffix(from, unit) {
			from = strings.TrimSuffix(from, unit)
		}
		return from + " to " + to
	}
	return strings.Join(all, " and ")
}

// milliseconds says a time as people do: "5 ms", and from a second on "5.1 s".
func milliseconds(ms int64) string {
	if ms < 1000 {
		return strconv.FormatInt(ms, 10) + " ms"
	}
	return seconds(ms * 1000)
}

func ordinal(n int64) string {
	end := "th"
	if n%100 < 11 || n%100 > 13 {
		end = cmp.Or(map[int64]string{1: "st", 2: "nd", 3: "rd"}[n%10], end)
	}
	return strconv.FormatInt(n, 10) + end
}

// number says how many: "at least 2 causes".
func number(t *format.Term, noun string) string {
	if t.Value != "1" {
		noun += "s"
	}
	return strings.TrimSpace(ops[t.Op]+" "+t.Value) + " " + noun
}
