package reconciler

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
	"github.com/reconcile-tracer/tracer/tracer"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// Reasons of events.
const (
	eventCreated      = "SuccessfulCreate"
	eventCreateFailed = "FailedCreate"
	eventDeleted      = "SuccessfulDelete"
	eventDeleteFailed = "FailedDelete"
)

// deletePods deletes the planned Pods one after another.
func (c *controller) deletePods(ctx context.Context, s *scope) error {
	if len(s.plan.remove) == 0 {
		return nil
	}
	tracer.Phase(ctx, semconv.SpanApply)
	var names []string
	defer func() { c.record(s, eventDeleted, "Deleted", names) }()
	for _, pod := range s.plan.remove {
		if err := c.deletePod(ctx, s, pod); err != nil {
			c.recordFailure(s, eventDeleteFailed, "Deleting Pod "+pod.Name, err)
			return err
		}
		names = append(names, pod.Name)
	}
	return nil
}

// deletePod deletes that very Pod, not a later one of its name. One that is
// gone already is as it should be.
func (c *controller) deletePod(ctx context.Context, s *scope, pod *corev1.Pod) error {
	err := c.api.kube.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{
		Preconditions: metav1.NewUIDPreconditions(string(pod.UID)),
	})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err == nil {
		c.ledger.deletedPod(s.key, s.seen.set.UID, pod.UID)
	}
	return err
}

// createPods makes the planned number of Pods one after another.
func (c *controller) createPods(ctx context.Context, s *scope) error {
	if s.plan.create == 0 {
		return nil
	}
	tracer.Phase(ctx, semconv.SpanApply)
	var names []string
	defer func() { c.record(s, eventCreated, "Created", names) }()
	for range s.plan.create {
		pod, err := c.createPod(ctx, s)
		if apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
			// Everything in it goes away; trying again would be of no use.
			return nil
		}
		if err != nil {
			c.recordFailure(s, eventCreateFailed, "Creating a Pod", err)
			return err
		}
		names = append(names, pod.Name)
	}
	return nil
}

func (c *controller) createPod(ctx context.Context, s *scope) (*corev1.Pod, error) {
	set := s.seen.set
	pod, err := c.api.kube.CoreV1().Pods(set.Namespace).Create(ctx, c.ways.newPod(set), metav1.CreateOptions{FieldManager: ControllerName})
	if err != nil {
		return nil, err
	}
	c.ledger.createdPod(s.key, set.UID, pod)
	return pod, nil
}

// writeStatus is the one place that writes a status. It writes over the
// version that was read, so it fails with a conflict when somebody has changed
// the PodSet since; the next pass then looks at what they wrote.
func (c *controller) writeStatus(ctx context.Context, s *scope) error {
	if s.plan.status == nil {
		return nil
	}
	tracer.Phase(ctx, semconv.SpanApply)
	set := s.seen.set.DeepCopy()
	set.Status = *s.plan.status
	var written *v1alpha1.PodSet
	err := c.ways.write(func() (err error) {
		written, err = c.api.sets.PodSets(set.Namespace).UpdateStatus(ctx, set, metav1.UpdateOptions{FieldManager: ControllerName})
		return err
	})
	if apierrors.IsNotFound(err) {
		// It was deleted since; its event is on the way.
		return nil
	}
	if err != nil {
		return err
	}
	c.ledger.wroteStatus(s.key, written)
	return nil
}

// record records one event for all Pods of a pass, nothing for none.
func (c *controller) record(s *scope, reason, did string, names []string) {
	if len(names) == 0 {
		return
	}
	c.recorder.Eventf(s.seen.set, corev1.EventTypeNormal, reason, "%s %s: %s", did, count(len(names), "Pod"), strings.Join(names, ", "))
}

func (c *controller) recordFailure(s *scope, reason, doing string, err error) {
	c.recorder.Eventf(s.seen.set, corev1.EventTypeWarning, reason, "%s failed: %v", doing, err)
}
