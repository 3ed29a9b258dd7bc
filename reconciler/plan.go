package reconciler

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
)

// maxCreates is how many Pods one pass creates at most; their events bring the
// next pass.
const maxCreates = 20

// observation is what one pass saw in the caches.
type observation struct {
	// set is nil when there is no such PodSet. It belongs to the cache.
	set *v1alpha1.PodSet
	// pods are all that set owns. They belong to the cache.
	pods []*corev1.Pod
	// pending counts own writes that the caches do not show yet.
	pending int
	// at is when the pass looked.
	at metav1.Time
}

// plan is what one pass is going to do.
type plan struct {
	// create is how many Pods to make.
	create int
	// remove are the Pods to delete, in this order.
	remove []*corev1.Pod
	// status is what to write, nil when it is as it should be.
	status *v1alpha1.PodSetStatus
	// actions say the same in words; there is always one.
	actions []action
}

// action is one step of a plan in words.
type action struct {
	verb, kind, name, summary string
	paths                     []string
}

// makePlan decides what has to be done about o, where status says what the
// status should be. It is pure, and leaves o as it is.
func makePlan(o observation, status func(observation) (*v1alpha1.PodSetStatus, []string)) plan {
	switch {
	case o.set == nil:
		return idle("nothing to do: the PodSet is gone")
	case o.set.DeletionTimestamp != nil:
		return idle("nothing to do: the PodSet is being deleted")
	case o.pending > 0:
		return waitFor(o.pending)
	}
	p := planPods(o.set, activePods(o.pods))
	p.planStatus(o, status)
	if len(p.actions) == 0 {
		return idle("nothing to do")
	}
	return p
}

func idle(summary string) plan {
	return plan{actions: []action{{verb: "none", kind: v1alpha1.Kind, summary: summary}}}
}

// waitFor is the plan of a pass that would act on an older state than the
// controller itself has made. The missing event brings the next pass, or, should
// it never come, wakeOverdue.
func waitFor(pending int) plan {
	summary := fmt.Sprintf("nothing to do yet: the cache does not show %s", count(pending, "own write"))
	return plan{actions: []action{{verb: "wait", kind: v1alpha1.Kind, summary: summary}}}
}

// planPods makes one kind of change at a time: the number first, and then, one
// by one, the Pods of an older template.
func planPods(set *v1alpha1.PodSet, active []*corev1.Pod) plan {
	missing := int(replicas(set)) - len(active)
	switch {
	case missing > 0:
		return planCreate(min(missing, maxCreates))
	case missing < 0:
		return planRemove("delete", inOrderOfRemoval(active, templateHash(set))[:-missing])
	}
	if pod := nextToReplace(active, templateHash(set)); pod != nil {
		return planRemove("replace", []*corev1.Pod{pod})
	}
	return plan{}
}

func planCreate(n int) plan {
	return plan{create: n, actions: []action{{verb: "create", kind: "Pod", summary: "create " + count(n, "Pod")}}}
}

func planRemove(verb string, pods []*corev1.Pod) plan {
	a := action{verb: verb, kind: "Pod", summary: verb + " " + count(len(pods), "Pod")}
	if len(pods) == 1 {
		a.name = pods[0].Name
	}
	return plan{remove: pods, actions: []action{a}}
}

func (p *plan) planStatus(o observation, next func(observation) (*v1alpha1.PodSetStatus, []string)) {
	status, paths := next(o)
	if len(paths) == 0 {
		return
	}
	p.status = status
	p.actions = append(p.actions, action{
		verb: "update", kind: v1alpha1.Kind, name: o.set.Name, summary: "update status", paths: paths,
	})
}

// nextToReplace returns the Pod of an older template whose turn it is: an
// unready one at any time, a ready one only when every other Pod is ready too.
func nextToReplace(active []*corev1.Pod, hash string) *corev1.Pod {
	allReady := !slices.ContainsFunc(active, func(p *corev1.Pod) bool { return !ready(p) })
	for _, pod := range inOrderOfRemoval(active, hash) {
		if outdated(pod, hash) && (allReady || !ready(pod)) {
			return pod
		}
	}
	return nil
}

// inOrderOfRemoval returns a copy of pods: the one that is missed least comes
// first. That is one of an older template, then one not ready, then a newer
// one; names make the order complete.
func inOrderOfRemoval(pods []*corev1.Pod, hash string) []*corev1.Pod {
	return slices.SortedFunc(slices.Values(pods), func(a, b *corev1.Pod) int {
		return cmp.Or(
			trueFirst(outdated(a, hash), outdated(b, hash)),
			trueFirst(!ready(a), !ready(b)),
			b.CreationTimestamp.Compare(a.CreationTimestamp.Time),
			cmp.Compare(a.Name, b.Name),
		)
	})
}

func trueFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// activePods returns those that count: neither finished nor terminating.
func activePods(pods []*corev1.Pod) []*corev1.Pod {
	var active []*corev1.Pod
	for _, pod := range pods {
		finished := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
		if !finished && pod.DeletionTimestamp == nil {
			active = append(active, pod)
		}
	}
	return active
}

func ready(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

func outdated(pod *corev1.Pod, hash string) bool {
	return pod.Labels[v1alpha1.LabelTemplate] != hash
}

// replicas is the number that spec asks for; the API server fills in 1, so nil
// is seen only in tests and from very old objects.
func replicas(set *v1alpha1.PodSet) int32 {
	if set.Spec.Replicas == nil {
		return 1
	}
	return *set.Spec.Replicas
}

// count says "1 Pod" or "2 Pods".
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
