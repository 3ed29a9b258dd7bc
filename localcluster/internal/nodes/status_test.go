package nodes

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func withInit(p *v1.Pod) {
	p.Spec.InitContainers = []v1.Container{
		{Name: "init"},
		{Name: "sidecar", RestartPolicy: ptr.To(v1.ContainerRestartPolicyAlways)},
	}
}

func TestLifeOfAPod(t *testing.T) {
	for name, c := range map[string]struct {
		pod                *v1.Pod
		phase              v1.PodPhase
		ready, initialized v1.ConditionStatus
	}{
		"created":           {pod(created), v1.PodPending, v1.ConditionFalse, v1.ConditionTrue},
		"created with init": {pod(withInit, created), v1.PodPending, v1.ConditionFalse, v1.ConditionFalse},
		"started":           {pod(withInit, started), v1.PodRunning, v1.ConditionTrue, v1.ConditionTrue},
		"started, gated":    {pod(gated, started), v1.PodRunning, v1.ConditionFalse, v1.ConditionTrue},
		"succeeded":         {pod(succeed), v1.PodSucceeded, v1.ConditionFalse, v1.ConditionTrue},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.pod
			if got.Status.Phase != c.phase {
				t.Errorf("phase is %s, want %s", got.Status.Phase, c.phase)
			}
			for kind, want := range map[v1.PodConditionType]v1.ConditionStatus{v1.PodReady: c.ready, v1.PodInitialized: c.initialized} {
				if status := conditionOf(got, kind).Status; status != want {
					t.Errorf("%s is %q, want %q", kind, status, want)
				}
			}
			if len(got.Status.ContainerStatuses) != len(got.Spec.Containers) || len(got.Status.InitContainerStatuses) != len(got.Spec.InitContainers) {
				t.Errorf("not every container has a status: %+v", got.Status)
			}
		})
	}
}

func TestInitContainersEndAndSidecarsGoOn(t *testing.T) {
	got := pod(withInit, started).Status.InitContainerStatuses
	if got[0].State.Terminated == nil || got[1].State.Running == nil {
		t.Errorf("states are %+v, want the first ended and the sidecar running", got)
	}
}

func TestOpeningAGateKeepsTheStartTime(t *testing.T) {
	p := pod(gated, started, gateOpen)
	running(p, p.Status.PodIP, metav1.Unix(9, 0))
	if at := p.Status.ContainerStatuses[0].State.Running.StartedAt; !at.Equal(ptr.To(metav1.Unix(2, 0))) {
		t.Errorf("the container started at %s, want that unchanged", at)
	}
	ready := conditionOf(p, v1.PodReady)
	if ready.Status != v1.ConditionTrue || !ready.LastTransitionTime.Equal(ptr.To(metav1.Unix(9, 0))) {
		t.Errorf("Ready is %+v, want true since the gate opened", ready)
	}
}

func TestSetCondition(t *testing.T) {
	var st v1.PodStatus
	first, later := metav1.Unix(1, 0), metav1.Unix(2, 0)
	cond := func(status v1.ConditionStatus, reason string) v1.PodCondition {
		return v1.PodCondition{Type: v1.PodScheduled, Status: status, Reason: reason}
	}
	for i, c := range []struct {
		cond    v1.PodCondition
		at      metav1.Time
		changed bool
		since   metav1.Time
	}{
		{cond(v1.ConditionFalse, "A"), first, true, first},
		{cond(v1.ConditionFalse, "A"), later, false, first},
		{cond(v1.ConditionFalse, "B"), later, true, first},
		{cond(v1.ConditionTrue, ""), later, true, later},
	} {
		changed := setCondition(&st, c.cond, c.at)
		if changed != c.changed || !st.Conditions[0].LastTransitionTime.Equal(&c.since) || len(st.Conditions) != 1 {
			t.Errorf("%d: changed is %v with %+v, want %v since %s", i, changed, st.Conditions, c.changed, c.since)
		}
	}
}
