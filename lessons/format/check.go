package format

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// check looks at what concerns several fields at once.
func (r *reader) check(l *Lesson) {
	for i := range l.Beats {
		b := &l.Beats[i]
		at := place{&yaml.Node{Line: b.Line}, fmt.Sprintf("beats[%d]", i)}
		if q := b.Question; q != nil && b.Wait != nil && !b.refuses() && q.Choices[q.Right].When == nil {
			at.Line = q.Line
			r.fault(at.field("question", at.Node), "nothing proves the right choice %q: give it a condition with when", q.Choices[q.Right].Text)
		}
		r.checkMarks(at.field("words", at.Node), b.Words, 0)
		waits := 0
		if b.Wait != nil {
			waits = len(b.Wait.For)
		}
		r.checkMarks(at.field("then", at.Node), b.Then, waits)
		if b.Then != "" && b.Wait == nil {
			r.fault(at.field("then", at.Node), "there is no wait after which it is said: add one, or put it into words")
		}
		r.checkControl(at, l, b)
		if b.Continues && i == 0 {
			r.fault(at.field("continues", at.Node), "no beat is before this one: leave it out")
		} else if b.Continues {
			r.checkHolds(at, &l.Beats[i-1])
		}
	}
}

// refuses says that an action of the beat is to be refused, which proves by
// itself what a question may ask.
func (b *Beat) refuses() bool {
	return slices.ContainsFunc(b.Do, func(a Action) bool { return a.Refused != "" })
}

func (r *reader) checkControl(at place, l *Lesson, b *Beat) {
	for _, a := range b.Do {
		if a.Verb == DoControl && len(l.Needs) == 0 {
			at.Line = a.Line
			r.fault(at.field("do", at.Node), "it controls the controller, which must be able to take commands: add needs: [control] to the lesson")
		}
	}
}

// minStands is how long what the next beat goes on with must stand at least, in
// seconds: the lesson goes back to it when half of that has passed.
const minStands = 10

// checkHolds checks the beat before one that continues.
func (r *reader) checkHolds(at place, before *Beat) {
	for _, a := range before.Do {
		if c := a.Control; c != nil && c.Seconds > 0 && c.Seconds < minStands {
			at.Line = a.Line
			r.fault(at.field("continues", at.Node), "what the beat before holds ends after %g seconds, and nobody is that quick: hold it for %d or more, or leave continues out", c.Seconds, minStands)
		}
	}
}

var mark = regexp.MustCompile(`\{[^{}]*\}`)

// checkMarks checks the {…} in a text; {1} to {waits} may be there.
func (r *reader) checkMarks(at place, text string, waits int) {
	for _, m := range mark.FindAllString(text, -1) {
		n, err := strconv.Atoi(m[1 : len(m)-1])
		if m == MarkItem || m == MarkNamespace || err == nil && n >= 1 && n <= waits {
			continue
		}
		r.fault(at, "%s stands for nothing here: use %s or %s, or in then {1} to {n}, one for each condition of the wait", brief(m), MarkItem, MarkNamespace)
	}
}

// What a text may hold in place of names that are known only in a run.
const (
	MarkItem      = "{item}"
	MarkNamespace = "{namespace}"
)
