package classroom

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// asking is a room whose presenter shows a recording and asks.
func asking(t *testing.T) (r *Room, ask func(recording string, q *Question)) {
	r = New()
	r.Join("p", true)
	ask = func(recording string, q *Question) {
		t.Helper()
		m := paused(1)
		m.Recording, m.Question = recording, q
		if _, err := r.Present("p", m, false); err != nil {
			t.Fatal(err)
		}
	}
	ask("lesson-1", &Question{Beat: 5, Choices: 3, Open: true})
	return r, ask
}

func answer(t *testing.T, r *Room, voter string, choice int) {
	t.Helper()
	if err := r.Answer(voter, 5, choice); err != nil {
		t.Fatal(err)
	}
}

func TestAnswersAreCountedAndToldOnceTheQuestionIsClosed(t *testing.T) {
	r, ask := asking(t)
	answer(t, r, "a", 0)
	answer(t, r, "b", 1)
	answer(t, r, "a", 2) // may be changed
	if diff := cmp.Diff(&Poll{Beat: 5, Open: true, Answered: 2}, r.State().Poll); diff != "" {
		t.Errorf("while it is open (-want +got):\n%s", diff)
	}
	if choice, ok := r.Mine("a"); choice != 2 || !ok {
		t.Errorf("a has answered %d, %v", choice, ok)
	}
	ask("lesson-1", &Question{Beat: 5, Choices: 3})
	if diff := cmp.Diff(&Poll{Beat: 5, Answered: 2, Tally: []int{0, 1, 1}}, r.State().Poll); diff != "" {
		t.Errorf("once it is closed (-want +got):\n%s", diff)
	}
	ask("lesson-1", nil)
	if r.State().Poll != nil {
		t.Error("there is a poll without a question")
	}
}

func TestAQuestionThatIsAnotherOrAskedAgainHasNoAnswers(t *testing.T) {
	for what, next := range map[string]struct {
		recording string
		Question
	}{
		"another beat":           {"lesson-1", Question{6, 3, true}},
		"another recording":      {"lesson-2", Question{5, 3, true}},
		"asked again":            {"lesson-1", Question{5, 3, true}},
		"other choices":          {"lesson-1", Question{5, 2, false}},
		"closed, and another":    {"lesson-1", Question{6, 3, false}},
		"another, asked as such": {"lesson-3", Question{5, 3, false}},
	} {
		r, ask := asking(t)
		answer(t, r, "a", 2)
		ask("lesson-1", &Question{Beat: 5, Choices: 3})
		ask(next.recording, &next.Question)
		if _, ok := r.Mine("a"); ok || r.State().Poll.Answered != 0 {
			t.Errorf("%s: the poll is %+v", what, r.State().Poll)
		}
	}
}

func TestAnswersToWhatIsNotAskedAreRefused(t *testing.T) {
	r, ask := asking(t)
	refused := func(what string, beat, choice int) {
		t.Helper()
		if err := r.Answer("a", beat, choice); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", what, err)
		}
	}
	refused("another beat", 4, 0)
	refused("a choice too high", 5, 3)
	refused("a choice too low", 5, -1)
	for range maxAnswers {
		r.answers[string(rune(len(r.answers)))+"x"] = 0
	}
	refused("one too many", 5, 0)
	ask("lesson-1", &Question{Beat: 5, Choices: 3})
	refused("a closed question", 5, 0)
	ask("", nil)
	refused("no question", 5, 0)
}

func TestWrongQuestionsNameTheField(t *testing.T) {
	for _, q := range []Question{{0, 2, true}, {1, 1, true}, {1, maxChoices + 1, true}} {
		m := Live()
		m.Question = &q
		if m.Check() == nil {
			t.Errorf("%+v passes", q)
		}
	}
}
