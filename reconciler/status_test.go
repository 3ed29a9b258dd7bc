package reconciler

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
)

func TestReadyCondition(t *testing.T) {
	set := testSet(2)
	tests := map[string]struct {
		pods    []*corev1.Pod
		status  metav1.ConditionStatus
		reason  string
		message string
	}{
		"as it should be": {testPods(set, 2), metav1.ConditionTrue, "Ready", "2 of 2 Pods ready"},
		"one is missing":  {testPods(set, 1), metav1.ConditionFalse, "Scaling", "1 of 2 Pods ready"},
		"one too many":    {testPods(set, 3), metav1.ConditionFalse, "Scaling", "3 of 2 Pods ready"},
		"one starts":      {[]*corev1.Pod{testPod(set, "a"), testPod(set, "b", unready)}, metav1.ConditionFalse, "Starting", "1 of 2 Pods ready"},
		"one is old":      {[]*corev1.Pod{testPod(set, "a"), testPod(set, "b", older)}, metav1.ConditionFalse, "Replacing", "2 of 2 Pods ready"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			status, _ := nextStatus(observation{set: set, pods: test.pods, at: at})
			want := []metav1.Condition{{
				Type: v1alpha1.ConditionReady, Status: test.status, Reason: test.reason, Message: test.message,
				ObservedGeneration: 2, LastTransitionTime: at,
			}}
			if diff := cmp.Diff(want, status.Conditions); diff != "" {
				t.Errorf("conditions (-want +got):\n%s", diff)
			}
		})
	}
}

// A status that changed with the clock would wake the controller for ever.
func TestStatusDoesNotChangeWithTime(t *testing.T) {
	set := testSet(2)
	pods := testPods(set, 2)
	settle(set, pods)
	_, paths := nextStatus(observation{set: set, pods: pods, at: metav1.NewTime(at.Add(time.Hour))})
	if len(paths) != 0 {
		t.Errorf("an hour later %v would be written, want nothing", paths)
	}
}

func TestStatusNamesWhatChanges(t *testing.T) {
	set := testSet(2)
	settle(set, testPods(set, 2))
	pods := []*corev1.Pod{testPod(set, "a"), testPod(set, "b", unready)}
	_, paths := nextStatus(observation{set: set, pods: pods, at: at})
	if diff := cmp.Diff([]string{"status.readyReplicas", "status.conditions"}, paths); diff != "" {
		t.Errorf("paths (-want +got):\n%s", diff)
	}
}
