package ctrlruntime_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
	"github.com/reconcile-tracer/tracer/tracer/tracertest"
)

// copier is a reconciler as kubebuilder's users write them: it knows nothing of
// tracing. It keeps a ConfigMap with a Deployment's annotations.
type copier struct {
	client.Client
	labels map[string]string

	mu  sync.Mutex
	ids []string
}

func (c *copier) SetupWithManager(b *builder.Builder) error {
	return b.For(&appsv1.Deployment{}).Owns(&corev1.ConfigMap{}).Complete(c)
}

func (c *copier) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	c.mu.Lock()
	c.ids = append(c.ids, strings.ReplaceAll(string(controller.ReconcileIDFromContext(ctx)), "-", ""))
	c.mu.Unlock()
	var d appsv1.Deployment
	if err := c.Get(ctx, req.NamespacedName, &d); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	want := map[string]string{"note": d.Annotations["note"]}
	var have corev1.ConfigMap
	err := c.Get(ctx, client.ObjectKey{Namespace: req.Namespace, Name: req.Name + "-copy"}, &have)
	if apierrors.IsNotFound(err) {
		have = corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: req.Namespace, Name: req.Name + "-copy", Labels: c.labels}, Data: want}
		if err := controllerutil.SetControllerReference(&d, &have, c.Scheme()); err != nil {
			return reconcile.Result{}, err
		}
		return reconcile.Result{}, c.Create(ctx, &have)
	}
	if err != nil || maps.Equal(have.Data, want) {
		return reconcile.Result{}, err
	}
	have.Data = want
	return reconcile.Result{}, c.Update(ctx, &have)
}

func deployment(w *world, name string) *appsv1.Deployment {
	none, match := int32(0), map[string]string{"app": name}
	return &appsv1.Deployment{
		ObjectMeta: w.meta(name),
		Spec: appsv1.DeploymentSpec{
			Replicas: &none, Paused: true, Selector: &metav1.LabelSelector{MatchLabels: match},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: match},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}},
			},
		},
	}
}

