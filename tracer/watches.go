package tracer

import (
	"context"
	"net/http"

	"github.com/reconcile-tracer/tracer/tracer/control"
)

// Watches are the watches of a cache that several controllers share: a command to
// one of them can hold their events back, as those of a Transport of its own.
type Watches struct{ gate *control.Gate }

// NewWatches makes Watches for Config.Watches of each controller. Others names
// the other controllers that watch a resource, a plural, beside one: while there
// are any, it is not held, since their cache would be stale too.
func NewWatches(others func(controller, resource string) []string) *Watches {
	return &Watches{control.NewGate(others)}
}

// RoundTrip sends a request of the cache through next.
func (w *Watches) RoundTrip(next http.RoundTripper, req *http.Request) (*http.Response, error) {
	return holdable(next, req, w.gate.Watch)
}

// gateOf is the gate of Watches, nil for nil.
func (w *Watches) gateOf() *control.Gate {
	if w == nil {
		return nil
	}
	return w.gate
}

// holdable sends a request that is no reconcile's. If it begins a watch, its
// events can be held.
func holdable(next http.RoundTripper, req *http.Request, watch func(context.Context, *http.Response, string)) (*http.Response, error) {
	res, err := next.RoundTrip(req)
	if err != nil || res == nil || req.Method != http.MethodGet || !isWatch(req.URL.Query()) || res.StatusCode != http.StatusOK {
		return res, err
	}
	if to, ok := pathTarget(req.URL); ok {
		watch(req.Context(), res, to.resource.Resource)
	}
	return res, nil
}
