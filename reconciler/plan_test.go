package reconciler

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
)

// at is when every pass of these tests looks.
var at = metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))

func testSet(want int32) *v1alpha1.PodSet {
	set := &v1alpha1.PodSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web", UID: "set", Generation: 2, ResourceVersion: "100"},
		Spec:       v1alpha1.PodSetSpec{Replicas: ptr.To(want)},
	}
	set.Spec.Template.Spec.Containers = []corev1.Container{{Name: "pause", Image: "pause"}}
	return set
}

type podOption func(*corev1.Pod)

func unready(p *corev1.Pod)     { p.Status.Conditions = nil }
func terminating(p *corev1.Pod) { p.DeletionTimestamp = &at }
func failed(p *corev1.Pod)      { p.Status.Phase = corev1.PodFailed }
func older(p *corev1.Pod)       { p.Labels[v1alpha1.LabelTemplate] = "older" }
func newest(p *corev1.Pod)      { p.CreationTimestamp = metav1.NewTime(at.Add(time.Hour)) }

// testPod is ready, and of set's present template.
func testPod(set *v1alpha1.PodSet, name string, options ...podOption) *corev1.Pod {
	pod := newPod(set)
	pod.Name, pod.UID, pod.CreationTimestamp = name, types.UID(name), at
	pod.Status.Phase = corev1.PodRunning
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	for _, option := range options {
		option(pod)
	}
	return pod
}

func testPods(set *v1alpha1.PodSet, n int) []*corev1.Pod {
	var pods []*corev1.Pod
	for i := range n {
		pods = append(pods, testPod(set, fmt.Sprintf("p%d", i)))
	}
	return pods
}

// settle gives set the status that pods call for.
func settle(set *v1alpha1.PodSet, pods []*corev1.Pod) {
	status, _ := nextStatus(observation{set: set, pods: pods, at: at})
	set.Status = *status
}

func summaries(p plan) []string {
	var all []string
	for _, a := range p.actions {
		all = append(all, a.summary)
	}
	return all
}

func podNames(pods []*corev1.Pod) []string {
	var all []string
	for _, pod := range pods {
		all = append(all, pod.Name)
	}
	return all
}

