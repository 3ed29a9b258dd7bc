package ctrlruntime_test

import (
	"context"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/reconcile-tracer/tracer/tracer/control/presenter"
	"github.com/reconcile-tracer/tracer/tracer/control/wire"
	"github.com/reconcile-tracer/tracer/tracer/ctrlruntime/internal/clustertest"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
	"github.com/reconcile-tracer/tracer/tracer/tracertest"
)

// newControlled is a world whose controller takes commands, started, with a
// Deployment that is being paused before its first reconcile.
func newControlled(t *testing.T, change ...func(*manager.Options)) (*world, *presenter.Presenter) {
	t.Helper()
	t.Setenv("TRACER_CONTROL", "1")
	t.Setenv("TRACER_CONTROL_TOKEN", presenter.Token)
	w, p := newWorld(t, change...), presenter.New(t)
	w.rec.Handle(wire.Path, p)
	r := &copier{Client: w.mgr.GetClient(), labels: map[string]string{"world": w.namespace}}
	if err := r.SetupWithManager(builder.ControllerManagedBy(w.mgr)); err != nil {
		t.Fatal(err)
	}
	w.startSynced("Deployment", "ConfigMap")
	if name := p.WaitLinked(); name != "deployment" {
		t.Fatalf("%q takes commands, want deployment", name)
	}
	w.command(p, wire.Command{Command: wire.Pause})
	w.create(deployment(w, "web"))
	w.held("dequeue")
	return w, p
}

func (w *world) command(p *presenter.Presenter, c wire.Command) {
	w.t.Helper()
	c.Controller = "deployment"
	if err := p.Do(c); err != nil {
		w.t.Fatalf("%+v: %v", c, err)
	}
}

func (w *world) held(phase string) {
	w.t.Helper()
	w.rec.WaitRecord(semconv.LogHold, func(r tracertest.Record) bool {
		return r.Attrs.Int(semconv.AttrHoldSince) != 0 && r.Attrs.Text(semconv.AttrHoldPhase) == phase
	})
}

// A reconciler that knows nothing of tracing is stepped through.
func TestAReconcilerIsSteppedThrough(t *testing.T) {
	w, p := newControlled(t)
	var made corev1.ConfigMap
	key := client.ObjectKey{Namespace: w.namespace, Name: "web-copy"}
	for _, phase := range []string{"fetch", "compute", "apply"} {
		w.command(p, wire.Command{Command: wire.Step})
		w.held(phase)
	}
	if err := w.client.Get(t.Context(), key, &made); err == nil {
		t.Error("before apply the ConfigMap is there already")
	}
	w.command(p, wire.Command{Command: wire.Step})
	w.held("requeue")
	if err := w.client.Get(t.Context(), key, &made); err != nil {
		t.Errorf("after apply: %v", err)
	}
	w.command(p, wire.Command{Command: wire.Resume})
	if got := w.passes("web", 1)[0]; got.Result != semconv.ResultSuccess {
		t.Errorf("result %q", got.Result)
	}
}

func TestAFaultReachesAReconcilerAndItTriesAgain(t *testing.T) {
	w, p := newControlled(t)
	w.command(p, wire.Command{Command: wire.Fault, Fault: wire.Fault500, Verb: "create"})
	w.command(p, wire.Command{Command: wire.Resume})
	failed := w.pass("web", "fails", func(r tracertest.Reconcile) bool { return r.Result == semconv.ResultError })
	if fault := failed.Writes[0].Attrs.Text(semconv.AttrWriteFault); fault != "500" {
		t.Errorf("the write has fault %q", fault)
	}
	w.pass("web", "makes it", func(r tracertest.Reconcile) bool {
		return r.Result == semconv.ResultSuccess && len(r.Writes) == 1 && r.Writes[0].Attrs.Int(semconv.AttrHTTPStatus) == 201
	})
}

func TestTheManagersEndLetsAHeldWorkerGo(t *testing.T) {
	w, _ := newControlled(t)
	began := time.Now()
	w.stop()
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("the end took %v", took)
	}
}

// A pause holds workers, not the lease: it is renewed for longer than it lasts,
// and the leader goes on when it is resumed.
func TestAPausedLeaderKeepsItsLease(t *testing.T) {
	const name, lasts = "ctrlruntime-paused", 2 * time.Second
	w, p := newControlled(t, func(o *manager.Options) {
		retry, renew, lease := 100*time.Millisecond, 1500*time.Millisecond, lasts
		o.LeaderElection, o.LeaderElectionID, o.LeaderElectionNamespace = true, name, "default"
		o.LeaderElectionReleaseOnCancel = true
		o.RetryPeriod, o.RenewDeadline, o.LeaseDuration = &retry, &renew, &lease
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c, err := client.NewWithWatch(clustertest.Config(t), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	leases, err := c.Watch(ctx, &coordinationv1.LeaseList{}, client.InNamespace("default"), client.MatchingFields{"metadata.name": name})
	if err != nil {
		t.Fatal(err)
	}
	defer leases.Stop()
	var first, now coordinationv1.LeaseSpec
	for now.RenewTime == nil || now.RenewTime.Sub(first.RenewTime.Time) <= lasts {
		event, more := <-leases.ResultChan()
		if !more {
			t.Fatalf("the lease is %+v, and is renewed no more", now)
		}
		if now = event.Object.(*coordinationv1.Lease).Spec; first.RenewTime == nil {
			first = now
		}
	}
	if *now.HolderIdentity != *first.HolderIdentity || *now.LeaseTransitions != *first.LeaseTransitions {
		t.Errorf("the lease was %+v and is %+v", first, now)
	}
	if n := len(w.rec.Reconciles(w.namespace + "/web")); n != 0 {
		t.Errorf("while it is paused there are %d passes", n)
	}
	w.command(p, wire.Command{Command: wire.Resume})
	if got := w.passes("web", 1)[0]; got.Result != semconv.ResultSuccess {
		t.Errorf("result %q", got.Result)
	}
}

// The manager's controllers share their watches: to hold one would hold others.
func TestWatchesOfAManagerAreNotHeld(t *testing.T) {
	w, p := newControlled(t)
	err := p.Do(wire.Command{Command: wire.Fault, Controller: "deployment", Fault: wire.FaultHoldWatch, Seconds: 1})
	if want := "deployment has no watch of its own that could be held"; err == nil || len(err.Error()) < len(want) || err.Error()[:len(want)] != want {
		t.Errorf("%v, want %s", err, want)
	}
	w.command(p, wire.Command{Command: wire.Resume})
}
