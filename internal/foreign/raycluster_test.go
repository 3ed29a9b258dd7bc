package foreign_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	rayv1 "github.com/ray-project/kuberay/ray-operator/apis/ray/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
	"github.com/reconcile-tracer/tracer/tracer/tracertest"
)

const clusterName = "ray"

// TestRayCluster lets a user make, scale and delete a RayCluster, and looks at
// what is seen of the operator meanwhile.
func TestRayCluster(t *testing.T) {
	w := newWorld(t)
	w.create()
	first := w.pass("at all", func(tracertest.Reconcile) bool { return true })
	w.checkFirst(first)
	w.checkOwnWritesComeBack(first)
	w.checkOthersAreTold()
	w.checkDropsAreTold()
	w.checkTimer()
	w.checkScaling()
	w.checkDeletion()
	w.stop()
	passes := w.passes()
	for i, p := range passes {
		t.Run(fmt.Sprintf("pass %d", i+1), func(t *testing.T) { checkPass(t, p, passes) })
	}
	w.checkHub()
	w.checkUnseen()
	w.hub.checkSpans(t)
	if t.Failed() {
		t.Log(w.story())
	}
}

func (w *world) create() {
	w.t.Helper()
	pod := func(container string) corev1.PodTemplateSpec {
		return corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: container, Image: "ray"}}}}
	}
	least, one, most := int32(0), int32(1), int32(5)
	err := w.client.Create(w.t.Context(), &rayv1.RayCluster{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: clusterName},
		Spec: rayv1.RayClusterSpec{
			RayVersion:    "2.46.0",
			HeadGroupSpec: rayv1.HeadGroupSpec{RayStartParams: map[string]string{}, Template: pod("ray-head")},
			WorkerGroupSpecs: []rayv1.WorkerGroupSpec{{
				GroupName: "workers", Replicas: &one, MinReplicas: &least, MaxReplicas: &most,
				RayStartParams: map[string]string{}, Template: pod("ray-worker"),
			}},
		},
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// checkFirst wants the whole of what the operator does with a new RayCluster.
func (w *world) checkFirst(p tracertest.Reconcile) {
	w.t.Helper()
	c := p.Causes[0]
	if c.What != semconv.CauseAdd || c.By != semconv.ByOther || c.Kind != "RayCluster" || c.Manager != user {
		w.t.Errorf("the first cause is %+v, want RayCluster added by %s", c, user)
	}
	var writes []string
	for _, s := range p.Writes {
		writes = append(writes, name(s))
	}
	if want := []string{"POST services 201", "POST pods 201", "POST pods 201", "PUT rayclusters/status 200"}; !slices.Equal(writes, want) {
		w.t.Fatalf("writes %v, want %v", writes, want)
	}
	if before := p.Writes[3].Attrs.Text(semconv.AttrWriteResourceVersionOld); before != c.ResourceVersion {
		w.t.Errorf("the status was written over version %q, want %q, which the cause brought", before, c.ResourceVersion)
	}
}

// name is a write in few words.
func name(s tracertest.Span) string {
	resource := s.Attrs.Text(semconv.AttrWriteResource)
	if sub := s.Attrs.Text(semconv.AttrWriteSubresource); sub != "" {
		resource += "/" + sub
	}
	return fmt.Sprintf("%s %s %d", s.Attrs.Text(semconv.AttrHTTPMethod), resource, s.Attrs.Int(semconv.AttrHTTPStatus))
}

// checkOwnWritesComeBack wants a cause for each object that the first pass made.
func (w *world) checkOwnWritesComeBack(first tracertest.Reconcile) {
	w.t.Helper()
	for _, made := range first.Writes[:3] {
		w.caused("by its own "+name(made), func(c tracertest.Cause) bool {
			return c.By == semconv.BySelf && c.What == semconv.CauseAdd && c.Write == (tracertest.Link{TraceID: made.TraceID, SpanID: made.SpanID})
		})
	}
}

// caused waits for a pass with a cause that match takes.
func (w *world) caused(what string, match func(tracertest.Cause) bool) tracertest.Reconcile {
	w.t.Helper()
	return w.pass("is caused "+what, func(p tracertest.Reconcile) bool { return slices.ContainsFunc(p.Causes, match) })
}

// checkOthersAreTold wants the kubelet's part told from the operator's.
func (w *world) checkOthersAreTold() {
	w.t.Helper()
	w.caused("by a node that runs a Pod", func(c tracertest.Cause) bool {
		return c.Kind == "Pod" && c.What == semconv.CauseUpdate && c.By == semconv.ByOther &&
			c.Manager == "localcluster-nodes" && slices.Equal(c.Changed, []string{"status"})
	})
	w.pass("says that all Pods are ready", func(p tracertest.Reconcile) bool {
		return slices.ContainsFunc(p.Writes, func(s tracertest.Span) bool {
			return slices.Contains(s.Attrs.List(semconv.AttrWriteFields), "status.conditions.RayClusterProvisioned=True")
		})
	})
}

// checkDropsAreTold wants the operator's predicate named, which keeps its own
// status from coming back.
func (w *world) checkDropsAreTold() {
	w.t.Helper()
	drop := w.rec.WaitRecord(semconv.LogDrop, func(r tracertest.Record) bool {
		return r.Attrs.Text(semconv.AttrObjectKind) == "RayCluster"
	})
	// It is predicate.Or of three; which of them is its own secret.
	if by := drop.Attrs.Text(semconv.AttrDropPredicate); by != "or" {
		w.t.Errorf("dropped by %q, want or: %v", by, drop.Attrs)
	}
}

// checkTimer wants a pass that nothing but its own timer caused, and that
// changes nothing.
func (w *world) checkTimer() {
	w.t.Helper()
	p := w.pass("is caused by the timer alone", func(p tracertest.Reconcile) bool {
		return len(p.Causes) == 1 && p.Causes[0].What == semconv.CauseRequeueAfter && len(p.Writes) == 0
	})
	if ms := p.Root.Attrs.Float(semconv.AttrRequeueDelayMS); p.Result != semconv.ResultRequeueAfter || ms != comesBack*1000 {
		w.t.Errorf("result %s after %v ms, want %s after %d s", p.Result, ms, semconv.ResultRequeueAfter, comesBack)
	}
}

// checkScaling wants the user's change and what the operator does about it, up
// and down.
func (w *world) checkScaling() {
	w.t.Helper()
	for _, step := range []struct {
		replicas int
		write    string
	}{{2, "POST pods 201"}, {1, "DELETE pods 200"}} {
		version := w.patch(fmt.Sprintf(`[{"op":"replace","path":"/spec/workerGroupSpecs/0/replicas","value":%d}]`, step.replicas))
		p := w.caused("by the user's change", func(c tracertest.Cause) bool { return c.ResourceVersion == version })
		n := slices.IndexFunc(p.Causes, func(c tracertest.Cause) bool { return c.ResourceVersion == version })
		// The manager is told only when nobody else wrote in the same second.
		if c := p.Causes[n]; c.By != semconv.ByOther || !slices.Contains([]string{user, ""}, c.Manager) || !slices.Contains(c.Changed, "spec") {
			w.t.Errorf("the cause is %+v, want a change of spec by %s", c, user)
		}
		n = slices.IndexFunc(p.Writes, func(s tracertest.Span) bool { return name(s) == step.write })
		if n < 0 {
			w.t.Fatalf("with %d replicas there is no %s:%s", step.replicas, step.write, w.story())
		}
		if pod := p.Writes[n].Attrs.Text(semconv.AttrWriteName); !strings.HasPrefix(pod, clusterName+"-workers-worker-") {
			w.t.Errorf("%s of %q, want a worker", step.write, pod)
		}
	}
}

func (w *world) patch(patch string) (version string) {
	w.t.Helper()
	c := &rayv1.RayCluster{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: clusterName}}
	if err := w.client.Patch(w.t.Context(), c, client.RawPatch(types.JSONPatchType, []byte(patch))); err != nil {
		w.t.Fatal(err)
	}
	return c.ResourceVersion
}