func TestPlanOfPods(t *testing.T) {
	tests := map[string]struct {
		want    int32
		pods    func(*v1alpha1.PodSet) []*corev1.Pod
		summary string
		create  int
		remove  []string
	}{
		"two are missing":     {5, func(s *v1alpha1.PodSet) []*corev1.Pod { return testPods(s, 3) }, "create 2 Pods", 2, nil},
		"one is missing":      {1, func(*v1alpha1.PodSet) []*corev1.Pod { return nil }, "create 1 Pod", 1, nil},
		"more than one batch": {30, func(*v1alpha1.PodSet) []*corev1.Pod { return nil }, "create 20 Pods", 20, nil},
		"a terminating one does not count": {2, func(s *v1alpha1.PodSet) []*corev1.Pod {
			return append(testPods(s, 1), testPod(s, "t", terminating))
		}, "create 1 Pod", 1, nil},
		"a failed one does not count": {2, func(s *v1alpha1.PodSet) []*corev1.Pod {
			return append(testPods(s, 1), testPod(s, "f", failed))
		}, "create 1 Pod", 1, nil},
		"the newest goes": {2, func(s *v1alpha1.PodSet) []*corev1.Pod {
			return append(testPods(s, 2), testPod(s, "n", newest))
		}, "delete 1 Pod", 0, []string{"n"}},
		"one not ready goes before a newer one": {2, func(s *v1alpha1.PodSet) []*corev1.Pod {
			return append(testPods(s, 1), testPod(s, "u", unready), testPod(s, "n", newest))
		}, "delete 1 Pod", 0, []string{"u"}},
		"one of an older template goes first": {1, func(s *v1alpha1.PodSet) []*corev1.Pod {
			return []*corev1.Pod{testPod(s, "u", unready), testPod(s, "o", older), testPod(s, "n", newest)}
		}, "delete 2 Pods", 0, []string{"o", "u"}},
		"all go": {0, func(s *v1alpha1.PodSet) []*corev1.Pod { return testPods(s, 2) }, "delete 2 Pods", 0, []string{"p0", "p1"}},
		"an older template, all ready": {2, func(s *v1alpha1.PodSet) []*corev1.Pod {
			return []*corev1.Pod{testPod(s, "a"), testPod(s, "o", older)}
		}, "replace 1 Pod", 0, []string{"o"}},
		"an unready one of an older template is no loss": {3, func(s *v1alpha1.PodSet) []*corev1.Pod {
			return []*corev1.Pod{testPod(s, "u", unready), testPod(s, "o1", older), testPod(s, "o2", older, unready)}
		}, "replace 1 Pod", 0, []string{"o2"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			set := testSet(test.want)
			pods := test.pods(set)
			settle(set, pods)
			got := makePlan(observation{set: set, pods: pods, at: at}, nextStatus)
			if diff := cmp.Diff([]string{test.summary}, summaries(got)); diff != "" {
				t.Errorf("summaries (-want +got):\n%s", diff)
			}
			if got.create != test.create {
				t.Errorf("creates %d, want %d", got.create, test.create)
			}
			if diff := cmp.Diff(test.remove, podNames(got.remove)); diff != "" {
				t.Errorf("removes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPlanOfNothing(t *testing.T) {
	settled := testSet(2)
	pods := testPods(settled, 2)
	settle(settled, pods)
	deleting := settled.DeepCopy()
	deleting.DeletionTimestamp = &at
	waiting := testSet(2)
	waiting.Status = settled.Status
	rolling := testSet(2)
	halfReplaced := []*corev1.Pod{testPod(rolling, "new", unready), testPod(rolling, "old", older)}
	settle(rolling, halfReplaced)

	tests := map[string]struct {
		seen    observation
		summary string
	}{
		"settled":                     {observation{set: settled, pods: pods}, "nothing to do"},
		"gone":                        {observation{}, "nothing to do: the PodSet is gone"},
		"being deleted":               {observation{set: deleting}, "nothing to do: the PodSet is being deleted"},
		"the cache lags by one":       {observation{set: settled, pending: 1}, "nothing to do yet: the cache does not show 1 own write"},
		"the cache lags by two":       {observation{set: settled, pending: 2}, "nothing to do yet: the cache does not show 2 own writes"},
		"one replacement is starting": {observation{set: rolling, pods: halfReplaced}, "nothing to do"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.seen.at = at
			got := makePlan(test.seen, nextStatus)
			if diff := cmp.Diff([]string{test.summary}, summaries(got)); diff != "" {
				t.Errorf("summaries (-want +got):\n%s", diff)
			}
			if got.create != 0 || got.remove != nil || got.status != nil {
				t.Errorf("plan does something: %+v", got)
			}
		})
	}
}

func TestPlanWritesTheStatusWithTheRest(t *testing.T) {
	set := testSet(5)
	got := makePlan(observation{set: set, pods: testPods(set, 3), at: at}, nextStatus)
	want := []action{
		{verb: "create", kind: "Pod", summary: "create 2 Pods"},
		{verb: "update", kind: "PodSet", name: "web", summary: "update status", paths: []string{
			"status.observedGeneration", "status.replicas", "status.readyReplicas", "status.selector", "status.conditions",
		}},
	}
	if diff := cmp.Diff(want, got.actions, cmp.AllowUnexported(action{})); diff != "" {
		t.Errorf("actions (-want +got):\n%s", diff)
	}
	if got.status.Replicas != 3 || got.status.ObservedGeneration != 2 {
		t.Errorf("status = %+v, want what was seen: 3 replicas of generation 2", got.status)
	}
}

func TestPlanLeavesTheObservationAlone(t *testing.T) {
	set := testSet(1)
	pods := []*corev1.Pod{testPod(set, "b"), testPod(set, "a", unready), testPod(set, "c", older)}
	before := observation{set: set.DeepCopy(), at: at}
	for _, pod := range pods {
		before.pods = append(before.pods, pod.DeepCopy())
	}
	seen := observation{set: set, pods: pods, at: at}
	makePlan(seen, nextStatus)
	if diff := cmp.Diff(before, seen, cmp.AllowUnexported(observation{})); diff != "" {
		t.Errorf("the observation was changed (-before +after):\n%s", diff)
	}
}
