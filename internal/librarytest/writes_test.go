package librarytest

import (
	"context"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
	"github.com/reconcile-tracer/tracer/tracer/tracertest"
)

const (
	asJSON     = "application/json"
	asProtobuf = "application/vnd.kubernetes.protobuf"
)

// made is what a request really did, as its client was told.
type made struct {
	verb, resource, subresource, name string
	version, uid                      string // what the answer has
	noop                              bool
	failed                            string // the error's reason
}

// did is a request's outcome by its answer.
func did(verb, resource string, obj metav1.Object, err error) made {
	m := made{verb: verb, resource: resource, failed: string(apierrors.ReasonForError(err))}
	if err == nil {
		m.name, m.version, m.uid = obj.GetName(), obj.GetResourceVersion(), string(obj.GetUID())
	}
	return m
}

func (m made) of(subresource string) made { m.subresource = subresource; return m }
func (m made) named(name string) made     { m.name = name; return m }
func (m made) nothing() made              { m.noop = true; return m }

func TestEveryWriteIsJoinedWithWhatItMade(t *testing.T) {
	for name, contentType := range map[string]string{"JSON": asJSON, "protobuf": asProtobuf} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, contentType)
			var want []made
			got := r.reconcile("default/typed", func(ctx context.Context) {
				want = append(want, r.writeConfigMaps(ctx)...)
				want = append(want, r.writePods(ctx)...)
				want = append(want, r.writeDeployment(ctx)...)
				want = append(want, r.writeCollection(ctx)...)
			})
			r.compare(got, want)
		})
	}
}

func TestTheDynamicClientsWritesAreJoined(t *testing.T) {
	r := newRig(t, asJSON)
	maps := r.dynamic.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Namespace(r.namespace)
	obj := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "dyn"}, "data": map[string]any{"k": "1"},
	}}
	var want []made
	got := r.reconcile("default/dynamic", func(ctx context.Context) {
		created, err := maps.Create(ctx, obj, metav1.CreateOptions{})
		want = append(want, did("POST", "configmaps", created, err))
		updated, err := maps.Update(ctx, created, metav1.UpdateOptions{})
		want = append(want, did("PUT", "configmaps", updated, err).nothing())
		applied, err := maps.Apply(ctx, "dyn", obj, metav1.ApplyOptions{FieldManager: "librarytest", Force: true})
		want = append(want, did("PATCH", "configmaps", applied, err))
		patched, err := maps.Patch(ctx, "dyn", types.MergePatchType, []byte(`{"data":{"k":"2"}}`), metav1.PatchOptions{})
		want = append(want, did("PATCH", "configmaps", patched, err))
		err = maps.Delete(ctx, "dyn", metav1.DeleteOptions{})
		want = append(want, made{verb: "DELETE", resource: "configmaps", name: "dyn", uid: string(created.GetUID()), failed: string(apierrors.ReasonForError(err))})
	})
	r.compare(got, want)
}

func (r *rig) writeConfigMaps(ctx context.Context) (out []made) {
	const maps = "configmaps"
	api := r.kube.CoreV1().ConfigMaps(r.namespace)
	m := &corev1.ConfigMap{Data: map[string]string{"k": "1"}}
	m.GenerateName = "made-"
	a, err := api.Create(ctx, m, metav1.CreateOptions{})
	out = append(out, did("POST", maps, a, err))
	stale := a.DeepCopy()
	again := a.DeepCopy()
	again.ResourceVersion, again.UID, again.GenerateName = "", "", ""
	b, err := api.Create(ctx, again, metav1.CreateOptions{})
	out = append(out, did("POST", maps, b, err).named(a.Name))
	b, err = api.Update(ctx, a, metav1.UpdateOptions{})
	out = append(out, did("PUT", maps, b, err).nothing())
	a.Data["k"] = "2"
	b, err = api.Update(ctx, a, metav1.UpdateOptions{})
	out = append(out, did("PUT", maps, b, err))
	stale.Data["k"] = "3"
	c, err := api.Update(ctx, stale, metav1.UpdateOptions{})
	out = append(out, did("PUT", maps, c, err).named(a.Name))
	for kind, body := range map[types.PatchType]string{
		types.MergePatchType:          `{"data":{"m":"1"}}`,
		types.JSONPatchType:           `[{"op":"add","path":"/data/j","value":"1"}]`,
		types.StrategicMergePatchType: `{"metadata":{"labels":{"s":"1"}}}`,
	} {
		b, err = api.Patch(ctx, a.Name, kind, []byte(body), metav1.PatchOptions{})
		out = append(out, did("PATCH", maps, b, err))
	}
	apply := corev1ac.ConfigMap(a.Name, r.namespace).WithData(map[string]string{"ssa": "1"})
	for range 2 { // the second changes nothing
		b, err = api.Apply(ctx, apply, metav1.ApplyOptions{FieldManager: "librarytest"})
		out = append(out, did("PATCH", maps, b, err))
	}
	out[len(out)-1].noop = true
	err = api.Delete(ctx, a.Name, metav1.DeleteOptions{})
	return append(out, made{verb: "DELETE", resource: maps, name: a.Name, uid: string(a.UID), failed: string(apierrors.ReasonForError(err))})
}

