package classroom

import (
	"errors"
	"fmt"
)

// Limits of a question: its choices, and the answers to it.
const (
	maxChoices = 8
	maxAnswers = 10_000
)

// Question is what the beat asks that the presenter shows of a recorded lesson.
type Question struct {
	// Beat counts from 1.
	Beat    int `json:"beat"`
	Choices int `json:"choices"`
	// Open says that what the beat is about has not been seen yet: answers are taken.
	Open bool `json:"open"`
}

func (q Question) check() error {
	if q.Beat < 1 {
		return fmt.Errorf("question is of beat %d: use 1 for the first", q.Beat)
	}
	if q.Choices < 2 || q.Choices > maxChoices {
		return fmt.Errorf("question has %d choices: use 2 to %d", q.Choices, maxChoices)
	}
	return nil
}

// Poll is what viewers have answered to the presenter's question.
type Poll struct {
	Beat     int  `json:"beat"`
	Open     bool `json:"open"`
	Answered int  `json:"answered"`
	// Tally is how many have taken each choice, null while it is open.
	Tally []int `json:"tally"`
}

// ErrRefused says that an answer is not taken.
var ErrRefused = errors.New("the answer is not taken")

// asked takes what the presenter asks now, after what was shown before. Another
// question has no answers, nor has one that is asked again.
func (r *Room) asked(before Meaning) {
	was, now := before.Question, r.state.Presenter.Question
	goes := was != nil && now != nil && was.Beat == now.Beat && was.Choices == now.Choices &&
		before.Recording == r.state.Presenter.Recording && (was.Open || !now.Open)
	if !goes {
		r.answers = map[string]int{}
	}
	r.count()
}

// count makes the poll anew.
func (r *Room) count() {
	q := r.state.Presenter.Question
	if q == nil {
		r.state.Poll = nil
		return
	}
	poll := &Poll{Beat: q.Beat, Open: q.Open, Answered: len(r.answers)}
	if !q.Open {
		poll.Tally = make([]int, q.Choices)
		for _, choice := range r.answers {
			poll.Tally[choice]++
		}
	}
	r.state.Poll = poll
}

// Answer takes a voter's answer to the question of a beat. Choices count from 0.
// Until the question is closed it may be changed.
func (r *Room) Answer(voter string, beat, choice int) error {
	q := r.state.Presenter.Question
	if q == nil || q.Beat != beat || !q.Open {
		return fmt.Errorf("%w: beat %d has no question that is open: answer while the presenter's page asks it", ErrRefused, beat)
	}
	if choice < 0 || choice >= q.Choices {
		return fmt.Errorf("%w: choice %d is not there: choose one from 0 to %d", ErrRefused, choice, q.Choices-1)
	}
	if _, again := r.answers[voter]; !again && len(r.answers) >= maxAnswers {
		return fmt.Errorf("%w: %d have answered, the limit: watch the others", ErrRefused, maxAnswers)
	}
	r.answers[voter] = choice
	r.count()
	return nil
}

// Mine returns what a voter has answered to the question that is shown.
func (r *Room) Mine(voter string) (choice int, ok bool) {
	choice, ok = r.answers[voter]
	return choice, ok
}
