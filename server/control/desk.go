package control

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/tracer/control/wire"
)

// AckWithin is how long a controller may take to put a command into force.
const AckWithin = 2 * time.Second

// recordWithin is how long a row may take to be durable.
const recordWithin = 5 * time.Second

// Config says what a Desk does with commands. Record is required.
type Config struct {
	// Record makes the newest state of a command durable, and seen. It may be
	// called concurrently, for one command one call at a time.
	Record func(ctx context.Context, row flow.Control) error
	// Now is the hub's clock; nil is time.Now.
	Now func() time.Time
	// Log is where warnings go; nil is slog.Default().
	Log *slog.Logger
}

// Desk knows the controllers that take commands, and what stands. Its methods
// are safe for concurrent use.
type Desk struct {
	cfg     Config
	serving sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	links    map[string][]*link // by the controller's name
	standing map[string]*order
}

// order is a command that was given.
type order struct {
	recording sync.Mutex // one at a time, so that the newest state is last
	command   wire.Command

	// Under the Desk's lock.
	row flow.Control
	// holders are where it may stand: false where it was given up.
	holders map[*link]bool
	// late are those that it was sent when it stood already.
	late map[*link]bool
	// inForce says that it has stood somewhere, so that its end is told too;
	// given, that who asked is told of it; ending, that it has ended somewhere.
	inForce, given, ending bool
	why                    string // by what it ended at the last place where it did
}

// Refusal is why a command is not done.
type Refusal struct {
	// Status is the answer's HTTP status.
	Status int
	text   string
}

// Error implements error: what is wrong, and what to do.
func (r *Refusal) Error() string { return r.text }

func refuse(status int, format string, args ...any) error {
	return &Refusal{status, fmt.Sprintf(format, args...)}
}

// New makes a Desk.
func New(cfg Config) *Desk {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	return &Desk{cfg: cfg, links: map[string][]*link{}, standing: map[string]*order{}}
}

// Do gives a command, and returns its row once it is in force and durable. The
// error is a Refusal, or Record's. What was sent is seen through when ctx ends
// meanwhile, and then taken back: who asked does not know it.
func (d *Desk) Do(ctx context.Context, c wire.Command) (flow.Control, error) {
	if err := c.Check(); err != nil {
		return flow.Control{}, refuse(http.StatusBadRequest, "%s", err.Error())
	}
	o, sent, err := d.begin(c.WithDefaults())
	if err != nil {
		return flow.Control{}, err
	}
	if err := d.give(o, sent); err != nil {
		return flow.Control{}, err
	}
	stands := o.command.Stands()
	if stands {
		d.settle(o)
	}
	err = d.record(context.WithoutCancel(ctx), o)
	if err != nil {
		err = fmt.Errorf("the command could not be recorded, and is taken back: %w", err)
	} else if gone := context.Cause(ctx); gone != nil {
		err = fmt.Errorf("who gave the command has gone away, and it is taken back: %w", gone)
	}
	switch {
	case !stands:
	case err != nil:
		for _, a := range sent {
			d.takeBack(a.link, o)
		}
	default:
		d.spread(o, sent)
	}
	return d.rowOf(o), err
}

// begin notes a command and sends it to every process of its controller. One that
// comes later is not among them; one that was there has got all else before it.
func (d *Desk) begin(c wire.Command) (o *order, sent []asked, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	links, err := d.linksOf(c.Controller)
	if err != nil {
		return nil, nil, err
	}
	lifted := d.standing[c.ID]
	if c.Command == wire.Lift && c.ID != "" && lifted == nil {
		return nil, nil, refuse(http.StatusConflict, "id %q names no command that stands: it has ended, or never was", flow.Brief(c.ID))
	}
	o = d.open(c)
	if lifted != nil {
		o.row.Text = liftText(lifted.command)
	}
	for _, l := range links {
		if c.Stands() { // before it is sent: its end may come with the answer
			d.standing[o.row.Key], o.holders[l] = o, true
		}
		sent = append(sent, l.ask(o.command, 0))
	}
	return o, sent, nil
}

