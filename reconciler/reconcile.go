package reconciler

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
	"github.com/reconcile-tracer/tracer/tracer"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// scope is what the steps of one pass hand on to each other.
type scope struct {
	key  cache.ObjectName
	seen observation
	plan plan
}

// step is one named step of a pass. When it fails and has a reason, the status
// says so.
type step struct {
	name   string
	run    func(context.Context, *scope) error
	reason string
}

// steps are done in this order, until one fails.
func (c *controller) steps() []step {
	return []step{
		{"observing", c.observe, ""},
		{"planning", c.decidePlan, ""},
		{"deleting Pods", c.deletePods, reasonDeleteFailed},
		{"creating Pods", c.createPods, reasonCreateFailed},
		{"writing the status", c.writeStatus, ""},
	}
}

// reconcile is one pass over the PodSet of the name key.
func (c *controller) reconcile(ctx context.Context, key cache.ObjectName) error {
	s := &scope{key: key}
	for _, step := range c.ways.steps(c) {
		if err := step.run(ctx, s); err != nil {
			err = fmt.Errorf("%s: %w", step.name, err)
			return errors.Join(err, c.tellFailure(ctx, s, step, err))
		}
	}
	return nil
}

// tellFailure writes into the status why a step failed, so that who applied the
// PodSet sees it; the pass has failed all the same.
func (c *controller) tellFailure(ctx context.Context, s *scope, failed step, err error) error {
	if failed.reason == "" || ended(ctx) {
		return nil
	}
	status, changed := failedStatus(s.seen, failed, err)
	if len(changed) == 0 {
		return nil
	}
	s.plan.status = status
	return c.writeStatus(ctx, s)
}

// observe reads the caches, and nothing else.
func (c *controller) observe(ctx context.Context, s *scope) error {
	tracer.Phase(ctx, semconv.SpanFetch)
	s.seen.at = metav1.Now()
	set, err := c.findSet(ctx, s.key)
	if err != nil || set == nil {
		return err
	}
	tracer.Observe(ctx, set)
	s.seen.set = set
	store := c.tracer.Indexer(ctx, podKind, c.pods.GetIndexer())
	// The store's version is read before its Pods, so that it never claims
	// more than they show.
	version := store.LastStoreSyncResourceVersion()
	owned, err := c.ways.podsOf(store, set)
	if err != nil {
		return fmt.Errorf("reading Pods from the cache: %w", err)
	}
	s.seen.pods = asPods(owned)
	s.seen.pending = c.ways.pending(c.ledger, s.key, set, s.seen.pods, version)
	return nil
}

// findSet returns nil when the cache holds no such PodSet.
func (c *controller) findSet(ctx context.Context, key cache.ObjectName) (*v1alpha1.PodSet, error) {
	obj, exists, err := c.tracer.Indexer(ctx, v1alpha1.PodSetKind, c.sets.GetIndexer()).GetByKey(key.String())
	if err != nil {
		return nil, fmt.Errorf("reading the PodSet from the cache: %w", err)
	}
	if !exists {
		c.ledger.forget(key)
		return nil, nil
	}
	return obj.(*v1alpha1.PodSet), nil
}

func asPods(objects []any) []*corev1.Pod {
	pods := make([]*corev1.Pod, 0, len(objects))
	for _, obj := range objects {
		pods = append(pods, obj.(*corev1.Pod))
	}
	return pods
}

func (c *controller) decidePlan(ctx context.Context, s *scope) error {
	tracer.Phase(ctx, semconv.SpanCompute)
	s.plan = makePlan(s.seen, c.ways.status)
	actions := make([]tracer.Action, 0, len(s.plan.actions))
	for _, a := range s.plan.actions {
		actions = append(actions, tracer.Action{Verb: a.verb, Kind: a.kind, Name: a.name, Summary: a.summary, Paths: a.paths})
	}
	tracer.Plan(ctx, actions...)
	return nil
}
