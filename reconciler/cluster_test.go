package reconciler

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/reconcile-tracer/tracer/internal/clustertest"
	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
)

// nowhere is an address that nothing listens to.
const nowhere = "http://127.0.0.1:1"

func TestLifeOfAPodSet(t *testing.T) {
	b := newBench(t)
	b.start(b.options())
	b.create("web", 3)
	b.settled("web", 3)

	b.scale("web", 5)
	b.settled("web", 5)
	b.scale("web", 2)
	set := b.settled("web", 2)
	if want := v1alpha1.LabelPodSet + "=web"; set.Status.Selector != want {
		t.Errorf("status.selector = %q, want %q", set.Status.Selector, want)
	}

	gone := b.pods("web")[0]
	if err := b.kube.CoreV1().Pods(b.namespace).Delete(t.Context(), gone.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	clustertest.Eventually(t, "another Pod has taken its place", func(context.Context) bool {
		pods := b.pods("web")
		return len(pods) == 2 && !slices.ContainsFunc(pods, func(p corev1.Pod) bool { return p.UID == gone.UID })
	})
	b.settled("web", 2)

	set = b.patch("web", object{"spec": object{"template": object{"metadata": object{"labels": object{"revision": "2"}}}}})
	hash := templateHash(set)
	clustertest.Eventually(t, "both Pods are of the new template", func(context.Context) bool {
		pods := b.pods("web")
		return len(pods) == 2 && !slices.ContainsFunc(pods, func(p corev1.Pod) bool { return outdated(&p, hash) })
	})
	b.settled("web", 2)

	if err := b.sets.Delete(t.Context(), "web", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	clustertest.Eventually(t, "the garbage collector has deleted the Pods", func(context.Context) bool { return len(b.pods("web")) == 0 })
}

func TestEventsTellWhatWasDone(t *testing.T) {
	b := newBench(t)
	b.start(b.options())
	b.create("web", 2)
	clustertest.Eventually(t, "an event tells of both Pods", func(ctx context.Context) bool {
		events, err := b.kube.CoreV1().Events(b.namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false
		}
		return slices.ContainsFunc(events.Items, func(e corev1.Event) bool {
			return e.Source.Component == ControllerName && e.InvolvedObject.Name == "web" &&
				e.Reason == "SuccessfulCreate" && strings.HasPrefix(e.Message, "Created 2 Pods: web-")
		})
	})
}

func TestHubDownChangesNothing(t *testing.T) {
	b := newBench(t)
	o := b.options()
	b.traced(&o, nowhere)
	b.start(o)
	b.create("web", 2)
	b.settled("web", 2)
}

func TestMissingCRDIsSaid(t *testing.T) {
	b := newBench(t)
	if err := Uninstall(t.Context(), b.cluster.Config()); err != nil {
		t.Fatal(err)
	}
	clustertest.Eventually(t, "PodSets are not served any more", func(ctx context.Context) bool {
		return errors.Is(checkServed(ctx, b.sets), ErrNoCRD)
	})
	err := Run(t.Context(), b.options())
	if !errors.Is(err, ErrNoCRD) || !strings.Contains(err.Error(), "--install-crd") {
		t.Fatalf("Run = %v, want ErrNoCRD with --install-crd", err)
	}
	if err := Uninstall(t.Context(), b.cluster.Config()); err != nil {
		t.Errorf("Uninstall of nothing = %v, want nil", err)
	}
	o := b.options()
	o.InstallCRD = true
	b.start(o)
	clustertest.Eventually(t, "the CRD is installed", func(ctx context.Context) bool { return checkServed(ctx, b.sets) == nil })
	b.create("web", 1)
	b.settled("web", 1)
}

func TestMissingPermissionsAreSaid(t *testing.T) {
	b := newBench(t)
	o := b.options()
	o.Config.Impersonate = rest.ImpersonationConfig{UserName: "nobody", Groups: []string{"system:authenticated"}}
	err := Run(t.Context(), o)
	if err == nil {
		t.Fatal("Run = nil, want an error")
	}
	for _, want := range []string{
		"list podsets.demo.reconcile-tracer.io", "update podsets.demo.reconcile-tracer.io/status",
		"create pods", "in namespace " + b.namespace, "deploy/rbac.yaml",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not name %q", err, want)
		}
	}
}

func TestAPIServerSaysWhatIsWrongWithAPodSet(t *testing.T) {
	b := newBench(t)
	b.create("web", 1)
	tooMany, long := int32(101), strings.Repeat("a", 64)
	for want, set := range map[string]*v1alpha1.PodSet{
		"must be between 0 and 100: choose": {ObjectMeta: metav1.ObjectMeta{Name: "many"}, Spec: v1alpha1.PodSetSpec{Replicas: &tooMany}},
		"must be 63 characters or fewer":    {ObjectMeta: metav1.ObjectMeta{Name: long}},
	} {
		_, err := b.sets.Create(t.Context(), set, metav1.CreateOptions{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("create = %v, want an error with %q", err, want)
		}
	}
}

// The scale subresource is how kubectl scale and autoscalers change a PodSet.
func TestScaleSubresource(t *testing.T) {
	b := newBench(t)
	b.start(b.options())
	b.create("web", 1)
	b.settled("web", 1)
	body := []byte(`{"spec":{"replicas":2}}`)
	err := b.sets.GetClient().Patch("application/merge-patch+json").Namespace(b.namespace).Resource(v1alpha1.Resource).
		Name("web").SubResource("scale").Body(body).Do(t.Context()).Error()
	if err != nil {
		t.Fatal(err)
	}
	b.settled("web", 2)
}

// A template that the API server refuses is told in the status, once: the
// status must not wake the controller at each try.
func TestPodsThatCannotBeMadeAreToldInTheStatus(t *testing.T) {
	b := newBench(t)
	o := b.options()
	var tries atomic.Int32
	o.Config.Wrap(before(http.MethodPost, "/pods", func(*http.Request) { tries.Add(1) }))
	b.start(o)
	replicas := int32(1)
	set := &v1alpha1.PodSet{ObjectMeta: metav1.ObjectMeta{Name: "bad"}, Spec: v1alpha1.PodSetSpec{Replicas: &replicas}}
	set.Spec.Template.Spec.Containers = []corev1.Container{{Name: "No Name", Image: "none"}}
	if _, err := b.sets.Create(t.Context(), set, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	var told *v1alpha1.PodSet
	clustertest.Eventually(t, "the status says what failed", func(ctx context.Context) bool {
		told, _ = b.sets.Get(ctx, "bad", metav1.GetOptions{})
		c := meta.FindStatusCondition(told.Status.Conditions, v1alpha1.ConditionReady)
		return c != nil && c.Reason == reasonCreateFailed && strings.Contains(c.Message, string(metav1.StatusReasonInvalid))
	})
	if told.Status.ObservedGeneration != told.Generation {
		t.Errorf("observedGeneration = %d, want %d", told.Status.ObservedGeneration, told.Generation)
	}
	soFar := tries.Load()
	clustertest.Eventually(t, "it is tried three more times", func(context.Context) bool { return tries.Load() >= soFar+3 })
	again, err := b.sets.Get(t.Context(), "bad", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if again.ResourceVersion != told.ResourceVersion {
		t.Errorf("resourceVersion = %s after more tries, want %s: the status was written again", again.ResourceVersion, told.ResourceVersion)
	}
}
