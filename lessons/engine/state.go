package engine

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/reconcile-tracer/tracer/lessons/format"
)

// State is a lesson as the page shows it. Beats count from 1, choices from 0.
type State struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	// Beat is the beat that is shown, Of how many there are, Heading its title.
	Beat    int    `json:"beat"`
	Of      int    `json:"of"`
	Heading string `json:"heading"`
	// Words are sentences; a line is a paragraph.
	Words string `json:"words"`
	// Then is said with the state done, "" before and where there is nothing.
	Then      string   `json:"then,omitempty"`
	Highlight []string `json:"highlight"`
	// Selectors are what the lesson is about.
	Selectors Selectors `json:"selectors"`
	// State is ready, acting, waiting, question, done or failed.
	State string `json:"state"`
	// Next says what Next does now, "" where it does nothing.
	Next string `json:"next,omitempty"`
	// Did says what was done, in sentences.
	Did []string `json:"did,omitempty"`
	// WaitingFor is what is waited for, Until when it has to have come, in
	// microseconds since the epoch.
	WaitingFor string `json:"waitingFor,omitempty"`
	Until      int64  `json:"until,omitempty"`
	// Came are the conditions of the wait and how many rows fit each so far;
	// those of a beat with a question only once it is revealed, or has failed.
	Came     []Came    `json:"came,omitempty"`
	Question *Question `json:"question,omitempty"`
	// Lifted says that somebody has lifted what the lesson needs to go on, and
	// what to do.
	Lifted string `json:"lifted,omitempty"`
	// Error is why the lesson failed: beat, line and remedy.
	Error string `json:"error,omitempty"`
	// Sel is what the page is to select.
	Sel Sel `json:"sel"`

	answers map[string]int // the engine's, which are not changed
}

// Mine is what a viewer has answered to the question of the beat. A nil State
// has no answers.
func (s *State) Mine(viewer string) (choice int, ok bool) {
	if s == nil {
		return 0, false
	}
	choice, ok = s.answers[viewer]
	return choice, ok
}

// Selectors name what a lesson is about.
type Selectors struct {
	Controller string `json:"controller"`
	Namespace  string `json:"namespace"`
	Item       string `json:"item"`
}

// Sel is a selection; Reconcile is the trace id of a reconcile, if any.
type Sel struct {
	Controller string `json:"controller"`
	Item       string `json:"item"`
	Reconcile  string `json:"reconcile,omitempty"`
}

// Came is one condition, as it stands in the file and in plain words, and what
// came for it.
type Came struct {
	Condition string `json:"condition"`
	Says      string `json:"says"`
	What      string `json:"what"`
	Holds     bool   `json:"holds"`
}

// Question is a question as it may be seen: the tally, the right choice and
// the explanation only once it is revealed.
type Question struct {
	Text     string   `json:"text"`
	Choices  []string `json:"choices"`
	Answered int      `json:"answered"`
	// Open says that answers are taken.
	Open    bool   `json:"open"`
	Reveal  bool   `json:"reveal"`
	Tally   []int  `json:"tally,omitempty"`
	Right   *int   `json:"right,omitempty"`
	Because string `json:"because,omitempty"`
}

// State returns the lesson as it is now, nil when it is over. The caller owns
// it.
func (e *Engine) State() *State {
	if e.stage == over || e.stage == cleaning && e.failure == "" {
		return nil
	}
	b := e.current()
	s := &State{
		ID: e.lesson.ID, Title: e.lesson.Title, Beat: e.beat + 1, Of: len(e.lesson.Beats),
		Heading: b.Title, Words: e.note + e.fill(b.Words), Highlight: append([]string{}, b.Highlight...),
		Selectors: Selectors{e.lesson.Controller, e.run, e.item()},
		State:     e.word(), Next: e.nextWords(), Did: e.did, WaitingFor: e.waitingFor(), Until: e.until, Question: e.question(), Lifted: e.liftedWords(), Error: e.failure,
		Sel: Sel{e.lesson.Controller, e.item(), e.sel}, answers: e.answers,
	}
	if !e.secret() {
		for i := range e.matched {
			m := &e.matched[i]
			s.Came = append(s.Came, Came{m.text, m.says, m.came(), m.fits})
		}
	}
	if e.skips() {
		s.Words = fmt.Sprintf("The lesson goes on to beat %d: what this one does is done without words.", e.from+1)
		s.Question = nil
	}
	if e.stage == done {
		s.Then = e.fill(b.Then)
	}
	return s
}

// secret says that what is waited for would give away the answer to a question.
func (e *Engine) secret() bool {
	return e.current().Question != nil && e.stage != done && e.failure == ""
}

// word is the stage in the words that the page knows.
func (e *Engine) word() string {
	switch e.stage {
	case preparing, undoing, settling:
		return string(acting)
	case cleaning:
		return string(failed)
	}
	return string(e.stage)
}

// item is namespace/name of what is looked at.
func (e *Engine) item() string {
	name := e.current().Item
	if name == "" {
		name = e.lesson.Item
	}
	return e.namespace() + "/" + name
}

// namespace is the lesson's own, or, before it is made, what it is to be.
func (e *Engine) namespace() string {
	if e.run == "" {
		return namespaceOf(e.lesson)
	}
	return e.run
}

// fill replaces the marks in a text.
func (e *Engine) fill(text string) string {
	pairs := []string{format.MarkItem, e.item(), format.MarkNamespace, e.namespace()}
	for i := range e.matched {
		pairs = append(pairs, "{"+strconv.Itoa(i+1)+"}", e.matched[i].came())
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

func (e *Engine) waitingFor() string {
	switch e.stage {
	case preparing:
		return "a namespace of its own"
	case undoing, settling:
		return fmt.Sprintf("everything to be as it was before beat %d", e.beat+1)
	case waiting:
		switch {
		case e.secret() && e.skips():
			return "what comes of it"
		case e.secret():
			return "the answer"
		}
		var open []string
		for i, c := range e.current().Wait.For {
			if i >= len(e.matched) || !e.matched[i].fits {
				open = append(open, c.Text)
			}
		}
		if open == nil {
			return "all of it to stay so for " + seconds(e.current().Wait.Steady)
		}
		return strings.Join(open, "; ")
	}
	return ""
}

func (e *Engine) question() *Question {
	q := e.current().Question
	if q == nil {
		return nil
	}
	seen := &Question{Text: e.fill(q.Text), Answered: len(e.answers), Open: e.stage == asking, Reveal: e.stage == done}
	for _, c := range q.Choices {
		seen.Choices = append(seen.Choices, e.fill(c.Text))
	}
	if seen.Reveal {
		seen.Tally = make([]int, len(q.Choices))
		for _, choice := range e.answers {
			seen.Tally[choice]++
		}
		right := q.Right
		seen.Right, seen.Because = &right, e.fill(q.Because)
	}
	return seen
}