func (r *rig) writePods(ctx context.Context) (out []made) {
	api := r.kube.CoreV1().Pods(r.namespace)
	p, err := api.Create(ctx, pod("p"), metav1.CreateOptions{})
	out = append(out, did("POST", "pods", p, err))
	// Scheduler and kubelet write too, so this status goes by a patch.
	p, err = api.Patch(ctx, "p", types.StrategicMergePatchType, []byte(`{"status":{"reason":"Tested"}}`), metav1.PatchOptions{}, "status")
	out = append(out, did("PATCH", "pods", p, err).of("status"))
	eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: r.namespace, Name: "p"}}
	err = api.EvictV1(ctx, eviction)
	return append(out, made{verb: "POST", resource: "pods", subresource: "eviction", name: "p", failed: string(apierrors.ReasonForError(err))})
}

func (r *rig) writeDeployment(ctx context.Context) (out []made) {
	const deployments = "deployments"
	api := r.kube.AppsV1().Deployments(r.namespace)
	labels := map[string]string{"app": "d"}
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "d"}}
	d.Spec.Replicas, d.Spec.Selector = new(int32), &metav1.LabelSelector{MatchLabels: labels}
	d.Spec.Paused = true
	d.Spec.Template.Labels, d.Spec.Template.Spec = labels, pod("").Spec
	d.Spec.Template.Spec.TerminationGracePeriodSeconds = nil
	d, err := api.Create(ctx, d, metav1.CreateOptions{})
	out = append(out, did("POST", deployments, d, err))
	scale, err := api.UpdateScale(ctx, "d", &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{Namespace: r.namespace, Name: "d"}, Spec: autoscalingv1.ScaleSpec{Replicas: 1},
	}, metav1.UpdateOptions{})
	return append(out, did("PUT", deployments, scale, err).of("scale"))
}

// writeCollection deletes two objects together, and then none.
func (r *rig) writeCollection(ctx context.Context) (out []made) {
	for _, name := range []string{"one", "two"} {
		m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"all": "go"}}}
		if _, err := r.admin.CoreV1().ConfigMaps(r.namespace).Create(ctx, m, metav1.CreateOptions{}); err != nil {
			r.Fatal(err)
		}
	}
	for _, noop := range []bool{false, true} {
		err := r.kube.CoreV1().ConfigMaps(r.namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "all=go"})
		out = append(out, made{verb: "DELETE", resource: "configmaps", noop: noop, failed: string(apierrors.ReasonForError(err))})
	}
	return out
}

// compare checks each write's span, and what was sent for it.
func (r *rig) compare(got tracertest.Reconcile, want []made) {
	r.Helper()
	if len(got.Writes) != len(want) {
		r.Fatalf("%d writes are traced, %d were made", len(got.Writes), len(want))
	}
	requests := r.traffic.writes()
	for i, w := range got.Writes {
		a := w.Attrs
		seen := made{
			verb: a.Text(semconv.AttrHTTPMethod), resource: a.Text(semconv.AttrWriteResource), subresource: a.Text(semconv.AttrWriteSubresource),
			name: a.Text(semconv.AttrWriteName), version: a.Text(semconv.AttrWriteResourceVersionNew),
			noop: a.Bool(semconv.AttrWriteNoop), failed: a.Text(semconv.AttrErrorType), uid: want[i].uid,
		}
		if seen != want[i] {
			r.Errorf("write %d is traced as %+v, it was %+v", i, seen, want[i])
		}
		if uid := a.Text(semconv.AttrWriteUID); want[i].uid != "" && uid != want[i].uid {
			r.Errorf("write %d has UID %q, want %q", i, uid, want[i].uid)
		}
		r.marked(w, requests[i])
	}
}

// marked checks the ids on a request.
func (r *rig) marked(w tracertest.Span, s sent) {
	r.Helper()
	if s.audit != w.Attrs.Text(semconv.AttrAuditID) || !strings.HasPrefix(s.audit, w.TraceID+"-") || s.echoed != s.audit {
		r.Errorf("%s %s: Audit-ID %q, answered %q, the span says %q", s.method, s.path, s.audit, s.echoed, w.Attrs.Text(semconv.AttrAuditID))
	}
	if want := "00-" + w.TraceID + "-" + w.SpanID + "-01"; s.traceparent != want {
		r.Errorf("%s %s: traceparent %q, want %q", s.method, s.path, s.traceparent, want)
	}
}

// writes are the requests that change something.
func (t *traffic) writes() (out []sent) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.all {
		if s.method != "GET" {
			out = append(out, s)
		}
	}
	return out
}
