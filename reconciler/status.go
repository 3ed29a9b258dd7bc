package reconciler

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
)

// Reasons of the condition Ready.
const (
	reasonReady    = "Ready"
	reasonScaling  = "Scaling"
	reasonStarting = "Starting"
	reasonReplaced = "Replacing"

	reasonCreateFailed = "CreateFailed"
	reasonDeleteFailed = "DeleteFailed"
)

// nextStatus returns the status that o calls for, and the paths of what
// differs from the present one: none when it need not be written.
func nextStatus(o observation) (*v1alpha1.PodSetStatus, []string) {
	active := activePods(o.pods)
	now := o.set.Status.DeepCopy()
	now.ObservedGeneration = o.set.Generation
	now.Replicas = int32(len(active))
	now.ReadyReplicas = countReady(active)
	now.Selector = v1alpha1.LabelPodSet + "=" + o.set.Name
	condition := readyCondition(o.set, active)
	condition.LastTransitionTime = o.at
	meta.SetStatusCondition(&now.Conditions, condition)
	return now, changedPaths(&o.set.Status, now)
}

// failedStatus is nextStatus after a step that failed. The message holds the API
// server's reason and not its text, which names a new Pod at each try: a status
// that changes each time would wake the controller each time.
func failedStatus(o observation, failed step, err error) (*v1alpha1.PodSetStatus, []string) {
	now, _ := nextStatus(o)
	why := string(apierrors.ReasonForError(err))
	if why == "" {
		why = "no answer from the API server"
	}
	meta.SetStatusCondition(&now.Conditions, metav1.Condition{
		Type: v1alpha1.ConditionReady, Status: metav1.ConditionFalse, ObservedGeneration: o.set.Generation,
		Reason: failed.reason, Message: fmt.Sprintf("%s failed: %s (the PodSet's events say more)", failed.name, why),
		LastTransitionTime: o.at,
	})
	return now, changedPaths(&o.set.Status, now)
}

func countReady(pods []*corev1.Pod) int32 {
	var n int32
	for _, pod := range pods {
		if ready(pod) {
			n++
		}
	}
	return n
}

func readyCondition(set *v1alpha1.PodSet, active []*corev1.Pod) metav1.Condition {
	want, have := int(replicas(set)), int(countReady(active))
	c := metav1.Condition{
		Type: v1alpha1.ConditionReady, Status: metav1.ConditionFalse, ObservedGeneration: set.Generation,
		Message: fmt.Sprintf("%d of %s ready", have, count(want, "Pod")),
	}
	hash := templateHash(set)
	switch {
	case len(active) != want:
		c.Reason = reasonScaling
	case slices.ContainsFunc(active, func(p *corev1.Pod) bool { return outdated(p, hash) }):
		c.Reason = reasonReplaced
	case have < want:
		c.Reason = reasonStarting
	default:
		c.Status, c.Reason = metav1.ConditionTrue, reasonReady
	}
	return c
}

// changedPaths names the fields that differ, in the order of the type.
func changedPaths(old, now *v1alpha1.PodSetStatus) []string {
	var paths []string
	add := func(differs bool, path string) {
		if differs {
			paths = append(paths, path)
		}
	}
	add(old.ObservedGeneration != now.ObservedGeneration, "status.observedGeneration")
	add(old.Replicas != now.Replicas, "status.replicas")
	add(old.ReadyReplicas != now.ReadyReplicas, "status.readyReplicas")
	add(old.Selector != now.Selector, "status.selector")
	add(!equality.Semantic.DeepEqual(old.Conditions, now.Conditions), "status.conditions")
	return paths
}
