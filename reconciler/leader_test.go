package reconciler

import (
	"context"
	"errors"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reconcile-tracer/tracer/internal/clustertest"
)

// candidate is a controller that works only while it has the lease.
func (b *bench) candidate(identity string) Options {
	o := b.options()
	o.LeaderElection = LeaderElection{Enabled: true, Namespace: b.namespace, Identity: identity, LeaseDuration: minLeaseDuration}
	return o
}

func (b *bench) lease() *coordinationv1.Lease {
	b.Helper()
	lease, err := b.kube.CoordinationV1().Leases(b.namespace).Get(b.Context(), "tracer-podset", metav1.GetOptions{})
	if err != nil {
		return &coordinationv1.Lease{}
	}
	return lease
}

func (b *bench) leads(identity string) {
	b.Helper()
	clustertest.Eventually(b, identity+" has the lease", func(context.Context) bool {
		holder := b.lease().Spec.HolderIdentity
		return holder != nil && *holder == identity
	})
}

func TestTheNextInstanceTakesOver(t *testing.T) {
	b := newBench(t)
	stop := b.start(b.candidate("first"))
	b.leads("first")
	b.create("web", 1)
	b.settled("web", 1)
	b.start(b.candidate("second"))
	if err := stop(); err != nil {
		t.Fatalf("Run = %v, want nil", err)
	}
	b.leads("second")
	b.scale("web", 2)
	b.settled("web", 2)
}

func TestACandidateStopsAtOnce(t *testing.T) {
	b := newBench(t)
	b.start(b.candidate("first"))
	b.leads("first")
	if err := b.start(b.candidate("second"))(); err != nil {
		t.Errorf("Run = %v, want nil", err)
	}
	b.leads("first")
}

func TestALostLeaseEndsRun(t *testing.T) {
	b := newBench(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- Run(ctx, b.candidate("first")) }()
	b.leads("first")
	b.steal("thief")
	if err := <-done; !errors.Is(err, ErrLeaseLost) {
		t.Errorf("Run = %v, want ErrLeaseLost", err)
	}
}

// steal gives the lease to another holder, for longer than the test takes.
func (b *bench) steal(thief string) {
	b.Helper()
	clustertest.Eventually(b, "the lease is stolen", func(ctx context.Context) bool {
		lease := b.lease()
		now, hour := metav1.NowMicro(), int32(3600)
		lease.Spec.HolderIdentity, lease.Spec.RenewTime, lease.Spec.LeaseDurationSeconds = &thief, &now, &hour
		_, err := b.kube.CoordinationV1().Leases(b.namespace).Update(ctx, lease, metav1.UpdateOptions{})
		return err == nil
	})
}
