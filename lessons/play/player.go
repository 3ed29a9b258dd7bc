package play

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/reconcile-tracer/tracer/lessons/cluster"
	"github.com/reconcile-tracer/tracer/lessons/engine"
	"github.com/reconcile-tracer/tracer/lessons/format"
	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/tracer/control/wire"
)

// Hub is what a lesson needs of a hub. Its methods must heed ctx.
type Hub interface {
	// Check says what keeps a lesson about a controller from being played:
	// that the hub does not hear it, or, with commands, that it takes none.
	Check(ctx context.Context, controller string, commands bool) error
	// Free says which commands stand that would touch the items of a namespace
	// that is to be made, and how they are lifted.
	Free(ctx context.Context, controller, namespace string) error
	// Watch gives the rows of a namespace, first all that there are, then what
	// changes, until ctx ends. It goes on by itself after a broken connection,
	// with all that there are then. The error is why there are no rows any more;
	// when ctx ends, why there were none, or nil.
	Watch(ctx context.Context, namespace string, take func(Change)) error
	// Control gives a command, and returns the id of what stands from then on, and
	// what was done.
	Control(ctx context.Context, c wire.Command) (id, did string, err error)
	// Lift ends what stands under an id.
	Lift(ctx context.Context, controller, id string) error
	// Record puts a beat into the journal.
	Record(ctx context.Context, beat *flow.Beat) error
}

// Change are new or changed rows, and those that are no more. All says that Rows
// are all that there are.
type Change struct {
	All  bool
	Rows []flow.Row
	Gone []flow.RowRef
}

// Config says how a Player plays. Hub, Cluster and Lessons are required.
type Config struct {
	Hub     Hub
	Cluster *cluster.Cluster
	Lessons []*format.Lesson
	// OnChange is told of each change of the state, one after another; nil is
	// no lesson any more. It must not call the player. A nil OnChange is nobody.
	OnChange func(*engine.State)
	// Log is where faults go that nobody waits for. nil is slog.Default().
	Log *slog.Logger
}

// Player plays one lesson at a time. It is safe for concurrent use.
type Player struct {
	cfg Config

	mu      sync.Mutex
	session *session
	// past is a lesson of an earlier process, shown until it is closed or another
	// one begins.
	past    *engine.State
	running sync.WaitGroup
	closed  bool
}

// New returns a Player that plays nothing yet.
func New(cfg Config) *Player {
	if cfg.OnChange == nil {
		cfg.OnChange = func(*engine.State) {}
	}
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	return &Player{cfg: cfg}
}

// Info tells of one lesson in a list.
type Info struct {
	ID      string   `json:"id"`
	Title   string   `json:"title"`
	About   string   `json:"about"`
	Minutes int      `json:"minutes"`
	Beats   int      `json:"beats"`
	Needs   []string `json:"needs,omitempty"`
}

// List returns the lessons in their order. The caller owns it.
func (p *Player) List() any {
	infos := []Info{}
	for _, l := range p.cfg.Lessons {
		infos = append(infos, Info{l.ID, l.Title, l.About, l.Minutes, len(l.Beats), l.Needs})
	}
	return infos
}

// Error is the error of a request that cannot be done now.
type Error struct {
	status int
	text   string
}

// Error implements error.
func (e *Error) Error() string { return e.text }

// HTTPStatus returns the status to answer with.
func (e *Error) HTTPStatus() int { return e.status }

// Start begins a lesson. It returns at once; the state tells how it goes.
func (p *Player) Start(id string) error { return p.StartAt(id, 1) }

// StartAt is Start at a beat, from 1: what those before it do is done without
// words and questions.
func (p *Player) StartAt(id string, beat int) error {
	for _, l := range p.cfg.Lessons {
		if l.ID != id {
			continue
		}
		if beat < 1 || beat > len(l.Beats) {
			return &Error{http.StatusBadRequest, fmt.Sprintf("lesson %s has no beat %d: choose one from 1 to %d", id, beat, len(l.Beats))}
		}
		return p.begin(l, beat)
	}
	return &Error{http.StatusNotFound, fmt.Sprintf("lesson %q is not known: GET /api/v1/lessons lists them", flow.Brief(id))}
}

