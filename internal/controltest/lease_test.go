package controltest

import (
	"context"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reconcile-tracer/tracer/internal/clustertest"
	"github.com/reconcile-tracer/tracer/reconciler"
)

const leaseDuration = 3 * time.Second

// A worker that is held renews no lease, and holds up nobody who does.
func TestALeaderStaysLeaderThroughAPause(t *testing.T) {
	var namespace string
	c := open(t, func(o *reconciler.Options) {
		namespace = o.Namespace
		o.LeaderElection = reconciler.LeaderElection{Enabled: true, Namespace: namespace, Identity: "first", LeaseDuration: leaseDuration}
	})
	// A candidate that takes over at once if the leader falls silent.
	c.stand("second")
	c.do(command{"command": "pause"})
	c.scale(2)
	c.held("dequeue", "pause")
	paused := time.Now()
	clustertest.Eventually(t, "the pause has lasted for two lease durations and the lease is renewed", func(context.Context) bool {
		renewed := c.lease().Spec.RenewTime
		return renewed != nil && renewed.Sub(paused) > 2*leaseDuration
	})
	lease := c.lease()
	if holder := *lease.Spec.HolderIdentity; holder != "first" || *lease.Spec.LeaseTransitions != 0 {
		t.Errorf("the lease is %s's after %d transitions, want first's after none", holder, *lease.Spec.LeaseTransitions)
	}
	c.held("dequeue", "pause")
	if pods := c.pods(); pods != 1 {
		t.Errorf("while it is paused there are %d Pods, want 1", pods)
	}
	c.do(command{"command": "resume"})
	c.settled(2)
}

func (c *class) lease() *coordinationv1.Lease {
	c.Helper()
	lease, err := c.kube.CoordinationV1().Leases(c.namespace).Get(c.Context(), "tracer-podset", metav1.GetOptions{})
	if err != nil {
		return &coordinationv1.Lease{}
	}
	return lease
}

// stand starts a candidate, until the test ends.
func (c *class) stand(identity string) {
	c.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- reconciler.Run(ctx, reconciler.Options{
			Config: c.cluster.Config(), Namespace: c.namespace,
			LeaderElection: reconciler.LeaderElection{Enabled: true, Namespace: c.namespace, Identity: identity, LeaseDuration: leaseDuration},
		})
	}()
	c.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			c.Errorf("the candidate returned %v", err)
		}
	})
}
