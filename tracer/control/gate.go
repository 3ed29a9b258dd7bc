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

	"github.com/reconcile-tracer/tracer/tracer/control/wire"
)

// gate knows which resources are watched. The Debugger's lock guards it.
type gate struct{ watched map[string]int }

// untouched are resources that the debugger leaves alone whatever it is told:
// to hold or to fail them would cost the controller its lease, or hide what it
// says.
var untouched = []string{"leases", "events"}

// Watch makes the answer to a watch of a resource one whose events can be held.
func (d *Debugger) Watch(ctx context.Context, res *http.Response, resource string) {
	if d == nil || res == nil || res.Body == nil || slices.Contains(untouched, resource) {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.gate.watched[resource]++
	res.Body = &gatedBody{ReadCloser: res.Body, d: d, resource: resource, ctx: ctx.Done(), closed: make(chan struct{})}
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
	if d.gate.watched[s.Resource] > 0 {
		return nil
	}
	names := strings.Join(slices.Sorted(maps.Keys(d.gate.watched)), ", ")
	if names == "" {
		return fmt.Errorf("%s has no watch of its own that could be held: its client is not wrapped, or its cache is shared with other controllers", d.cfg.Controller)
	}
	return fmt.Errorf("resource %q is not watched by %s: use one of %s", s.Resource, d.cfg.Controller, names)
}

// heldBy is the command that holds a resource's events now, nil for none.
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
	d        *Debugger
	resource string
	ctx      <-chan struct{}
	closed   chan struct{}
	once     sync.Once
}

// Read reads events, and gives them out when they are not held any more.
func (b *gatedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	for n > 0 && b.d.Armed() {
		s := b.d.heldBy(b.resource)
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
		b.d.mu.Lock()
		defer b.d.mu.Unlock()
		if b.d.gate.watched[b.resource]--; b.d.gate.watched[b.resource] <= 0 {
			delete(b.d.gate.watched, b.resource)
		}
	})
	return b.ReadCloser.Close()
}
