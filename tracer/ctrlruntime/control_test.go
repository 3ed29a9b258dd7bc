package ctrlruntime_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

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

// The cache of a manager is truly stale while a watch is held: the controller
// makes its ConfigMap again, which it has not seen yet.
func TestAWatchOfAManagersCacheIsHeld(t *testing.T) {
	w, p := newControlled(t)
	w.command(p, wire.Command{Command: wire.Fault, Fault: wire.FaultHoldWatch, Resource: "configmaps", Seconds: wire.MaxSeconds})
	w.command(p, wire.Command{Command: wire.Resume})
	w.pass("web", "makes its ConfigMap", wrote(201))
	var web appsv1.Deployment
	if err := w.client.Get(t.Context(), client.ObjectKey{Namespace: w.namespace, Name: "web"}, &web); err != nil {
		t.Fatal(err)
	}
	web.Annotations = map[string]string{"note": "changed"}
	if err := w.client.Update(t.Context(), &web); err != nil {
		t.Fatal(err)
	}
	w.pass("web", "makes it again", wrote(409))
	w.command(p, wire.Command{Command: wire.Lift})
	w.pass("web", "sees it and changes it", wrote(200))
}

// wrote is a pass whose one write was answered so.
func wrote(status int64) func(tracertest.Reconcile) bool {
	return func(r tracertest.Reconcile) bool {
		return len(r.Writes) == 1 && r.Writes[0].Attrs.Int(semconv.AttrHTTPStatus) == status
	}
}

// What two controllers of a manager watch through the one cache is not held for
// one of them.
func TestAWatchThatOthersShareIsNotHeld(t *testing.T) {
	t.Setenv("TRACER_CONTROL", "1")
	t.Setenv("TRACER_CONTROL_TOKEN", presenter.Token)
	w, p := newWorld(t), presenter.New(t)
	w.rec.Handle(wire.Path, p)
	names := []string{"first", "second"}
	for _, name := range names {
		err := builder.ControllerManagedBy(w.mgr).Named(name).For(&corev1.ConfigMap{}).Complete(
			reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) { return reconcile.Result{}, nil }))
		if err != nil {
			t.Fatal(err)
		}
	}
	w.start()
	for _, name := range names {
		w.rec.WaitRecord(semconv.LogControllerState, func(r tracertest.Record) bool {
			return r.Attrs.Text(semconv.AttrController) == name && slices.Contains(r.Attrs.List(semconv.AttrStateSynced), "ConfigMap")
		})
	}
	p.WaitLinked()
	err := p.Do(wire.Command{Command: wire.Fault, Controller: "first", Fault: wire.FaultHoldWatch, Seconds: 1, Resource: "configmaps"})
	if err == nil || !strings.Contains(err.Error(), "resource configmaps is watched by ") || !strings.Contains(err.Error(), " too, through the same cache") {
		t.Errorf("%v, want that the other controller watches it too", err)
	}
}
