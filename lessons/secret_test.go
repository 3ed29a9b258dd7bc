package lessons_test

import (
	"strings"

	"github.com/reconcile-tracer/tracer/lessons"
	"github.com/reconcile-tracer/tracer/lessons/engine"
)

// tellsNoAnswer checks that a beat with a question says nothing of the conditions
// that it waits for, nor how many hold, until the answer is revealed.
func (s *student) tellsNoAnswer(at int64) {
	now := s.engine.State()
	if now == nil || now.Question == nil || now.Question.Reveal {
		return
	}
	if len(now.Came) > 0 {
		s.t.Errorf("beat %d tells its conditions before the answer: %+v", now.Beat, now.Came)
	}
	if now.State != "waiting" {
		return
	}
	s.silent[now.Beat] = true
	told := now.WaitingFor
	if _, err := s.engine.Step(engine.Input{Now: at, Command: engine.Next}); err != nil {
		told += "\n" + err.Error()
	}
	for _, c := range lessons.Find(now.ID).Beats[now.Beat-1].Wait.For {
		if strings.Contains(told, c.Text) {
			s.t.Errorf("beat %d tells %q before the answer: %s", now.Beat, c.Text, told)
		}
	}
	if now.WaitingFor != "the answer" || now.Until == 0 {
		s.t.Errorf("beat %d does not say that it waits, and how long: %q until %d", now.Beat, now.WaitingFor, now.Until)
	}
}
