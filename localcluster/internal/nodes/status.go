package nodes

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// creating is the status of a Pod whose containers are being made.
func creating(pod *v1.Pod, hostIP string, now metav1.Time) {
	st := &pod.Status
	st.Phase = v1.PodPending
	st.StartTime = &now
	st.HostIP, st.HostIPs = hostIP, []v1.HostIP{{IP: hostIP}}
	waiting := v1.ContainerState{Waiting: &v1.ContainerStateWaiting{Reason: "ContainerCreating"}}
	st.InitContainerStatuses = statuses(pod, pod.Spec.InitContainers, func(v1.Container) v1.ContainerState { return waiting })
	st.ContainerStatuses = statuses(pod, pod.Spec.Containers, func(v1.Container) v1.ContainerState { return waiting })
	setCondition(st, v1.PodCondition{Type: v1.PodInitialized, Status: boolStatus(len(pod.Spec.InitContainers) == 0)}, now)
	setCondition(st, v1.PodCondition{Type: v1.ContainersReady, Status: v1.ConditionFalse, Reason: "ContainersNotReady"}, now)
	setCondition(st, v1.PodCondition{Type: v1.PodReady, Status: v1.ConditionFalse, Reason: "ContainersNotReady"}, now)
}

// running is the status of a Pod whose containers all run and pass their probes.
func running(pod *v1.Pod, ip string, now metav1.Time) {
	st := &pod.Status
	started := now
	if st.Phase == v1.PodRunning {
		started = runningSince(st, now)
	}
	st.Phase = v1.PodRunning
	st.PodIP, st.PodIPs = ip, []v1.PodIP{{IP: ip}}
	up := v1.ContainerState{Running: &v1.ContainerStateRunning{StartedAt: started}}
	st.InitContainerStatuses = statuses(pod, pod.Spec.InitContainers, func(c v1.Container) v1.ContainerState {
		if ptr.Deref(c.RestartPolicy, "") == v1.ContainerRestartPolicyAlways {
			return up // a sidecar
		}
		return completed(started, started)
	})
	st.ContainerStatuses = statuses(pod, pod.Spec.Containers, func(v1.Container) v1.ContainerState { return up })
	setCondition(st, v1.PodCondition{Type: v1.PodInitialized, Status: v1.ConditionTrue}, now)
	setCondition(st, v1.PodCondition{Type: v1.ContainersReady, Status: v1.ConditionTrue}, now)
	setCondition(st, readiness(pod), now)
}

// succeeded is the status of a Pod whose containers have all ended well.
func succeeded(pod *v1.Pod, now metav1.Time) {
	st := &pod.Status
	done := completed(runningSince(st, now), now)
	st.Phase = v1.PodSucceeded
	st.InitContainerStatuses = statuses(pod, pod.Spec.InitContainers, func(v1.Container) v1.ContainerState { return done })
	st.ContainerStatuses = statuses(pod, pod.Spec.Containers, func(v1.Container) v1.ContainerState { return done })
	setCondition(st, v1.PodCondition{Type: v1.ContainersReady, Status: v1.ConditionFalse, Reason: "PodCompleted"}, now)
	setCondition(st, v1.PodCondition{Type: v1.PodReady, Status: v1.ConditionFalse, Reason: "PodCompleted"}, now)
}

func completed(from, to metav1.Time) v1.ContainerState {
	return v1.ContainerState{Terminated: &v1.ContainerStateTerminated{Reason: "Completed", StartedAt: from, FinishedAt: to}}
}

func runningSince(st *v1.PodStatus, otherwise metav1.Time) metav1.Time {
	for _, c := range st.ContainerStatuses {
		if c.State.Running != nil {
			return c.State.Running.StartedAt
		}
	}
	return otherwise
}

func statuses(pod *v1.Pod, containers []v1.Container, state func(v1.Container) v1.ContainerState) []v1.ContainerStatus {
	all := make([]v1.ContainerStatus, 0, len(containers))
	for _, c := range containers {
		s := v1.ContainerStatus{Name: c.Name, Image: c.Image, State: state(c)}
		up := s.State.Running != nil
		s.Started = &up
		s.Ready = up || s.State.Terminated != nil && pod.Status.Phase == v1.PodRunning
		if s.State.Waiting == nil {
			s.ContainerID = fmt.Sprintf("fake://%s/%s", pod.UID, c.Name)
			s.ImageID = "fake://" + c.Image
		}
		all = append(all, s)
	}
	return all
}

// readiness is the Ready condition of a running Pod: true when every readiness
// gate, a condition that another controller sets, is true.
func readiness(pod *v1.Pod) v1.PodCondition {
	for _, gate := range pod.Spec.ReadinessGates {
		if conditionOf(pod, gate.ConditionType).Status != v1.ConditionTrue {
			return v1.PodCondition{
				Type: v1.PodReady, Status: v1.ConditionFalse, Reason: "ReadinessGatesNotReady",
				Message: fmt.Sprintf("the status of pod readiness gate %q is not \"True\"", gate.ConditionType),
			}
		}
	}
	return v1.PodCondition{Type: v1.PodReady, Status: v1.ConditionTrue}
}

func conditionOf(pod *v1.Pod, kind v1.PodConditionType) v1.PodCondition {
	for _, c := range pod.Status.Conditions {
		if c.Type == kind {
			return c
		}
	}
	return v1.PodCondition{}
}

// setCondition sets one condition and reports whether that changed anything. The
// time of the last change moves only when the status does.
func setCondition(st *v1.PodStatus, want v1.PodCondition, now metav1.Time) bool {
	want.LastTransitionTime = now
	for i, have := range st.Conditions {
		if have.Type != want.Type {
			continue
		}
		if have.Status == want.Status {
			want.LastTransitionTime = have.LastTransitionTime
		}
		st.Conditions[i] = want
		return have.Status != want.Status || have.Reason != want.Reason || have.Message != want.Message
	}
	st.Conditions = append(st.Conditions, want)
	return true
}

func boolStatus(b bool) v1.ConditionStatus {
	if b {
		return v1.ConditionTrue
	}
	return v1.ConditionFalse
}