func TestTheWholeLoop(t *testing.T) {
	w := newWorld(t)
	r := &copier{Client: w.mgr.GetClient(), labels: map[string]string{"world": w.namespace}}
	if err := r.SetupWithManager(builder.ControllerManagedBy(w.mgr)); err != nil {
		t.Fatal(err)
	}
	w.startSynced("Deployment", "ConfigMap")
	w.create(deployment(w, "web"))

	first := w.passes("web", 1)[0]
	t.Run("first pass", func(t *testing.T) { checkFirst(t, first, r) })

	second := w.pass("web", "is caused by its own ConfigMap", func(p tracertest.Reconcile) bool {
		_, ok := cause(p, func(c tracertest.Cause) bool { return c.Kind == "ConfigMap" })
		return ok
	})
	own, _ := cause(second, func(c tracertest.Cause) bool { return c.Kind == "ConfigMap" })
	if own.What != semconv.CauseAdd || own.By != semconv.BySelf || own.Write.SpanID != first.Writes[0].SpanID {
		t.Errorf("the ConfigMap's cause is %+v, want an add by self, linked to span %s", own, first.Writes[0].SpanID)
	}

	var d appsv1.Deployment
	key := client.ObjectKey{Namespace: w.namespace, Name: "web"}
	if err := w.client.Get(t.Context(), key, &d); err != nil {
		t.Fatal(err)
	}
	if err := w.client.Patch(t.Context(), &d, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"annotations":{"note":"canary-5ecret"}}}`))); err != nil {
		t.Fatal(err)
	}
	third := w.pass("web", "updates", func(p tracertest.Reconcile) bool {
		return len(p.Writes) == 1 && p.Writes[0].Attrs.Text(semconv.AttrHTTPMethod) == "PUT"
	})
	checkUpdate(t, first, third)
	if sent := fmt.Sprintf("%+v %+v", w.rec.Spans(), w.rec.Records()); strings.Contains(sent, "canary-5ecret") {
		t.Error("the value of an annotation and of a ConfigMap has left the process")
	}
}

func checkFirst(t *testing.T, p tracertest.Reconcile, r *copier) {
	t.Helper()
	// A machine that is slow between two reads makes a compute of that.
	phases := strings.ReplaceAll(strings.Join(p.PhaseNames(), " "), "fetch compute fetch", "fetch")
	if phases != "dequeue fetch compute apply requeue" {
		t.Errorf("phases %s", phases)
	}
	r.mu.Lock()
	if p.Root.TraceID != r.ids[0] || p.Root.Attrs.Text(semconv.AttrID) != r.ids[0] {
		t.Errorf("trace id %s, want the reconcileID %s", p.Root.TraceID, r.ids[0])
	}
	r.mu.Unlock()
	if p.Result != semconv.ResultSuccess || p.Root.Attrs.Text(semconv.AttrObjectKind) != "Deployment" {
		t.Errorf("result %q of kind %q, want success of Deployment", p.Result, p.Root.Attrs.Text(semconv.AttrObjectKind))
	}
	if c := p.Causes[0]; c.What != semconv.CauseAdd || c.By != semconv.ByOther || c.Kind != "Deployment" || c.Name != "web" {
		t.Errorf("cause %+v, want Deployment web added by other", c)
	}
	if !p.Phases[0].Attrs.Bool(semconv.AttrQueueModelled) {
		t.Error("the order of a private queue is not labelled as modelled")
	}
	if fields := p.Root.Attrs.List(semconv.AttrObjectFields); !slices.Contains(fields, "spec.replicas=0") {
		t.Errorf("object fields %v, want spec.replicas=0", fields)
	}
	checkReads(t, p)
	if len(p.Writes) != 1 {
		t.Fatalf("writes %+v, want one", p.Writes)
	}
	a := p.Writes[0].Attrs
	if a.Text(semconv.AttrHTTPMethod) != "POST" || a.Text(semconv.AttrWriteResource) != "configmaps" ||
		a.Text(semconv.AttrWriteResourceVersionNew) == "" || a.Int(semconv.AttrHTTPStatus) != 201 {
		t.Errorf("write %v, want a POST of configmaps that made a version", a)
	}
	if id := a.Text(semconv.AttrAuditID); id != p.Root.TraceID+"-1" {
		t.Errorf("audit id %q, want the trace id and 1", id)
	}
}

func checkReads(t *testing.T, p tracertest.Reconcile) {
	t.Helper()
	if len(p.Reads) != 2 {
		t.Fatalf("reads %+v, want two", p.Reads)
	}
	for i, want := range []struct {
		kind  string
		count int64
	}{{"Deployment", 1}, {"ConfigMap", 0}} {
		a := p.Reads[i].Attrs
		if a.Text(semconv.AttrReadKind) != want.kind || a.Text(semconv.AttrReadSource) != semconv.ReadCache || a.Int(semconv.AttrReadCount) != want.count {
			t.Errorf("read %d: %v, want %d %s from the cache", i, a, want.count, want.kind)
		}
	}
}

func checkUpdate(t *testing.T, first, third tracertest.Reconcile) {
	t.Helper()
	a, made := third.Writes[0].Attrs, first.Writes[0].Attrs.Text(semconv.AttrWriteResourceVersionNew)
	if before := a.Text(semconv.AttrWriteResourceVersionOld); before != made {
		t.Errorf("the update is of version %s, want %s, which the first pass made", before, made)
	}
	if after := a.Text(semconv.AttrWriteResourceVersionNew); after == "" || after == made || a.Bool(semconv.AttrWriteNoop) {
		t.Errorf("the update made version %q (noop %v), want a new one", after, a.Bool(semconv.AttrWriteNoop))
	}
	c, ok := cause(third, func(c tracertest.Cause) bool { return slices.Contains(c.Changed, "metadata") })
	if !ok || c.What != semconv.CauseUpdate || c.By != semconv.ByOther {
		t.Errorf("causes %+v, want an update of metadata by other", third.Causes)
	}
}
