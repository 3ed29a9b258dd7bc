package ctrlruntime

import (
	"context"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/reconcile-tracer/tracer/tracer"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// controller is one controller that is traced.
type controller struct {
	setup *setup
	name  string

	mu      sync.Mutex
	started bool
	workers int
	elected bool                    // it waits for the manager to be the leader
	given   schema.GroupVersionKind // the kind that it reconciles, if Trace was told
	// find finds the kind that it reconciles; nil: there is nothing to look at.
	find    func() schema.GroupVersionKind
	watches []string // kinds
	// resources are the plurals of what it watches.
	resources []string

	tracer atomic.Pointer[tracer.Tracer]
	gvk    atomic.Pointer[schema.GroupVersionKind]
}

// trace is the controller's tracer, nil (which is off) before it has started.
func (c *controller) trace() *tracer.Tracer {
	if c == nil {
		return nil
	}
	return c.tracer.Load()
}

// kind is the kind that the controller reconciles, empty when not known.
func (c *controller) kind() schema.GroupVersionKind {
	if gvk := c.gvk.Load(); gvk != nil {
		return *gvk
	}
	return schema.GroupVersionKind{}
}

// start starts the tracer, once. Look says that nobody changes the controller
// while its kind is looked for.
func (c *controller) start(ctx context.Context, look bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.started {
		return nil
	}
	gvk := c.given
	if gvk.Empty() {
		gvk = c.setup.config.For[c.name]
	}
	if gvk.Empty() && look && c.find != nil {
		gvk = c.find()
	}
	cfg := c.setup.config.Tracer
	cfg.Controller, cfg.For, cfg.Workers = c.name, gvk, c.workers
	t, err := tracer.Start(ctx, cfg)
	if err != nil {
		return err
	}
	c.started = true
	c.gvk.Store(&gvk)
	c.tracer.Store(t)
	if c.elected && c.setup.election {
		t.Lease(semconv.LeaseWaiting)
	}
	return nil
}

// controllerKey is the key under which a context holds the controller that is
// started with it.
type controllerKey struct{}

// controllerOf is the controller that is started with ctx, nil for none.
func controllerOf(ctx context.Context) *controller {
	c, _ := ctx.Value(controllerKey{}).(*controller)
	return c
}

// runnable is a controller as the manager runs it: what it does at its start,
// like asking the cache for informers, is known to be its own.
type runnable struct {
	manager.Runnable
	by *controller
}

// Start runs the controller.
func (r *runnable) Start(ctx context.Context) error {
	r.begin(ctx)
	if t := r.by.trace(); r.by.elected && r.by.setup.election {
		t.Lease(semconv.LeaseLeading)
	}
	context.AfterFunc(ctx, func() { r.by.trace().Stopping() })
	return r.Runnable.Start(context.WithValue(ctx, controllerKey{}, r.by))
}

// begin starts the tracer of a controller that was added to a running manager.
func (r *runnable) begin(ctx context.Context) {
	if err := r.by.start(ctx, false); err != nil {
		r.by.setup.config.Tracer.Logger.Warn("a controller is not traced", "controller", r.by.name, "error", err)
	}
}

// NeedLeaderElection tells whether the controller waits for the leader election.
func (r *runnable) NeedLeaderElection() bool { return needsElection(r.Runnable) }

// needsElection is the manager's rule.
func needsElection(r manager.Runnable) bool {
	if l, ok := r.(manager.LeaderElectionRunnable); ok {
		return l.NeedLeaderElection()
	}
	return true
}

// Warmup starts the controller's sources before it is the leader, if it does so.
func (r *runnable) Warmup(ctx context.Context) error {
	w, ok := r.Runnable.(interface{ Warmup(context.Context) error })
	if !ok {
		return nil
	}
	r.begin(ctx)
	return w.Warmup(context.WithValue(ctx, controllerKey{}, r.by))
}
