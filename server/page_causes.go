package server

import (
	"fmt"
	"slices"
	"strings"

	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// causesShort says why a reconcile ran, by the rule by which the page's script
// says it (causesShort in web/src/view/words.ts; testdata/causes.json holds both
// to it): "update by kubectl", "own write ×2", "3 causes: update, resync".
func causesShort(r *flow.Reconcile) string {
	if len(r.Causes) == 0 {
		return ""
	}
	var words []string
	for _, c := range r.Causes {
		if word := causeWord(c); !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	n := 0
	for _, of := range r.CauseCounts {
		n += of
	}
	switch n = max(n, len(r.Causes)); {
	case n == 1:
		return oneCause(r.Causes[0])
	case len(words) == 1:
		return fmt.Sprintf("%s ×%d", words[0], n)
	}
	return fmt.Sprintf("%d causes: %s", n, strings.Join(words, ", "))
}

// isTold says that who brought a cause about is part of it: nobody brings about a
// timer or a resync.
func isTold(c flow.Cause) bool {
	return c.What != semconv.CauseBackoff && c.What != semconv.CauseRequeueAfter && c.What != semconv.CauseResync
}

func causeWord(c flow.Cause) string {
	switch {
	case c.By == semconv.BySelf && isTold(c):
		return "own write"
	case c.What == semconv.CauseBackoff:
		return "back-off"
	}
	return strings.ReplaceAll(c.What, "_", " ")
}

func oneCause(c flow.Cause) string {
	word := causeWord(c)
	switch {
	case c.By == semconv.BySelf && c.Name != "":
		return word + ": " + strings.TrimSpace(c.Kind+" "+c.Name)
	case c.By != semconv.BySelf && c.Manager != "" && isTold(c):
		return word + " by " + c.Manager
	}
	return word
}