// checkDeletion wants the end: an object that is gone.
func (w *world) checkDeletion() {
	w.t.Helper()
	c := &rayv1.RayCluster{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: clusterName}}
	if err := w.client.Delete(w.t.Context(), c); err != nil {
		w.t.Fatal(err)
	}
	p := w.caused("by the deletion", func(c tracertest.Cause) bool {
		return c.What == semconv.CauseDelete && c.Kind == "RayCluster" && c.By == semconv.ByOther
	})
	if p.Result != semconv.ResultSuccess || len(p.Writes) != 0 || len(p.Reads) != 1 || p.Reads[0].Attrs.Int(semconv.AttrReadCount) != 0 {
		w.t.Errorf("result %s, reads %v, writes %v, want success after one read that finds nothing", p.Result, p.Reads, p.Writes)
	}
}

// checkUnseen keeps the README honest: the operator writes Kubernetes Events,
// later and from another goroutine, and they are in no pass.
func (w *world) checkUnseen() {
	w.t.Helper()
	var events corev1.EventList
	if err := w.client.List(w.t.Context(), &events, client.InNamespace(w.namespace)); err != nil {
		w.t.Fatal(err)
	}
	if !slices.ContainsFunc(events.Items, func(e corev1.Event) bool { return e.InvolvedObject.Kind == "RayCluster" }) {
		w.t.Error("the operator has written no Event")
	}
	for _, p := range w.passes() {
		if slices.ContainsFunc(p.Writes, func(s tracertest.Span) bool { return s.Attrs.Text(semconv.AttrWriteResource) == "events" }) {
			w.t.Error("an Event is seen after all: say so in README.md")
		}
	}
}
