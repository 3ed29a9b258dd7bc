package control

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/reconcile-tracer/tracer/tracer/control/wire"
)

// Gate knows the watches whose events can be held. A Debugger has one of its own,
// unless it shares one with others, as controllers do that share a cache.
type Gate struct {
	others func(controller, resource string) []string
	by     atomic.Pointer[[]*Debugger]

	mu      sync.Mutex
	watched map[string]int // by resource
}

// NewGate makes a Gate that several Debuggers share. A resource is not held for a
// controller while others names others that watch it, whose cache would be stale
// too. A nil one names nobody.
func NewGate(others func(controller, resource string) []string) *Gate {
	return &Gate{others: others, watched: map[string]int{}}
}

// heedBy has a Debugger's commands heeded too.
func (g *Gate) heedBy(d *Debugger) {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := []*Debugger{d}
	if before := g.by.Load(); before != nil {
		all = append(slices.Clone(*before), d)
	}
	g.by.Store(&all)
}

// untouched are resources that the debugger leaves alone whatever it is told:
// to hold or to fail them would cost the controller its lease, or hide what it
// says.
var untouched = []string{"leases", "events"}

// Watch makes the answer to a watch of a resource one whose events can be held.
func (d *Debugger) Watch(ctx context.Context, res *http.Response, resource string) {
	if d != nil {
		d.gate.Watch(ctx, res, resource)
	}
}

// Watch makes the answer to a watch of a resource one whose events can be held.
func (g *Gate) Watch(ctx context.Context, res *http.Response, resource string) {
	if res == nil || res.Body == nil || slices.Contains(untouched, resource) {
		return
	}
	g.count(resource, 1)
	res.Body = &gatedBody{ReadCloser: res.Body, gate: g, resource: resource, ctx: ctx.Done(), closed: make(chan struct{})}
}

func (g *Gate) count(resource string, by int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.watched[resource] += by; g.watched[resource] <= 0 {
		delete(g.watched, resource)
	}
}

// resources are those that are watched, in order.
func (g *Gate) resources() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Sorted(maps.Keys(g.watched))
}

// holdWatch checks whether there is a watch to hold, and chooses it where none
// is named. Lock held.
func (d *Debugger) holdWatch(s *standing) error {
	if s.Resource == "" {
		s.Resource = d.cfg.Resource
	}
	if slices.Contains(untouched, s.Resource) {
		return fmt.Errorf("resource %s is never held: choose one that %s reconciles or owns", s.Resource, d.cfg.Controller)
	}
	names := d.gate.resources()
	switch {
	case slices.Contains(names, s.Resource):
		return d.gate.alone(d.cfg.Controller, s.Resource)
	case len(names) == 0:
		return fmt.Errorf("%s has no watch of its own that could be held: its client is not wrapped, or its cache is shared with other controllers", d.cfg.Controller)
	}
	return fmt.Errorf("resource %q is not watched by %s: use one of %s", s.Resource, d.cfg.Controller, strings.Join(names, ", "))
}

// alone says who else watches a resource through the same cache.
func (g *Gate) alone(controller, resource string) error {
	if g.others == nil {
		return nil
	}
	if who := g.others(controller, resource); len(who) > 0 {
		return fmt.Errorf("resource %s is watched by %s too, through the same cache, which would be stale for them too: choose one that %s alone watches",
			resource, strings.Join(who, ", "), controller)
	}
	return nil
}

// heldBy is the command that holds a resource's events now, nil for none.
func (g *Gate) heldBy(resource string) *standing {
	by := g.by.Load()
	if by == nil {
		return nil
	}
	for _, d := range *by {
		if d.Armed() {
			if s := d.heldBy(resource); s != nil {
				return s
			}
		}
	}
	return nil
}

// heldBy is the Debugger's command that holds a resource's events now.
func (d *Debugger) heldBy(resource string) *standing {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.standing {
		if s.Fault == wire.FaultHoldWatch && s.Resource == resource {
			return s
		}
	}
	return nil
}

// gatedBody reads first and waits then, so that an event that was on its way
// when it began to be held is held too.
type gatedBody struct {
	io.ReadCloser
	gate     *Gate
	resource string
	ctx      <-chan struct{}
	closed   chan struct{}
	once     sync.Once
}

// Read reads events, and gives them out when they are not held any more.
func (b *gatedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	for n > 0 {
		s := b.gate.heldBy(b.resource)
		if s == nil {
			break
		}
		select {
		case <-s.over:
		case <-b.closed:
			return n, err
		case <-b.ctx:
			return n, err
		}
	}
	return n, err
}

// Close ends the watch.
func (b *gatedBody) Close() error {
	b.once.Do(func() {
		close(b.closed)
		b.gate.count(b.resource, -1)
	})
	return b.ReadCloser.Close()
}
