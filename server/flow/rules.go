package flow

import (
	"strconv"
	"strings"
)

// The names of the rules, which are those of the mistakes that `tracer
// reconcile --bug` makes. docs/findings.md explains each.
const (
	ruleHotLoop            = "hot-loop"
	ruleSwallowedError     = "swallowed-error"
	ruleBlindUpdate        = "blind-update"
	ruleDuplicateCreate    = "duplicate-create"
	ruleRequeueWithError   = "requeue-after-with-error"
	ruleNoOwnerReference   = "no-owner-reference"
	ruleMissingWatch       = "missing-watch"
	ruleFinalizerStuck     = "finalizer-stuck"
	ruleObservedGeneration = "observed-generation"
)

// marks are the rules that a pass may be evidence of, one bit each.
type marks uint16

// markAlone is no rule's: nothing but an own write caused the pass.
const markAlone marks = 1 << 15

// rule is one of the diagnoses.
type rule struct {
	name string
	mark marks
	// may says, by a pass alone, whether it is worth while to look.
	may func(*Reconcile) bool
	// find looks at the newest passes of an item, one of which has the mark.
	find func(h *history, mark marks) []episode
}

// rules are all of them.
func rules() [9]rule {
	all := [9]rule{
		{name: ruleHotLoop, may: wakesItself, find: findHotLoop},
		{name: ruleSwallowedError, may: swallows, find: findSwallowedError},
		{name: ruleBlindUpdate, may: updatesBlindly, find: findBlindUpdate},
		{name: ruleDuplicateCreate, may: createsFromStaleRead, find: findDuplicateCreate},
		{name: ruleRequeueWithError, may: asksInVain, find: findRequeueWithError},
		{name: ruleNoOwnerReference, may: createsUnowned, find: findNoOwnerReference},
		{name: ruleMissingWatch, may: createsUnseen, find: findMissingWatch},
		{name: ruleFinalizerStuck, may: leavesDeleting, find: findFinalizerStuck},
		{name: ruleObservedGeneration, may: leavesOldGeneration, find: findObservedGeneration},
	}
	for i := range all {
		all[i].mark = 1 << i
	}
	return all
}

// Rules returns the names of all rules. The caller owns it.
func Rules() []string {
	var names []string
	for _, r := range rules() {
		names = append(names, r.name)
	}
	return names
}

func marksOf(r *Reconcile) marks {
	var m marks
	for _, rule := range rules() {
		if rule.may(r) {
			m |= rule.mark
		}
	}
	if m != 0 && wakesItself(r) && onlyByItself(r) {
		m |= markAlone
	}
	return m
}

// marked says that pass i has a mark.
func (h *history) marked(i int, m marks) bool { return h.passes[i].marks&m != 0 }

// byMark is the verdict by a mark alone.
func byMark(h *history, m marks) func(i int) verdict {
	return func(i int) verdict {
		if h.marked(i, m) {
			return shows
		}
		return other
	}
}

// done says that the write was made.
func (w *Write) done() bool { return w.Status >= 200 && w.Status < 300 && w.Error == "" }

// moved says that the write made a new version.
func (w *Write) moved() bool {
	return w.done() && !w.Noop && (w.Method == methodDelete || w.After != "" && w.After != w.Before)
}

// created says that the write made an object.
func (w *Write) created() bool {
	return w.done() && w.Method == methodPost && w.Subresource == "" && w.UID != "" && !w.Noop
}

const methodPost = "POST"

// writesOwn says that the pass made a new version of its own object.
func (r *Reconcile) writesOwn() bool {
	for i := range r.Writes {
		if w := &r.Writes[i]; w.UID == r.Object.UID && w.UID != "" && w.moved() {
			return true
		}
	}
	return false
}

// name is the item without its namespace, for words.
func (r *Reconcile) name() string { return r.Item[strings.LastIndexByte(r.Item, '/')+1:] }

// times says how often, and whether there was more before.
func times(n int, more bool) string {
	switch {
	case more:
		return strconv.Itoa(n) + " times or more"
	case n == 1:
		return "once"
	}
	return strconv.Itoa(n) + " times"
}

// lasted says a duration in words: 5 ms, 3 s, 4 min.
func lasted(d int64) string {
	switch {
	case d < second:
		return strconv.FormatInt(max(1, d/1000), 10) + " ms"
	case d < 120*second:
		return strconv.FormatInt((d+second/2)/second, 10) + " s"
	}
	return strconv.FormatInt((d+30*second)/(60*second), 10) + " min"
}
