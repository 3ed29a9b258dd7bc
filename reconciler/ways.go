package reconciler

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
)

// ways are the parts of the loop that are got wrong most often, apart from the
// rest so that mistakes.go can replace one. rightWays is how they should be.
type ways struct {
	// steps are those of one pass, in order.
	steps func(*controller) []step
	// status is what the status should be, and what of it differs.
	status func(observation) (*v1alpha1.PodSetStatus, []string)
	// write sends one write of the status.
	write func(send func() error) error
	// pending counts the own writes that the caches do not show.
	pending func(l *ledger, key cache.ObjectName, set *v1alpha1.PodSet, pods []*corev1.Pod, version string) int
	// newPod makes a Pod for a PodSet.
	newPod func(*v1alpha1.PodSet) *corev1.Pod
	// podsOf finds a PodSet's Pods.
	podsOf func(cache.Indexer, *v1alpha1.PodSet) ([]any, error)
	// watchPods lets what happens to Pods wake the controller.
	watchPods func(*controller)
	// retry asks for another pass after one that failed.
	retry func(*controller, cache.ObjectName)
}

func rightWays() ways {
	return ways{
		steps:     (*controller).steps,
		status:    nextStatus,
		write:     func(send func() error) error { return send() },
		pending:   (*ledger).pending,
		newPod:    newPod,
		podsOf:    ownedPods,
		watchPods: (*controller).watchPods,
		retry:     func(c *controller, key cache.ObjectName) { c.queue.AddRateLimited(key) },
	}
}

// ownedPods are the Pods whose owner reference names that very PodSet.
func ownedPods(pods cache.Indexer, set *v1alpha1.PodSet) ([]any, error) {
	return pods.ByIndex(indexOwner, string(set.UID))
}
