package nodes

import (
	"context"
	"fmt"
	"slices"
	"time"

	coordination "k8s.io/api/coordination/v1"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/ptr"

	"github.com/reconcile-tracer/tracer/localcluster/internal/version"
)

// fakeLabel marks the Nodes that this package made.
const fakeLabel = "localcluster/fake-node"

const (
	leaseDuration  = 40 * time.Second
	heartbeatEvery = 10 * time.Second
	registerRetry  = 50 * time.Millisecond
	podsPerNode    = 250 // as many as a /24 of addresses can serve
)

// registerAll makes every Node Ready, and removes Nodes left by a start with more.
func (a *Agent) registerAll(ctx context.Context) error {
	for i, name := range a.names {
		// Controllers write to a new Node too.
		err := retry.RetryOnConflict(retry.DefaultBackoff, func() error { return a.register(ctx, name, i+1) })
		if err != nil {
			return fmt.Errorf("node %s: %w", name, err)
		}
		// The namespace of the leases is made by the API server shortly after it is
		// ready, so the first lease may need several tries.
		for a.renewLease(ctx, name) != nil {
			if !pause(ctx, registerRetry) {
				return context.Cause(ctx)
			}
		}
	}
	return a.removeSurplus(ctx)
}

func (a *Agent) register(ctx context.Context, name string, number int) error {
	nodes := a.client.CoreV1().Nodes()
	node, err := nodes.Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		node, err = nodes.Create(ctx, newNode(name), metav1.CreateOptions{})
	}
	if err != nil {
		return err
	}
	node.Status = nodeStatus(name, number, node.Status)
	if node, err = nodes.UpdateStatus(ctx, node, metav1.UpdateOptions{}); err != nil {
		return err
	}
	return a.removeNotReadyTaint(ctx, node)
}

// removeNotReadyTaint removes the taint that the API server puts on a new Node
// until it is Ready. In a whole cluster the node-lifecycle controller does it, but
// that would also judge these nodes.
func (a *Agent) removeNotReadyTaint(ctx context.Context, node *v1.Node) error {
	rest := slices.DeleteFunc(slices.Clone(node.Spec.Taints), func(t v1.Taint) bool { return t.Key == v1.TaintNodeNotReady })
	if len(rest) == len(node.Spec.Taints) {
		return nil
	}
	node.Spec.Taints = rest
	_, err := a.client.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
	return err
}

func (a *Agent) removeSurplus(ctx context.Context) error {
	nodes := a.client.CoreV1().Nodes()
	ours, err := nodes.List(ctx, metav1.ListOptions{LabelSelector: fakeLabel})
	if err != nil {
		return err
	}
	for _, node := range ours.Items {
		if slices.Contains(a.names, node.Name) {
			continue
		}
		if err := nodes.Delete(ctx, node.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("removing node %s: %w", node.Name, err)
		}
	}
	return nil
}

// heartbeat renews the lease of a node until ctx ends.
func (a *Agent) heartbeat(ctx context.Context, name string) {
	for pause(ctx, heartbeatEvery) {
		if err := a.renewLease(ctx, name); err != nil && ctx.Err() == nil {
			a.log.Warn("renewing a node's lease failed", "node", name, "error", err)
		}
	}
}

func (a *Agent) renewLease(ctx context.Context, name string) error {
	leases := a.client.CoordinationV1().Leases(v1.NamespaceNodeLease)
	lease, err := leases.Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		lease = &coordination.Lease{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: v1.NamespaceNodeLease}}
		lease.Spec = leaseSpec(name)
		_, err = leases.Create(ctx, lease, metav1.CreateOptions{})
		return err
	}
	if err != nil {
		return err
	}
	lease.Spec = leaseSpec(name)
	_, err = leases.Update(ctx, lease, metav1.UpdateOptions{})
	return err
}

func leaseSpec(name string) coordination.LeaseSpec {
	return coordination.LeaseSpec{
		HolderIdentity:       ptr.To(name),
		LeaseDurationSeconds: ptr.To(int32(leaseDuration.Seconds())),
		RenewTime:            ptr.To(metav1.NowMicro()),
	}
}

func newNode(name string) *v1.Node {
	return &v1.Node{ObjectMeta: metav1.ObjectMeta{
		Name: name,
		Labels: map[string]string{
			fakeLabel:          "true",
			v1.LabelHostname:   name,
			v1.LabelOSStable:   "linux",
			v1.LabelArchStable: "amd64",
		},
	}}
}

// nodeStatus is a healthy node. The addresses are of 192.0.2.0/24, which is
// reserved for examples: nobody can reach another machine by mistake.
func nodeStatus(name string, number int, old v1.NodeStatus) v1.NodeStatus {
	room := v1.ResourceList{
		v1.ResourceCPU:    resource.MustParse("16"),
		v1.ResourceMemory: resource.MustParse("64Gi"),
		v1.ResourcePods:   *resource.NewQuantity(podsPerNode, resource.DecimalSI),
	}
	return v1.NodeStatus{
		Capacity:    room,
		Allocatable: room,
		Conditions:  []v1.NodeCondition{readyCondition(old)},
		Addresses: []v1.NodeAddress{
			{Type: v1.NodeInternalIP, Address: nodeAddress(number)},
			{Type: v1.NodeHostName, Address: name},
		},
		NodeInfo: v1.NodeSystemInfo{
			KubeletVersion:          version.Kubernetes(),
			OperatingSystem:         "linux",
			Architecture:            "amd64",
			OSImage:                 "fake node of localcluster",
			KernelVersion:           "none",
			ContainerRuntimeVersion: "none://0",
		},
	}
}

func nodeAddress(number int) string { return fmt.Sprintf("192.0.2.%d", number) }

// readyCondition keeps the time of the last change when the node was Ready before.
func readyCondition(old v1.NodeStatus) v1.NodeCondition {
	now := metav1.Now()
	ready := v1.NodeCondition{
		Type:               v1.NodeReady,
		Status:             v1.ConditionTrue,
		Reason:             "KubeletReady",
		Message:            "fake node of localcluster: no containers run here",
		LastHeartbeatTime:  now,
		LastTransitionTime: now,
	}
	for _, c := range old.Conditions {
		if c.Type == v1.NodeReady && c.Status == v1.ConditionTrue {
			ready.LastTransitionTime = c.LastTransitionTime
		}
	}
	return ready
}
