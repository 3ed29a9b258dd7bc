package nodes

import (
	"fmt"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	corelisters "k8s.io/client-go/listers/core/v1"
)

// addresses are the Pod addresses of one node, 10.244.<node>.1 to .254.
type addresses map[types.UID]string

// take returns the address of a Pod: the one it has, or the first that neither a
// Pod of this start nor one of the cache has.
func (a addresses) take(uid types.UID, node int, used func() (map[string]bool, error)) (string, error) {
	if ip, ok := a[uid]; ok {
		return ip, nil
	}
	taken, err := used()
	if err != nil {
		return "", err
	}
	for _, ip := range a {
		taken[ip] = true
	}
	for i := 1; i < 255; i++ {
		ip := fmt.Sprintf("10.244.%d.%d", node, i)
		if !taken[ip] {
			a[uid] = ip
			return ip, nil
		}
	}
	return "", fmt.Errorf("all 254 addresses of node %d are in use", node)
}

func (a addresses) giveBack(uid types.UID) { delete(a, uid) }

// usedBy collects the addresses of the Pods on a node that are not over.
func usedBy(pods corelisters.PodLister, node string) (map[string]bool, error) {
	list, err := pods.List(labels.Everything())
	if err != nil {
		return nil, err
	}
	used := map[string]bool{}
	for _, p := range list {
		if p.Spec.NodeName == node && p.Status.PodIP != "" && !over(p) {
			used[p.Status.PodIP] = true
		}
	}
	return used, nil
}
