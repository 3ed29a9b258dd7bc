package flow

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// beatLog is a record of beat n of a run, told at a time.
func beatLog(run string, n, from, at int64, more Attrs) Log {
	a := Attrs{
		semconv.AttrLessonID: "lesson-1", semconv.AttrLessonTitle: "The loop", semconv.AttrNamespace: run, semconv.AttrObjectName: "web",
		semconv.AttrController: "podset", semconv.AttrBeatN: n, semconv.AttrBeatOf: int64(8), semconv.AttrBeatFrom: from,
		semconv.AttrBeatHeading: "Look", semconv.AttrBeatWords: "Look at it.",
		semconv.AttrBeatHighlight: []string{"fetch", "cache"},
	}
	for k, v := range more {
		a[k] = v
	}
	return Log{Source: Source{Instance: "teacher"}, Event: semconv.LogLessonBeat, At: at, Attrs: a}
}

func TestBeatsOfLessons(t *testing.T) {
	s := New(Limits{})
	s.Step(Input{Offset: 1, Now: 100, Logs: []Log{beatLog("lesson-1", 2, 50, 50, nil)}})
	s.Step(Input{Offset: 2, Now: 200, Logs: []Log{
		beatLog("lesson-1", 2, 50, 150, Attrs{semconv.AttrBeatActed: int64(120), semconv.AttrBeatDone: int64(150), semconv.AttrBeatThen: "So it is."}),
	}})
	over := Attrs{
		semconv.AttrBeatActed: int64(120), semconv.AttrBeatDone: int64(150), semconv.AttrBeatThen: "So it is.",
		semconv.AttrBeatReconcile: "abc", semconv.AttrBeatTo: int64(190),
	}
	s.Step(Input{Offset: 3, Now: 300, Logs: []Log{beatLog("lesson-1", 2, 50, 190, over)}})
	want := []Row{&Beat{
		Row: RowBeat, Key: "lesson-1/2/50", Lesson: "lesson-1", Run: "lesson-1", N: 2, Of: 8, Title: "The loop", Heading: "Look",
		Words: "Look at it.", Then: "So it is.", Highlight: []string{"fetch", "cache"}, Controller: "podset", Item: "lesson-1/web",
		Reconcile: "abc", From: 50, Acted: 120, Done: 150, To: 190,
	}}
	if diff := cmp.Diff(want, s.Rows()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// A repetition, and a record that was overtaken, change nothing.
	out := s.Step(Input{Offset: 4, Now: 400, Logs: []Log{beatLog("lesson-1", 2, 50, 190, over), beatLog("lesson-1", 2, 50, 50, nil)}})
	if len(out) != 0 {
		t.Errorf("a repetition gave %v", out)
	}
}

func TestBeatsThatSayNothingAreLeftOut(t *testing.T) {
	s := New(Limits{})
	for name, more := range map[string]Attrs{
		"no lesson": {semconv.AttrLessonID: ""}, "no number": {semconv.AttrBeatN: int64(0)}, "no beginning": {semconv.AttrBeatFrom: int64(0)},
	} {
		if out := s.Step(Input{Offset: 1, Now: 100, Logs: []Log{beatLog("r", 1, 50, 50, more)}}); len(out) != 0 {
			t.Errorf("%s: gave %v", name, out)
		}
	}
}

func TestBeatsAreBounded(t *testing.T) {
	s := New(Limits{Beats: 3})
	long := Attrs{
		semconv.AttrBeatWords:     strings.Repeat("ä", 5000),
		semconv.AttrBeatHighlight: strings.Split(strings.Repeat("fetch ", 100), " "), semconv.AttrQuestionChoice: strings.Split(strings.Repeat("a ", 100), " "),
	}
	gone := 0
	for n := range int64(10) {
		for _, out := range s.Step(Input{Offset: uint64(n + 1), Now: 100 + n, Logs: []Log{beatLog("r", n+1, 50+n, 50+n, long)}}) {
			if out.Gone != nil {
				gone++
			}
		}
	}
	rows := s.Rows()
	if len(rows) != 3 || gone != 7 {
		t.Fatalf("%d rows are kept and %d are gone, want 3 and 7", len(rows), gone)
	}
	b := rows[0].(*Beat)
	if len(b.Words) > maxLong || len(b.Highlight) > maxMarks || len(b.Choices) > maxChoices {
		t.Errorf("a beat holds %d bytes, %d marks and %d choices", len(b.Words), len(b.Highlight), len(b.Choices))
	}
	if want := fmt.Sprintf("r/%d/%d", 8, 57); b.Key != want {
		t.Errorf("the oldest that is kept is %s, want %s", b.Key, want)
	}
}
