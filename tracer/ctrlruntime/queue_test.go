package ctrlruntime_test

import (
	"context"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/reconcile-tracer/tracer/tracer/ctrlruntime"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
	"github.com/reconcile-tracer/tracer/tracer/tracertest"
)

// stuck is a reconciler that begins its first pass and waits.
type stuck struct{ begun, released chan struct{} }

func newStuck() *stuck { return &stuck{make(chan struct{}, 100), make(chan struct{})} }

func (s *stuck) Reconcile(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
	s.begun <- struct{}{}
	select {
	case <-s.released:
	case <-ctx.Done():
	}
	return reconcile.Result{}, nil
}

func TestPriorityIsKept(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"old-1", "old-2", "old-3"} {
		w.create(w.configMap(name))
	}
	s := newStuck()
	if err := builder.ControllerManagedBy(w.mgr).For(&corev1.ConfigMap{}).Complete(s); err != nil {
		t.Fatal(err)
	}
	w.start()
	<-s.begun // one old item is held, the others wait
	w.create(w.configMap("new"))
	w.waitReady("new", 0)
	close(s.released)

	for _, name := range []string{"old-1", "old-2", "old-3"} {
		w.passes(name, 1)
	}
	var order []string
	for _, p := range w.rec.Reconciles("") {
		order = append(order, p.Item)
	}
	if n := slices.Index(order, w.namespace+"/new"); n != 1 {
		t.Errorf("the order was %v, want the new one second: it has a higher priority than those of the first list", order)
	}
	for name, want := range map[string]struct {
		priority int64
		cause    string
	}{"old-2": {-100, semconv.CauseInitialList}, "new": {0, semconv.CauseAdd}} {
		p := w.passes(name, 1)[0]
		if got := p.Phases[0].Attrs.Int(semconv.AttrQueuePriority); got != want.priority || p.Causes[0].What != want.cause {
			t.Errorf("%s: priority %d because of %s, want %+v", name, got, p.Causes[0].What, want)
		}
	}
}

// waitReady waits until the model says that an item waits with a priority.
func (w *world) waitReady(name string, priority int64) {
	w.t.Helper()
	w.rec.WaitRecord(semconv.LogQueueItem, func(r tracertest.Record) bool {
		return r.Attrs.Text(semconv.AttrObjectName) == name && r.Attrs.Int(semconv.AttrItemReadySince) > 0 &&
			r.Attrs.Int(semconv.AttrQueuePriority) == priority && r.Attrs.Bool(semconv.AttrQueueModelled)
	})
}

func TestEventsWhileItRunsAreOnePassWithAllCauses(t *testing.T) {
	w := newWorld(t)
	s := newStuck()
	if err := builder.ControllerManagedBy(w.mgr).For(&corev1.ConfigMap{}).Complete(s); err != nil {
		t.Fatal(err)
	}
	w.startSynced("ConfigMap")
	c := w.configMap("a")
	w.create(c)
	<-s.begun
	for _, text := range []string{"1", "2", "3"} {
		c.Data = map[string]string{"k": text}
		if err := w.client.Update(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	w.create(w.configMap("z")) // whose event comes after the others
	w.waitReady("z", 0)
	close(s.released)
	p := w.passes("a", 2)[1]
	if want := []string{"update=3"}; !slices.Equal(p.Counts, want) {
		t.Errorf("counts %v, want %v", p.Counts, want)
	}
}

func TestDroppedEventsAreCountedByPredicate(t *testing.T) {
	w := newWorld(t)
	keep := func(client.Object) bool { return false }
	err := builder.ControllerManagedBy(w.mgr).
		For(&corev1.ConfigMap{}, builder.WithPredicates(
			ctrlruntime.Predicate[client.Object]("never", predicate.NewPredicateFuncs(keep)))).
		Named("dropping").Complete(&script{})
	if err != nil {
		t.Fatal(err)
	}
	w.startSynced("ConfigMap")
	for _, name := range []string{"a", "b", "c"} {
		w.create(w.configMap(name))
	}
	r := w.rec.WaitRecord(semconv.LogDrop, func(r tracertest.Record) bool { return r.Attrs.Int(semconv.AttrDropCount) == 3 })
	if by := r.Attrs.Text(semconv.AttrDropPredicate); by != "never" || r.Attrs.Text(semconv.AttrObjectKind) != "ConfigMap" {
		t.Errorf("dropped by %q, want never: %v", by, r.Attrs)
	}
	if all := w.rec.Reconciles(""); len(all) > 0 {
		t.Errorf("passes of dropped events: %+v", all)
	}
}

func TestDropIsSeenWithoutANameWhereTheHandlerAlwaysAdds(t *testing.T) {
	w := newWorld(t)
	err := builder.ControllerManagedBy(w.mgr).
		For(&corev1.ConfigMap{}, builder.WithPredicates(ctrlruntime.Predicate[client.Object]("all", nil))).
		WithEventFilter(predicate.ResourceVersionChangedPredicate{}).WithEventFilter(predicate.Funcs{
		CreateFunc: func(e event.CreateEvent) bool { return e.Object.GetName() != "a" },
	}).Complete(&script{})
	if err != nil {
		t.Fatal(err)
	}
	w.startSynced("ConfigMap")
	w.create(w.configMap("a"))
	r := w.rec.WaitRecord(semconv.LogDrop, nil)
	if by := r.Attrs.Text(semconv.AttrDropPredicate); by != "TypedResourceVersionChangedPredicate or TypedFuncs" {
		t.Errorf("dropped by %q", by)
	}
}

func TestPlainQueue(t *testing.T) {
	no := false
	p := play(t, controller.Options{UsePriorityQueue: &no}, 2, fails)
	if p[0].Result != semconv.ResultError || p[1].Causes[0].What != semconv.CauseBackoff {
		t.Errorf("%s, then %s, want error and backoff", p[0].Result, p[1].Causes[0].What)
	}
}
