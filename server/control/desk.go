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

	// Under the Desk's lock.
	row flow.Control
	// holders are where it may stand: false where it was given up.
	holders map[*link]bool
	// inForce says that it has stood somewhere, so that its end is told too.
	inForce bool
	why     string // by what it ended at the last place where it did
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
	c = c.WithDefaults()
	links, err := d.linksOf(c.Controller)
	if err != nil {
		return flow.Control{}, err
	}
	target := c.ID // what a lift names
	o := d.open(c)
	if c.Command != wire.Lift {
		c.ID = o.row.Key
	} else if target != "" && !d.stands(target) {
		return flow.Control{}, refuse(http.StatusConflict, "id %q names no command that stands: it has ended, or never was", flow.Brief(target))
	}
	sent := context.WithoutCancel(ctx)
	if err := d.give(sent, links, o, c); err != nil {
		return flow.Control{}, err
	}
	if c.Stands() {
		d.settle(o)
	}
	err = d.record(sent, o)
	if err != nil {
		err = fmt.Errorf("the command could not be recorded, and is taken back: %w", err)
	} else if gone := context.Cause(ctx); gone != nil {
		err = fmt.Errorf("who gave the command has gone away, and it is taken back: %w", gone)
	}
	if err != nil && c.Stands() {
		for _, l := range links {
			d.takeBack(sent, l, o)
		}
	}
	return d.rowOf(o), err
}

// linksOf are the connections of a controller.
func (d *Desk) linksOf(name string) ([]*link, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if links := d.links[name]; len(links) > 0 {
		return slices.Clone(links), nil
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
	o := &order{holders: map[*link]bool{}, row: flow.Control{
		Row: flow.RowControl, Key: strings.ToLower(rand.Text()[:16]), Controller: c.Controller, Item: c.Item,
		Command: c.Command, Phase: c.Phase, Text: Text(c), By: presenter, From: now,
	}}
	if c.Stands() {
		o.row.Until = now + c.Lasts().Microseconds()
	} else {
		o.row.To = now
	}
	return o
}

// give sends a command to every process and waits for what they say. It is good
// when one of them has put it into force.
func (d *Desk) give(ctx context.Context, links []*link, o *order, c wire.Command) error {
	ctx, cancel := context.WithTimeout(ctx, AckWithin)
	defer cancel()
	answers := make(chan error, len(links))
	if c.Stands() { // before it is sent: its end may come with the answer
		d.hold(o, links)
	}
	for _, l := range links {
		go func() { answers <- d.giveOne(ctx, l, o, c) }()
	}
	var first error
	good := false
	for range links {
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

func (d *Desk) giveOne(ctx context.Context, l *link, o *order, c wire.Command) error {
	said, err := l.ask(ctx, c)
	switch {
	case err == nil && said == "":
		d.taken(o)
		return nil
	case err == nil:
		err = refuse(http.StatusConflict, "%s", said)
	case errors.Is(err, errGone):
		err = refuse(http.StatusConflict, "%s has gone away: wait until it has connected again", c.Controller)
	default: // it may take it yet
		if c.Stands() {
			d.giveUp(o, l)
			d.takeBack(context.WithoutCancel(ctx), l, o)
		}
		return refuse(http.StatusGatewayTimeout, "%s did not answer within %v, and the command is taken back: look whether its process is alive", c.Controller, AckWithin)
	}
	d.letGo(o, l)
	return err
}

func (d *Desk) hold(o *order, links []*link) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.standing[o.row.Key] = o
	for _, l := range links {
		o.holders[l] = true
	}
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

func (d *Desk) stands(id string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.standing[id] != nil
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
func (d *Desk) takeBack(ctx context.Context, l *link, o *order) {
	lift := wire.Command{Command: wire.Lift, Controller: o.row.Controller, ID: o.row.Key}
	if l.send(ctx, lift, func(string) { d.letGo(o, l) }) != nil {
		l.end()
	}
}

// ended notes that a command stands no more at a process, which has told so or,
// with gone, is gone. When it was the last one the command has ended.
func (d *Desk) ended(l *link, id, why string, gone bool) {
	d.mu.Lock()
	o := d.standing[id]
	if o == nil {
		d.mu.Unlock()
		return
	}
	delete(o.holders, l)
	o.why = flow.Brief(why)
	o.inForce = o.inForce || !gone
	over := o.over()
	if over {
		d.finish(o)
	}
	tell := over && o.inForce
	d.mu.Unlock()
	if !tell {
		return
	}
	if err := d.record(context.Background(), o); err != nil {
		d.cfg.Log.Warn("the end of a command is not recorded", "command", o.row.Text, "error", err)
	}
}

// over says that a command is in force nowhere any more. Desk's lock held.
func (o *order) over() bool {
	for _, holds := range o.holders {
		if holds {
			return false
		}
	}
	return true
}

// finish ends a command. Lock held.
func (d *Desk) finish(o *order) {
	o.row.To, o.row.Lifted = max(d.cfg.Now().UnixMicro(), o.row.From+1), o.why
	delete(d.standing, o.row.Key)
}

// settle ends a command that ended while others had not answered yet.
func (d *Desk) settle(o *order) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if o.row.To == 0 && o.over() {
		d.finish(o)
	}
}

// endAll ends what stood at a process that is gone.
func (d *Desk) endAll(l *link, why string) {
	d.mu.Lock()
	var ids []string
	for id, o := range d.standing {
		if _, there := o.holders[l]; there {
			ids = append(ids, id)
		}
	}
	d.mu.Unlock()
	for _, id := range ids {
		d.ended(l, id, why, true)
	}
}

// Recover ends the commands of a hub that is gone: a controller has let go of
// them when it was.
func (d *Desk) Recover(ctx context.Context, rows []*flow.Control) {
	for _, row := range rows {
		next := *row
		next.To, next.Lifted = max(d.cfg.Now().UnixMicro(), row.From+1), "the hub was started again"
		ctx, cancel := context.WithTimeout(ctx, recordWithin)
		if err := d.cfg.Record(ctx, next); err != nil {
			d.cfg.Log.Warn("the end of a command is not recorded", "command", row.Text, "error", err)
		}
		cancel()
	}
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
