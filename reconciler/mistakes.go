package reconciler

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/retry"

	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
	"github.com/reconcile-tracer/tracer/tracer"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// Bug is a mistake that real controllers make, and that this one makes when
// Options.Bug names it. Everything but that mistake stays as it is.
type Bug struct {
	// Name is that of the flag --bug and of the finding.
	Name string
	// Wrong says what goes wrong, Look what to do and where to look on the
	// page, each in one line.
	Wrong, Look string

	// spoil replaces the way that the mistake is about.
	spoil func(*ways)
	// needs is what the mistake must be allowed to do beside the rest.
	needs []permission
}

// Bugs returns all of them, in the order in which they are taught. The caller
// owns the slice.
func Bugs() []Bug {
	return []Bug{
		{
			Name: "hot-loop", Wrong: "the status holds the time of the last look, so each write of it wakes the controller",
			Look:  "create a PodSet: own writes come straight back to the queue, for ever",
			spoil: func(w *ways) { w.status = stampedStatus },
		},
		{
			Name: "swallowed-error", Wrong: "an error is logged and forgotten: the pass ends in success and nobody tries again",
			Look:  "forbid Pods with a ResourceQuota, scale up: a failed write, success, and no back-off",
			spoil: func(w *ways) { w.steps = swallowingSteps },
		},
		{
			Name: "blind-update", Wrong: "a conflict is answered by sending the same old version again, five times",
			Look:  "change the PodSet while it is reconciled: a row of 409s with one resourceVersion",
			spoil: func(w *ways) { w.write = writeBlindly },
		},
		{
			Name: "duplicate-create", Wrong: "the cache is believed although it does not show the last writes yet",
			Look:  "hold the Pods' watch back and scale up: more Pods than replicas, after a stale read",
			spoil: func(w *ways) { w.pending = nothingPending },
		},
		{
			Name: "requeue-after-with-error", Wrong: "a failed pass asks for a try in 30 s too, which the back-off makes void",
			Look:  "forbid Pods with a ResourceQuota: the tries come after 5, 10, 20 ms and not after 30 s",
			spoil: func(w *ways) { w.retry = retryTwice },
		},
		{
			Name: "no-owner-reference", Wrong: "Pods are made without an owner reference and found by their label",
			Look:  "delete the PodSet: its Pods stay; and none of their events comes to the queue",
			spoil: func(w *ways) { w.newPod, w.podsOf = newOrphan, labelledPods },
		},
		{
			Name: "missing-watch", Wrong: "Pods are read from a cache, and their events are not listened to",
			Look:  "delete a Pod: nothing happens until a resync (--resync) or an edit of the PodSet",
			spoil: func(w *ways) { w.watchPods = func(*controller) {} },
		},
		{
			Name: "finalizer-stuck", Wrong: "a finalizer is added and never taken off, since a deleted PodSet is left alone",
			Look:  "delete a PodSet: it stays, being deleted, and each pass finds nothing to do",
			spoil: func(w *ways) { w.steps = finalizingSteps },
			needs: []permission{{v1alpha1.GroupName, v1alpha1.Resource, "", []string{"patch"}}},
		},
		{
			Name: "observed-generation", Wrong: "observedGeneration is written once and never again",
			Look:  "scale the PodSet: it becomes Ready, and says so of an old generation",
			spoil: func(w *ways) { w.status = firstGenerationStatus },
		},
	}
}

// findBug returns the bug of a name, the zero Bug for "", and an error that
// names all for another.
func findBug(name string) (Bug, error) {
	all := Bugs()
	if name == "" {
		return Bug{}, nil
	}
	var names []string
	for _, b := range all {
		if b.Name == name {
			return b, nil
		}
		names = append(names, b.Name)
	}
	return Bug{}, fmt.Errorf("options: bug is %q, which is none: choose one of %s", name, strings.Join(names, ", "))
}

// ways are the right ones but for the mistake.
func (b Bug) ways() ways {
	w := rightWays()
	if b.spoil != nil {
		b.spoil(&w)
	}
	return w
}

