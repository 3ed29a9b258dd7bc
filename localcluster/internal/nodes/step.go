package nodes

import (
	"hash/fnv"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// step is what a kubelet does next with a Pod.
type step string

const (
	stay   step = "nothing"
	create step = "creating the containers"
	start  step = "starting the containers"
	finish step = "finishing the containers"
	remove step = "removing the pod"
)

// The delays are long enough to see each phase and short enough for a test.
const (
	startMin  = 200 * time.Millisecond
	startMax  = 600 * time.Millisecond
	endMin    = 100 * time.Millisecond
	endMax    = 300 * time.Millisecond
	jobRuns   = 2 * time.Second
	jobSource = "Job"
)

// ages is for how long the node has known the Pod, and its deletion.
type ages struct {
	alive, dying time.Duration
}

// nextStep decides from the Pod and its ages alone: a step to take now, or stay
// and the time to wait until it is worth asking again (0: until the next event).
func nextStep(pod *v1.Pod, age ages) (step, time.Duration) {
	switch {
	case pod.DeletionTimestamp != nil:
		return after(remove, deathDelay(pod), age.dying)
	case over(pod):
		return stay, 0
	case pod.Status.StartTime == nil:
		return create, 0
	case pod.Status.Phase == v1.PodPending:
		return after(start, spread(pod.UID, startMin, startMax), age.alive)
	case readyIsBehind(pod):
		return start, 0
	case ownedByJob(pod):
		return after(finish, jobRuns, age.alive)
	}
	return stay, 0
}

// after returns the step when its delay is over, else what is left of the delay.
func after(s step, delay, age time.Duration) (step, time.Duration) {
	if age < delay {
		return stay, delay - age
	}
	return s, 0
}

// deathDelay is how long the containers take to end: nothing when they do not run
// or have no grace.
func deathDelay(pod *v1.Pod) time.Duration {
	if pod.Status.Phase != v1.PodRunning {
		return 0
	}
	delay := spread(pod.UID, endMin, endMax)
	if grace := pod.DeletionGracePeriodSeconds; grace != nil {
		delay = min(delay, time.Duration(*grace)*time.Second)
	}
	return delay
}

// spread picks a duration between low and high that is always the same for a Pod.
func spread(uid types.UID, low, high time.Duration) time.Duration {
	h := fnv.New32a()
	_, _ = h.Write([]byte(uid))
	return low + time.Duration(h.Sum32())%(high-low)
}

// ownedByJob tells the Pods that should end from those that should go on running.
func ownedByJob(pod *v1.Pod) bool {
	owner := metav1.GetControllerOf(pod)
	return owner != nil && owner.Kind == jobSource
}

// readyIsBehind reports whether the Ready condition no longer says what the
// readiness gates ask for.
func readyIsBehind(pod *v1.Pod) bool {
	return conditionOf(pod, v1.PodReady).Status != readiness(pod).Status
}
