package lessons_test

import (
	"slices"
	"testing"

	"github.com/reconcile-tracer/tracer/lessons/format"
	"github.com/reconcile-tracer/tracer/server/flow"
)

// rightFindings checks that what is found in a recording are the mistakes that
// the lesson's beats wait for, each once and over in the end.
func rightFindings(t *testing.T, l *format.Lesson, rows []flow.Row) {
	t.Helper()
	var want, got []string
	for i := range l.Beats {
		if l.Beats[i].Wait == nil {
			continue
		}
		for _, c := range l.Beats[i].Wait.For {
			if c.Row == string(flow.RowFinding) && !slices.Contains(want, ruleOf(c)) {
				want = append(want, ruleOf(c))
			}
		}
	}
	for _, row := range rows {
		if f, ok := row.(*flow.Finding); ok {
			got = append(got, f.Rule)
			if f.To == 0 {
				t.Errorf("the mistake goes on in the end: %+v", f)
			}
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the reference controller is found to make the mistakes %v, and the lesson waits for %v", got, want)
	}
}

// ruleOf is the rule of which a condition on findings speaks.
func ruleOf(c format.Condition) string {
	for _, term := range c.Terms {
		if term.Field == "rule" {
			return term.Value
		}
	}
	return ""
}
