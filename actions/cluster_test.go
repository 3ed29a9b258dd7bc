package actions_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reconcile-tracer/tracer/actions"
	"github.com/reconcile-tracer/tracer/internal/clustertest"
	"github.com/reconcile-tracer/tracer/reconciler"
	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
)

func TestMain(m *testing.M) { os.Exit(clustertest.Main(m)) }

// page does actions on the PodSet web of a namespace.
type page struct {
	t         *testing.T
	actions   *actions.Actions
	sets      *v1alpha1.Client
	namespace string
}

func newPage(t *testing.T) page {
	t.Helper()
	cluster := clustertest.Get(t)
	if err := reconciler.InstallCRD(t.Context(), cluster.Config()); err != nil {
		t.Fatal(err)
	}
	a, err := actions.New(cluster.Config())
	if err != nil {
		t.Fatal(err)
	}
	client, err := v1alpha1.NewClientset(cluster.Config())
	if err != nil {
		t.Fatal(err)
	}
	namespace := cluster.Namespace(t)
	return page{t: t, actions: a, sets: client.PodSets(namespace), namespace: namespace}
}

// try does one action on PodSet web; replicas is left out when negative.
func (p page) try(action string, replicas int) (string, error) {
	p.t.Helper()
	args := map[string]string{"namespace": p.namespace, "name": "web"}
	if replicas >= 0 {
		args["replicas"] = fmt.Sprint(replicas)
	}
	return p.actions.Do(p.t.Context(), action, args)
}

// do expects the action to succeed and its summary to contain want.
func (p page) do(action string, replicas int, want string) {
	p.t.Helper()
	summary, err := p.try(action, replicas)
	if err != nil || !strings.Contains(summary, want) {
		p.t.Fatalf("%s = %q, %v; want %q", action, summary, err, want)
	}
}

func (p page) set() *v1alpha1.PodSet {
	p.t.Helper()
	set, err := p.sets.Get(p.t.Context(), "web", metav1.GetOptions{})
	if err != nil {
		p.t.Fatal(err)
	}
	return set
}

// running runs the real controller until the test ends.
func (p page) running() {
	p.t.Helper()
	ctx, cancel := context.WithCancel(p.t.Context())
	done := make(chan error, 1)
	go func() {
		done <- reconciler.Run(ctx, reconciler.Options{Config: clustertest.Get(p.t).Config(), Namespace: p.namespace})
	}()
	p.t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			p.t.Errorf("the reconciler ended with %v", err)
		}
	})
}

func TestActionsChangeTheCluster(t *testing.T) {
	p := newPage(t)
	p.do("create", 3, "created PodSet "+p.namespace+"/web with 3 replicas")
	p.do("scale", 5, "from 3 to 5")
	p.do("scale", 5, "nothing was changed")
	if got := *p.set().Spec.Replicas; got != 5 {
		t.Errorf("spec.replicas = %d, want 5", got)
	}
	p.do("change-template", -1, "to revision 2")
	p.do("change-template", -1, "to revision 3")
	if got := p.set().Spec.Template.Labels["revision"]; got != "3" {
		t.Errorf("the template's revision is %q, want 3", got)
	}
	if got := p.set().ManagedFields[0].Manager; got != actions.Manager {
		t.Errorf("the manager is %q, want %s", got, actions.Manager)
	}
	p.do("delete", -1, "deleted PodSet")
}

func TestFiveEditsAreFiveWrites(t *testing.T) {
	p := newPage(t)
	p.do("create", 3, "created")
	p.do("five-edits", -1, "replicas 3 → 4 → 5 → 4 → 5 → 4 (resourceVersions")
	if set := p.set(); set.Generation != 6 || *set.Spec.Replicas != 4 {
		t.Errorf("generation %d with %d replicas, want 6 and 4", set.Generation, *set.Spec.Replicas)
	}
}

func TestConflictIsARealOne(t *testing.T) {
	p := newPage(t)
	p.do("create", 3, "created")
	p.do("conflict", -1, "was answered 409 Conflict")
	set := p.set()
	if len(set.Annotations) != 0 || *set.Spec.Replicas != 4 {
		t.Errorf("annotations %v and %d replicas are left, want none and 4", set.Annotations, *set.Spec.Replicas)
	}
}

func TestDeletePodDeletesOneOfThePodSet(t *testing.T) {
	p := newPage(t)
	p.do("create", 2, "created")
	if _, err := p.try("delete-pod", -1); err == nil || !strings.Contains(err.Error(), "has no Pod that could be deleted: scale it up") {
		t.Errorf("without Pods: error %v", err)
	}
	p.running()
	clustertest.Eventually(t, "both Pods are ready", func(context.Context) bool { return p.set().Status.ReadyReplicas == 2 })
	p.do("delete-pod", -1, "deleted Pod web-")
}

func TestRefusalsSayWhatToDo(t *testing.T) {
	p := newPage(t)
	for _, action := range []string{"delete-pod", "change-template", "delete", "five-edits", "conflict"} {
		_, err := p.try(action, -1)
		if err == nil || !strings.Contains(err.Error(), "does not exist: create it first") || status(err) != 404 {
			t.Errorf("%s of no PodSet: %v (%d), want what to do and 404", action, err, status(err))
		}
	}
	p.do("create", 1, "created")
	if _, err := p.try("create", 1); err == nil || status(err) != 409 || !strings.Contains(err.Error(), "exists already: choose another name") {
		t.Errorf("create twice: %v (%d), want 409", err, status(err))
	}
	args := map[string]string{"namespace": "no-such-namespace", "name": "web", "replicas": "1"}
	if _, err := p.actions.Do(t.Context(), "create", args); status(err) != 404 || !strings.Contains(err.Error(), "namespace no-such-namespace does not exist") {
		t.Errorf("create without its namespace: %v (%d), want 404", err, status(err))
	}
}

func status(err error) int {
	if e, ok := err.(interface{ HTTPStatus() int }); ok {
		return e.HTTPStatus()
	}
	return 0
}
