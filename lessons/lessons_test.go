package lessons

import (
	"strings"
	"testing"

	"github.com/reconcile-tracer/tracer/lessons/format"
)

// Each built-in lesson is well-formed, is not too long, and asks.
func TestBuiltInLessons(t *testing.T) {
	all, err := parseAll()
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range all {
		if number(l) != i+1 || Find(l.ID) == nil {
			t.Errorf("lesson %d is %s", i+1, l.ID)
		}
		if n := len(l.Beats); n < 6 || n > 9 {
			t.Errorf("%s has %d beats, want 6 to 9", l.ID, n)
		}
		if l.Minutes < 8 || l.Minutes > 12 {
			t.Errorf("%s takes %d minutes, want 8 to 12", l.ID, l.Minutes)
		}
		questions := 0
		for _, b := range l.Beats {
			if b.Question != nil {
				questions++
			}
			for sentence := range strings.FieldsFuncSeq(b.Words+" "+b.Then, func(r rune) bool { return strings.ContainsRune(".?!:\n", r) }) {
				if n := len(strings.Fields(sentence)); n > 34 {
					t.Errorf("%s, line %d: a sentence of %d words: %s", l.ID, b.Line, n, sentence)
				}
			}
		}
		if questions == 0 {
			t.Errorf("%s asks nothing", l.ID)
		}
	}
	if Find("1") == nil || Find("lesson-1") == nil || Find("99") != nil {
		t.Error("lessons are not found by id and number alone")
	}
}

func TestStarterIsFine(t *testing.T) {
	if _, err := format.Parse("starter.txt", []byte(Starter)); err != nil {
		t.Error(err)
	}
}
