package ctrlruntime_test

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
	"github.com/reconcile-tracer/tracer/tracer/tracertest"
)

// Reconcilers of old took no context, and many still make one of their own.
func TestAReconcilerThatDropsItsContext(t *testing.T) {
	w := newWorld(t)
	var r reconcile.Func = func(_ context.Context, req reconcile.Request) (reconcile.Result, error) {
		var c corev1.ConfigMap
		if err := w.mgr.GetClient().Get(context.TODO(), req.NamespacedName, &c); err != nil || c.Data != nil {
			return reconcile.Result{}, client.IgnoreNotFound(err)
		}
		c.Data = map[string]string{"by": "it"}
		return reconcile.Result{}, w.mgr.GetClient().Update(context.TODO(), &c)
	}
	if err := builder.ControllerManagedBy(w.mgr).For(&corev1.ConfigMap{}).Complete(r); err != nil {
		t.Fatal(err)
	}
	w.startSynced("ConfigMap")
	w.create(w.configMap("a"))
	first := w.passes("a", 1)[0]
	if len(first.Reads) != 1 || len(first.Writes) != 1 || first.Root.Attrs.Text(semconv.AttrObjectResourceVersion) == "" {
		t.Fatalf("reads %v, writes %v, want one of each, and the object's version", first.Reads, first.Writes)
	}
	w.pass("a", "is caused by its own write", func(p tracertest.Reconcile) bool {
		c, ok := cause(p, func(c tracertest.Cause) bool { return c.By == semconv.BySelf })
		return ok && c.Write.SpanID == first.Writes[0].SpanID
	})
}