// linksOf are the connections of a controller. Lock held.
func (d *Desk) linksOf(name string) ([]*link, error) {
	if links := d.links[name]; len(links) > 0 {
		return links, nil
	}
	also := ""
	switch names := slices.Sorted(maps.Keys(d.links)); len(names) {
	case 0:
	case 1:
		also = " (" + names[0] + " does)"
	default:
		also = " (" + strings.Join(names, ", ") + " do)"
	}
	return nil, refuse(http.StatusConflict, "%s does not take commands%s: start it with Control: true (TRACER_CONTROL=1) and TRACER_CONTROL_TOKEN, "+
		"or wait until it has connected", flow.Brief(name), also)
}

// open makes the row of a command. One that is done at once ends when it begins.
func (d *Desk) open(c wire.Command) *order {
	now := d.cfg.Now().UnixMicro()
	o := &order{command: c, holders: map[*link]bool{}, late: map[*link]bool{}, row: flow.Control{
		Row: flow.RowControl, Key: strings.ToLower(rand.Text()[:16]), Controller: c.Controller, Item: c.Item,
		Command: c.Command, Phase: c.Phase, Text: Text(c), By: presenter, From: now,
	}}
	if c.Stands() {
		o.row.Until = now + c.Lasts().Microseconds()
	} else {
		o.row.To = now
	}
	if c.Command != wire.Lift { // whose id names what it lifts
		o.command.ID = o.row.Key
	}
	return o
}

// give waits for what every process says to a command. It is good when one of
// them has put it into force.
func (d *Desk) give(o *order, sent []asked) error {
	ctx, cancel := context.WithTimeout(context.Background(), AckWithin)
	defer cancel()
	answers := make(chan error, len(sent))
	for _, a := range sent {
		go func() { answers <- d.giveOne(ctx, a, o) }()
	}
	var first error
	good := false
	for range sent {
		if err := <-answers; err == nil {
			good = true
		} else if first == nil {
			first = err
		}
	}
	if good {
		return nil
	}
	return first
}

func (d *Desk) giveOne(ctx context.Context, a asked, o *order) error {
	said, err := a.answer(ctx)
	switch name := o.command.Controller; {
	case err == nil && said == "":
		d.taken(o)
		return nil
	case err == nil:
		err = refuse(http.StatusConflict, "%s", said)
	case errors.Is(err, errGone):
		err = refuse(http.StatusConflict, "%s has gone away: wait until it has connected again", name)
	default: // it may take it yet
		if o.command.Stands() {
			d.giveUp(o, a.link)
			d.takeBack(a.link, o)
		}
		return refuse(http.StatusGatewayTimeout, "%s did not answer within %v, and the command is taken back: look whether its process is alive", name, AckWithin)
	}
	d.letGo(o, a.link)
	return err
}

// taken notes that a command was put into force at a process, where it may have
// ended already.
func (d *Desk) taken(o *order) {
	d.mu.Lock()
	defer d.mu.Unlock()
	o.inForce = true
}

// giveUp notes that a process has not answered in time: it may take the command
// yet, but its end does not wait for that.
func (d *Desk) giveUp(o *order, l *link) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, there := o.holders[l]; there {
		o.holders[l] = false
	}
}

// letGo notes that a command does not stand at a process. One that stands
// nowhere, and never did, is forgotten.
func (d *Desk) letGo(o *order, l *link) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(o.holders, l)
	if len(o.holders) == 0 && !o.inForce {
		delete(d.standing, o.row.Key)
	}
}

func (d *Desk) rowOf(o *order) flow.Control {
	d.mu.Lock()
	defer d.mu.Unlock()
	return o.row
}

// record makes the state that a command has now durable.
func (d *Desk) record(ctx context.Context, o *order) error {
	o.recording.Lock()
	defer o.recording.Unlock()
	ctx, cancel := context.WithTimeout(ctx, recordWithin)
	defer cancel()
	return d.cfg.Record(ctx, d.rowOf(o))
}

// takeBack lifts at a process a command of which nobody would know. The process
// says that it has ended there; where it was not in force it refuses, and where
// it does not listen it is let go, and lets go of everything by itself.
func (d *Desk) takeBack(l *link, o *order) {
	lift := wire.Command{Command: wire.Lift, Controller: o.row.Controller, ID: o.row.Key}
	l.send(wire.Message{Command: &lift}, func(string) { d.letGo(o, l) })
}

// Close lets every controller go and returns when all are gone, and the rows of
// what stood there have ended.
func (d *Desk) Close() {
	d.mu.Lock()
	d.closed = true
	for _, links := range d.links {
		for _, l := range links {
			l.end()
		}
	}
	d.mu.Unlock()
	d.serving.Wait()
}
