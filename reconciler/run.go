package reconciler

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// overdueAfter is how long an own write may not show in the cache before a pass
// looks again unasked.
const overdueAfter = 30 * time.Second

// Run runs the controller until ctx ends, and returns nil then, once every
// goroutine, request and lease of its own is gone: after Options.DrainTimeout
// at the latest where work is under way, as a rule at once. It returns an error at once when the options are
// wrong, the CRD is missing (ErrNoCRD) or a permission is, and ErrLeaseLost
// when it had to stop for that. It neither starts nor shuts down the Tracer.
func Run(ctx context.Context, o Options) error {
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	api, err := newClients(o)
	if err != nil {
		return err
	}
	if err := prepare(ctx, o, api); err != nil {
		return unlessEnded(ctx, err)
	}
	if !o.LeaderElection.Enabled {
		return newController(o, api).run(ctx)
	}
	o.Tracer.Lease(semconv.LeaseWaiting)
	return o.LeaderElection.lead(ctx, api.plain, func(ctx context.Context) error {
		o.Tracer.Lease(semconv.LeaseLeading)
		return newController(o, api).run(ctx)
	})
}

// clients are the ways to the API server. Those of the loop are traced;
// leases, events and start-up checks are no part of it and go by plain.
type clients struct {
	plain kubernetes.Interface
	kube  kubernetes.Interface
	sets  *v1alpha1.Clientset
}

func newClients(o Options) (clients, error) {
	plain, err := kubernetes.NewForConfig(o.Config)
	if err != nil {
		return clients{}, fmt.Errorf("making a client: %w", err)
	}
	traced := rest.CopyConfig(o.Config)
	traced.Wrap(o.Tracer.Transport)
	kube, err := kubernetes.NewForConfig(traced)
	if err != nil {
		return clients{}, fmt.Errorf("making a client: %w", err)
	}
	sets, err := v1alpha1.NewClientset(traced)
	return clients{plain: plain, kube: kube, sets: sets}, err
}

// prepare makes sure that the controller can work, because informers that
// cannot would only try again for ever.
func prepare(ctx context.Context, o Options, api clients) error {
	if o.InstallCRD {
		if err := InstallCRD(ctx, o.Config); err != nil {
			return err
		}
	}
	if err := checkAccess(ctx, api.plain, o.Namespace, slices.Concat(permissions, o.bug.needs)); err != nil {
		return err
	}
	return checkServed(ctx, api.sets.PodSets(o.Namespace))
}

// unlessEnded drops the error of what was interrupted because it had to end.
func unlessEnded(ctx context.Context, err error) error {
	if ended(ctx) {
		return nil
	}
	return err
}

func ended(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return true
	default:
		return false
	}
}

// run stops in this order: the informers, so that no more work comes in; the
// queue, so that workers end when it is empty; the workers.
func (c *controller) run(ctx context.Context) error {
	recorder, stopEvents := c.startEvents(ctx)
	defer stopEvents()
	c.recorder = recorder

	// Also where no worker ever started: the queue has a goroutine of its own.
	defer c.queue.ShutDown()
	intake, stopIntake := context.WithCancel(context.WithoutCancel(ctx))
	defer stopIntake()
	informers := c.startInformers(intake)
	if cache.WaitForCacheSync(ctx.Done(), c.sets.HasSynced, c.pods.HasSynced) {
		c.log.Info("caches are filled, starting workers", "workers", c.workers)
		c.work(ctx)
	}
	c.tracer.Stopping()
	stopIntake()
	informers.Wait()
	return nil
}

// work returns when ctx has ended and every worker has.
func (c *controller) work(ctx context.Context) {
	workCtx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	var workers sync.WaitGroup
	for range c.workers {
		workers.Go(func() { c.worker(workCtx) })
	}
	workers.Go(func() { c.wakeOverdue(ctx, overdueAfter/3) })
	<-ctx.Done()
	c.tracer.Stopping()
	if c.mustNotWrite(ctx) {
		cancel(context.Cause(ctx))
	}
	deadline := time.AfterFunc(c.drain, func() { cancel(context.Cause(ctx)) })
	defer deadline.Stop()
	c.queue.ShutDown()
	workers.Wait()
}

// wakeOverdue asks for a pass where own writes do not show, so that a pass
// which waits for an event cannot wait for ever.
func (c *controller) wakeOverdue(ctx context.Context, every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			for _, key := range c.ledger.overdue(now, overdueAfter) {
				c.log.Warn("own writes do not show in the cache, looking again", "item", key.String(), "after", overdueAfter)
				c.queue.Add(key)
			}
		}
	}
}