// ways are those that the options ask for.
func (o Options) ways() ways {
	w := o.bug.ways()
	if o.AskedMistakes {
		w = w.askedWays()
	}
	return w
}

// stampedStatus is hot-loop. The time has fractions of a second: one that is
// written in whole seconds, as metav1.Time is, changes nothing within the same
// second, and so the loop dies down.
func stampedStatus(o observation) (*v1alpha1.PodSetStatus, []string) {
	now, _ := nextStatus(o)
	now.Conditions[0].Message += ", looked at " + o.at.Format(time.RFC3339Nano)
	return now, changedPaths(&o.set.Status, now)
}

// firstGenerationStatus is observed-generation.
func firstGenerationStatus(o observation) (*v1alpha1.PodSetStatus, []string) {
	now, _ := nextStatus(o)
	if first := o.set.Status.ObservedGeneration; first != 0 {
		now.ObservedGeneration, now.Conditions[0].ObservedGeneration = first, first
	}
	return now, changedPaths(&o.set.Status, now)
}

// swallowingSteps is swallowed-error: log, and no return.
func swallowingSteps(c *controller) []step {
	steps := c.steps()
	for i, right := range steps {
		steps[i].run = func(ctx context.Context, s *scope) error {
			if err := right.run(ctx, s); err != nil {
				c.log.Error("step failed", "step", right.name, "item", s.key.String(), "error", err)
			}
			return nil
		}
	}
	return steps
}

// writeBlindly is blind-update: RetryOnConflict around a function that does not
// read the object again.
func writeBlindly(send func() error) error {
	return retry.RetryOnConflict(retry.DefaultRetry, send)
}

// nothingPending is duplicate-create.
func nothingPending(*ledger, cache.ObjectName, *v1alpha1.PodSet, []*corev1.Pod, string) int { return 0 }

// retryTwice is requeue-after-with-error: Result{RequeueAfter: 30 s} beside an
// error. controller-runtime ignores the first; client-go's queue takes the
// sooner of both.
func retryTwice(c *controller, key cache.ObjectName) {
	c.queue.AddAfter(key, askedAfter)
	c.queue.AddRateLimited(key)
}

const askedAfter = 30 * time.Second

// newOrphan and labelledPods are no-owner-reference.
func newOrphan(set *v1alpha1.PodSet) *corev1.Pod {
	pod := newPod(set)
	pod.OwnerReferences = nil
	return pod
}

func labelledPods(pods cache.Indexer, set *v1alpha1.PodSet) ([]any, error) {
	return slices.DeleteFunc(pods.List(), func(obj any) bool {
		pod := obj.(*corev1.Pod)
		return pod.Namespace != set.Namespace || pod.Labels[v1alpha1.LabelPodSet] != set.Name
	}), nil
}

// Finalizer is what finalizer-stuck leaves on PodSets. To get rid of one:
//
//	kubectl patch podset NAME --type=merge -p '{"metadata":{"finalizers":null}}'
const Finalizer = v1alpha1.GroupName + "/clean-up"

// finalizingSteps is finalizer-stuck: nothing takes off what addFinalizer adds,
// because a plan for a PodSet that is being deleted is to do nothing.
func finalizingSteps(c *controller) []step {
	return slices.Insert(c.steps(), 1, step{"adding the finalizer", c.addFinalizer, ""})
}

func (c *controller) addFinalizer(ctx context.Context, s *scope) error {
	set := s.seen.set
	if set == nil || set.DeletionTimestamp != nil || s.seen.pending > 0 || slices.Contains(set.Finalizers, Finalizer) {
		return nil
	}
	tracer.Phase(ctx, semconv.SpanApply)
	body, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"finalizers": append(slices.Clone(set.Finalizers), Finalizer), "resourceVersion": set.ResourceVersion,
	}})
	if err != nil {
		return err
	}
	written, err := c.api.sets.PodSets(set.Namespace).Patch(ctx, set.Name, types.MergePatchType, body, metav1.PatchOptions{FieldManager: ControllerName})
	if err != nil {
		return err
	}
	c.ledger.wroteStatus(s.key, written)
	s.seen.set = written // the status is to be written over this version
	return nil
}
