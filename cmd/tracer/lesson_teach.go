package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/reconcile-tracer/tracer/lessons/engine"
	"github.com/reconcile-tracer/tracer/lessons/format"
	"github.com/reconcile-tracer/tracer/lessons/play"
)

// teacher plays a lesson by itself, and says each beat and what came of it.
type teacher struct {
	out    io.Writer
	lesson *format.Lesson
	wake   chan struct{} // room for one
	// rest is how long it waits before it goes on from a state. nil is not at all.
	rest func(*engine.State) time.Duration

	begun  time.Time
	beat   int
	spoken string // the state of the beat that was spoken of last
	didOf  int    // the beat whose actions were told last
}

func newTeacher(out io.Writer, l *format.Lesson) *teacher {
	return &teacher{out: out, lesson: l, wake: make(chan struct{}, 1)}
}

// changed is told of each change; it only wakes teach.
func (t *teacher) changed(*engine.State) {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

func (t *teacher) say(format string, args ...any) { fmt.Fprintf(t.out, format+"\n", args...) }

// teach goes through the lesson as a presenter does who never hesitates.
func (t *teacher) teach(ctx context.Context, player *play.Player) error {
	t.begun = time.Now()
	if err := player.Start(t.lesson.ID); err != nil {
		return err
	}
	for {
		state := player.Current()
		if state == nil {
			return t.ended(player)
		}
		t.speak(state)
		switch state.State {
		case "failed":
			return t.ended(player)
		case "ready", "question", "done":
			if err := t.goOn(ctx, player, state); err != nil {
				return err
			}
			continue
		}
		select {
		case <-t.wake:
		case <-ctx.Done():
			return interrupted(ctx)
		}
	}
}

func (t *teacher) goOn(ctx context.Context, player *play.Player, state *engine.State) error {
	if t.rest != nil {
		timer := time.NewTimer(t.rest(state))
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return interrupted(ctx)
		}
	}
	return player.Do(ctx, string(engine.Next))
}

// ended says how it ended once what the lesson made is gone.
func (t *teacher) ended(player *play.Player) error {
	took := time.Since(t.begun)
	player.Wait()
	if state := player.Current(); state != nil {
		return fmt.Errorf("%s: %s", t.lesson.File, state.Error)
	}
	t.say("%s passed after %s; what it made is gone", t.lesson.ID, seconds(took))
	return nil
}

func interrupted(ctx context.Context) error {
	if cause := context.Cause(ctx); !errors.Is(cause, errAsked) {
		return cause
	}
	return errors.New("interrupted; what the lesson made is being deleted")
}

// speak says what is new in a state.
func (t *teacher) speak(s *engine.State) {
	if s.Selectors.Namespace == "" {
		return // it is not ready yet
	}
	if s.Beat != t.beat {
		t.beat, t.spoken = s.Beat, ""
		t.say("beat %d of %d: %s", s.Beat, s.Of, s.Heading)
		t.indent("", s.Words)
		if s.Question != nil {
			t.indent("question: ", s.Question.Text)
		}
	}
	if s.State == t.spoken {
		return
	}
	t.spoken = s.State
	switch s.State {
	case "waiting":
		t.did(s)
		t.say("  waits %s for: %s", seconds(time.Until(time.UnixMicro(s.Until))), s.WaitingFor)
	case "done":
		t.did(s)
		t.done(s)
	}
}

func (t *teacher) did(s *engine.State) {
	if t.didOf == s.Beat {
		return // it was said when the wait began
	}
	t.didOf = s.Beat
	for _, did := range s.Did {
		t.say("  did: %s", did)
	}
}

func (t *teacher) done(s *engine.State) {
	for _, c := range s.Came {
		t.say("  came: %s: %s", c.Condition, c.What)
	}
	if q := s.Question; q != nil && q.Right != nil {
		t.say("  the answer: %s", q.Choices[*q.Right])
		t.indent("", q.Because)
	}
	t.indent("", s.Then)
}

// indent says paragraphs.
func (t *teacher) indent(head, text string) {
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(head+text, "\n") {
		t.say("  %s", line)
	}
}
