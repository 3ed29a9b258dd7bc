package nodes

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
)

// choose returns the node with the fewest Pods among those that fit, the first by
// name when several are equal, or "" and the reason why none fits.
func (s *scheduler) choose(pod *v1.Pod) (node, reason string, err error) {
	nodes, err := s.nodes.List(labels.Everything())
	if err != nil {
		return "", "", err
	}
	pods, err := s.pods.List(labels.Everything())
	if err != nil {
		return "", "", err
	}
	s.mu.Lock()
	bound := maps.Clone(s.bound)
	s.mu.Unlock()
	node, reason = pick(pod, nodes, countByNode(pods, bound))
	return node, reason, nil
}

// countByNode counts the Pods on each node that are not over, with those that were
// just bound.
func countByNode(pods []*v1.Pod, bound map[types.UID]string) map[string]int {
	count := map[string]int{}
	for _, p := range pods {
		node := p.Spec.NodeName
		if node == "" {
			node = bound[p.UID]
		}
		if node != "" && !over(p) {
			count[node]++
		}
	}
	return count
}

func over(p *v1.Pod) bool {
	return p.Status.Phase == v1.PodSucceeded || p.Status.Phase == v1.PodFailed
}

func pick(pod *v1.Pod, nodes []*v1.Node, count map[string]int) (node, reason string) {
	sorted := slices.SortedFunc(slices.Values(nodes), func(a, b *v1.Node) int { return strings.Compare(a.Name, b.Name) })
	misfits := map[string]int{}
	for _, n := range sorted {
		if why := misfit(pod, n, count[n.Name]); why != "" {
			misfits[why]++
			continue
		}
		if node == "" || count[n.Name] < count[node] {
			node = n.Name
		}
	}
	if node != "" {
		return node, ""
	}
	return "", explain(len(nodes), misfits)
}

// explain words the reason as the Kubernetes scheduler does.
func explain(total int, misfits map[string]int) string {
	if total == 0 {
		return "no nodes available to schedule pods"
	}
	parts := make([]string, 0, len(misfits))
	for _, why := range slices.Sorted(maps.Keys(misfits)) {
		parts = append(parts, fmt.Sprintf("%d %s", misfits[why], why))
	}
	return fmt.Sprintf("0/%d nodes are available: %s.", total, strings.Join(parts, ", "))
}

// misfit returns why the Pod cannot go to the node, or "".
func misfit(pod *v1.Pod, node *v1.Node, count int) string {
	if !ready(node) {
		return "node(s) were not ready"
	}
	if node.Spec.Unschedulable && !tolerates(pod, v1.Taint{Key: v1.TaintNodeUnschedulable, Effect: v1.TaintEffectNoSchedule}) {
		return "node(s) were unschedulable"
	}
	for _, taint := range node.Spec.Taints {
		if taint.Effect != v1.TaintEffectPreferNoSchedule && !tolerates(pod, taint) {
			return "node(s) had untolerated taint(s)"
		}
	}
	if match, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node); err != nil || !match {
		return "node(s) didn't match Pod's node affinity/selector"
	}
	if int64(count) >= node.Status.Allocatable.Pods().Value() {
		return "Too many pods"
	}
	return ""
}

func tolerates(pod *v1.Pod, taint v1.Taint) bool {
	_, untolerated := corev1helpers.FindMatchingUntoleratedTaint(klog.Background(), []v1.Taint{taint}, pod.Spec.Tolerations, nil, true)
	return !untolerated
}

func ready(node *v1.Node) bool {
	for _, c := range node.Status.Conditions {
		if c.Type == v1.NodeReady {
			return c.Status == v1.ConditionTrue
		}
	}
	return false
}
