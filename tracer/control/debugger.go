package control

import (
	"crypto/rand"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/reconcile-tracer/tracer/tracer/control/wire"
)

// Config says whose debugger it is and where its hub is.
type Config struct {
	// Hub is the hub's base URL, http or https.
	Hub string
	// Token is the control token, which is none of the hub's other tokens.
	Token string
	// Controller is the controller's name.
	Controller string
	// Resource is the plural of what the controller reconciles: the watch that
	// is held when no other is named.
	Resource string
	// Gate has the watches of a cache that the controller shares with others; nil:
	// it has its own, which Watch is told of.
	Gate *Gate
	// Tell is told of each worker that is held, and when it is not held any
	// more. nil: nobody. It must not block.
	Tell func(Held)
	// Linked is told when a hub has taken the connection, and when it is gone.
	// nil: nobody. It must not block.
	Linked func(bool)
	// Logger takes what goes wrong with the connection, at most one line for
	// each change. nil is slog.Default().
	Logger *slog.Logger
}

// Debugger is what stands for one controller, and the workers that are held
// because of it. Its methods are safe for concurrent use; those of a nil one do
// nothing.
type Debugger struct {
	cfg     Config
	client  *http.Client
	process string // by which a hub knows it again
	armed   atomic.Bool

	mu       sync.Mutex
	standing []*standing // oldest first
	holds    map[*hold]bool
	stepping map[*Pass]bool
	out      []wire.Message // for the hub, in order
	wake     chan struct{}
	gate     *Gate
}

// standing is a command that goes on.
type standing struct {
	wire.Command
	when  wire.Condition
	left  int // requests that a fault still hits; meaningless for others
	under int // requests that it hits just now
	timer *time.Timer
	over  chan struct{} // closed when it stands no more
}

// New makes a Debugger, to which nothing has been said yet. Run connects it.
func New(cfg Config) *Debugger {
	if cfg.Tell == nil {
		cfg.Tell = func(Held) {}
	}
	if cfg.Linked == nil {
		cfg.Linked = func(bool) {}
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	d := &Debugger{
		cfg: cfg, client: newClient(), process: rand.Text(), holds: map[*hold]bool{}, stepping: map[*Pass]bool{}, wake: make(chan struct{}, 1),
		gate: cfg.Gate,
	}
	if d.gate == nil {
		d.gate = NewGate(nil)
	}
	d.gate.heedBy(d)
	return d
}

// Armed says whether anything stands that a Checkpoint or a request could meet.
func (d *Debugger) Armed() bool { return d != nil && d.armed.Load() }

// rearm is called with the lock held, after what stands has changed.
func (d *Debugger) rearm() { d.armed.Store(len(d.standing) > 0 || len(d.stepping) > 0) }

// say has a message sent, if a hub is there. Lock held.
func (d *Debugger) say(m wire.Message) {
	d.out = append(d.out, m)
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// LiftAll ends everything that stands and lets every worker go on.
func (d *Debugger) LiftAll(why string) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.standing) > 0 {
		d.end(d.standing[0], why)
	}
	for p := range d.stepping {
		p.step = ""
	}
	clear(d.stepping)
	for h := range d.holds {
		d.release(h, true)
	}
	d.rearm()
}