func (p *Player) begin(l *format.Lesson, beat int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return &Error{http.StatusServiceUnavailable, "the hub is closing: start the lesson when it is back"}
	}
	if s := p.session; s != nil && !s.ended() {
		return &Error{http.StatusConflict, fmt.Sprintf("lesson %s is being played: stop it first", s.lesson.ID)}
	}
	if p.session != nil {
		p.session.drop()
	}
	p.past = nil
	s := newSession(p, l, beat)
	p.session = s
	p.running.Go(s.run)
	return nil
}

// Do gives a command to the lesson: next, previous, restart or stop. Stop also
// takes away what is shown of one that has failed.
func (p *Player) Do(ctx context.Context, command string) error {
	return p.DoAt(ctx, command, 0, "")
}

// DoAt is Do for who sees the lesson at a beat, from 1, and in a state: it is
// refused where the lesson has gone on. Beat 0 is whichever there is.
func (p *Player) DoAt(ctx context.Context, command string, beat int, state string) error {
	if engine.Command(command) == engine.Stop && p.dismiss() {
		return nil
	}
	in := engine.Input{Command: engine.Command(command)}
	if beat != 0 {
		in.Meant = &engine.Meant{Beat: beat, State: state}
	}
	return p.ask(ctx, in)
}

// dismiss shows a lesson that has failed no more, and says whether there was one.
func (p *Player) dismiss() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.past != nil {
		p.past = nil
		p.cfg.OnChange(nil)
		return true
	}
	return p.session != nil && p.session.dismiss()
}

// Ended shows that a lesson ended in a beat because the process that played it
// did. It does nothing where a lesson has begun since.
func (p *Player) Ended(b *flow.Beat) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.session != nil || p.closed {
		return
	}
	p.past = &engine.State{
		ID: b.Lesson, Title: b.Title, Beat: b.N, Of: b.Of, Heading: b.Heading, Words: b.Words, Highlight: []string{},
		Selectors: engine.Selectors{Controller: b.Controller, Namespace: b.Run, Item: b.Item}, State: "failed",
		Error: fmt.Sprintf("The lesson ended when the hub stopped, in beat %d of %d: start it again", b.N, b.Of),
		Sel:   engine.Sel{Controller: b.Controller},
	}
	p.cfg.OnChange(p.past)
}

// Answer takes one viewer's prediction. Viewer tells viewers apart.
func (p *Player) Answer(ctx context.Context, viewer string, beat, choice int) error {
	return p.ask(ctx, engine.Input{Answer: &engine.Answer{Viewer: viewer, Beat: beat, Choice: choice}})
}

func (p *Player) ask(ctx context.Context, in engine.Input) error {
	p.mu.Lock()
	s := p.session
	p.mu.Unlock()
	if s == nil {
		return &Error{http.StatusConflict, "no lesson is being played: start one"}
	}
	err := s.ask(ctx, in)
	if refusal, ok := errors.AsType[*engine.Refusal](err); ok {
		return &Error{http.StatusConflict, refusal.Text}
	}
	return err
}

// State returns the lesson as it is now, nil when none is played. It is not
// changed any more.
func (p *Player) State() any {
	if s := p.Current(); s != nil {
		return s
	}
	return nil
}

// Mine is what a viewer has answered to the question that State has.
func (p *Player) Mine(viewer string) (choice int, ok bool) { return p.Current().Mine(viewer) }

// Current is State, typed.
func (p *Player) Current() *engine.State {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.session == nil {
		return p.past
	}
	return p.session.state.Load()
}

// Wait returns when nothing is played any more, and what was is gone.
func (p *Player) Wait() { p.running.Wait() }

// Close stops what is played and returns when it has been taken away, as far
// as that goes at once.
func (p *Player) Close() {
	p.mu.Lock()
	p.closed = true
	if p.session != nil {
		p.session.stop()
	}
	p.mu.Unlock()
	p.running.Wait()
}

// now is the clock, in microseconds since the epoch.
func now() int64 { return time.Now().UnixMicro() }
