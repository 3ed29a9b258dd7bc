package tracer

import (
	"context"
	"maps"
	"net/http"
	"strconv"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/reconcile-tracer/tracer/tracer/control"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// attach lets a hub give commands, if that is wanted.
func (t *Tracer) attach() {
	t.detach = func() {}
	if !t.cfg.Control {
		return
	}
	t.held.workers = map[int]control.Held{}
	t.control = control.New(control.Config{
		Hub: t.cfg.Endpoint, Token: t.cfg.ControlToken, Controller: t.cfg.Controller,
		Resource: guessResource(t.cfg.For).Resource, Logger: t.cfg.Logger, Gate: t.cfg.Watches.gateOf(),
		Tell:   t.tellHeld,
		Linked: func(linked bool) { t.updateState(func(s *controllerState) { s.control = linked }) },
	})
	t.updateState(func(s *controllerState) { s.refresh = append(s.refresh, t.tellAllHeld) })
	ctx, detach := context.WithCancel(context.Background())
	t.detach = detach
	t.running.Go(func() { t.control.Run(ctx) })
}

// heldWorkers is what was last told of each worker.
type heldWorkers struct {
	mu      sync.Mutex
	workers map[int]control.Held
}

// tellHeld has a hold record sent.
func (t *Tracer) tellHeld(h control.Held) {
	t.held.mu.Lock()
	t.held.workers[h.Worker] = h
	t.held.mu.Unlock()
	t.putHeld(h, time.Now())
}

// tellAllHeld tells of every worker anew, for a hub that has lost it.
func (t *Tracer) tellAllHeld() {
	t.held.mu.Lock()
	workers := maps.Clone(t.held.workers)
	t.held.mu.Unlock()
	for _, h := range workers {
		t.putHeld(h, time.Now())
	}
}

func (t *Tracer) putHeld(h control.Held, now time.Time) {
	attrs := append(t.objectRef(h.Namespace, h.Name),
		attribute.String(semconv.AttrController, t.cfg.Controller),
		attribute.Int(semconv.AttrWorker, h.Worker),
		attribute.String(semconv.AttrHoldPhase, h.Phase))
	if !h.Since.IsZero() {
		attrs = append(attrs,
			attribute.Int64(semconv.AttrHoldSince, h.Since.UnixMicro()),
			attribute.Int64(semconv.AttrHoldUntil, h.Until.UnixMicro()),
			attribute.String(semconv.AttrHoldWhy, h.Why))
	}
	rec := record{at: now, event: semconv.LogHold, attrs: attrs}
	rec.trace, _ = trace.TraceIDFromHex(h.Trace) // zero before the reconcile has one
	t.put("hold/"+strconv.Itoa(h.Worker), func() record { return rec })
}

// send sends a request of the reconcile, with the faults that a debugger asks
// for; fault names the one that made the answer.
func (r *reconcile) send(next http.RoundTripper, req *http.Request, to target, sent string) (res *http.Response, fault string, err error) {
	if !r.t.control.Armed() {
		res, err = next.RoundTrip(req)
		return res, "", err
	}
	name := to.name
	if name == "" {
		name = sent
	}
	item := r.debug.name
	if r.debug.namespace != "" {
		item = r.debug.namespace + "/" + item
	}
	return r.t.control.Send(next, req, control.Request{
		Verb: verbOf(req.Method, to), Resource: to.resource, Subresource: to.subresource, Name: name, Item: item,
	})
}

// verbOf is the API's verb of a request.
func verbOf(method string, to target) string {
	switch method {
	case http.MethodPost:
		return "create"
	case http.MethodPut:
		return "update"
	case http.MethodPatch:
		return "patch"
	case http.MethodDelete:
		if to.name == "" {
			return "deletecollection"
		}
		return "delete"
	}
	if to.name == "" {
		return "list"
	}
	return "get"
}

// watch sends a request that is no reconcile's. The events of a watch can be
// held if the controller takes commands.
func (t *Tracer) watch(next http.RoundTripper, req *http.Request) (*http.Response, error) {
	if t.control == nil {
		return next.RoundTrip(req)
	}
	return holdable(next, req, t.control.Watch)
}
