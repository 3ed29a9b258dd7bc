package play

import (
	"context"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/reconcile-tracer/tracer/lessons/engine"
	"github.com/reconcile-tracer/tracer/lessons/format"
	"github.com/reconcile-tracer/tracer/server/flow"
)

// session is one play of a lesson: one goroutine owns the engine, others do
// what it asks for.
type session struct {
	player *Player
	lesson *format.Lesson
	in     chan input
	// closing ends when the player closes, and last some time later: what is
	// under way then is given up. done is closed when all is gone.
	closing, last context.Context
	stop, giveUp  context.CancelFunc
	done          chan struct{}
	state         atomic.Pointer[engine.State]
	over          atomic.Bool
	// telling guards dismissed, after which nothing is told any more.
	telling   sync.Mutex
	dismissed bool

	// engine belongs to run, first are its first effects.
	engine *engine.Engine
	first  []engine.Effect
	crew   crew
}

// input is something for the engine; who asks waits for the answer.
type input struct {
	engine.Input
	answer chan error // nil where nobody waits
}

func newSession(p *Player, l *format.Lesson, beat int) *session {
	s := &session{player: p, lesson: l, in: make(chan input), done: make(chan struct{})}
	s.closing, s.stop = context.WithCancel(context.Background())
	s.last, s.giveUp = context.WithCancel(context.Background())
	s.engine, s.first = engine.New(l, now(), beat)
	s.state.Store(s.engine.State())
	s.crew = crew{session: s, records: make(chan *flow.Beat, 64)}
	return s
}

// ended says that the lesson is over, as far as its presenter is concerned: it
// may still be cleaning up.
func (s *session) ended() bool { return s.over.Load() }

func (s *session) ask(ctx context.Context, in engine.Input) error {
	answer := make(chan error, 1)
	select {
	case s.in <- input{in, answer}:
		return <-answer
	case <-s.done:
		return &engine.Refusal{Text: "the lesson has ended: start it again"}
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// give hands something in that nobody waits for.
func (s *session) give(in engine.Input) {
	select {
	case s.in <- input{in, nil}:
	case <-s.done:
	}
}

// run plays until the lesson is over and what it made is gone.
func (s *session) run() {
	defer s.giveUp()
	defer s.stop()
	defer context.AfterFunc(s.closing, func() { time.AfterFunc(LeaveWithin, s.giveUp) })()
	e := s.engine
	var work sync.WaitGroup
	work.Go(s.crew.record)
	s.player.cfg.OnChange(s.state.Load())
	s.crew.do(s.first)
	closing := s.closing.Done()
	for {
		in := s.next(e, &closing)
		in.Now = now()
		effects, err := e.Step(in.Input)
		s.crew.do(effects)
		s.tell(e)
		if in.answer != nil {
			in.answer <- err
		}
		if e.Over() {
			break
		}
	}
	close(s.done)
	s.crew.end()
	work.Wait()
}

// next waits for the next input: what comes, the time, or the end.
func (s *session) next(e *engine.Engine, closing *<-chan struct{}) input {
	var due <-chan time.Time
	if at := e.Deadline(); at > 0 {
		timer := time.NewTimer(time.Duration(max(0, at-now())) * time.Microsecond)
		defer timer.Stop()
		due = timer.C
	}
	select {
	case in := <-s.in:
		return in
	case <-due:
		return input{}
	case <-*closing:
		*closing = nil
		return input{Input: engine.Input{Command: engine.Stop}}
	}
}

// tell says how the lesson is now.
func (s *session) tell(e *engine.Engine) {
	state := e.State()
	s.telling.Lock()
	defer s.telling.Unlock()
	if s.dismissed || reflect.DeepEqual(state, s.state.Load()) {
		return
	}
	s.over.Store(state == nil || state.State == "failed")
	s.show(state)
}

// dismiss shows a lesson that has failed no more, and says whether it had. It
// goes on taking away what it made.
func (s *session) dismiss() bool {
	s.telling.Lock()
	defer s.telling.Unlock()
	if state := s.state.Load(); state == nil || state.State != "failed" {
		return false
	}
	s.dismissed = true
	s.show(nil)
	return true
}

// drop tells of it no more: another lesson begins.
func (s *session) drop() {
	s.telling.Lock()
	defer s.telling.Unlock()
	s.dismissed = true
}

func (s *session) show(state *engine.State) {
	s.state.Store(state)
	s.player.cfg.OnChange(state)
}
