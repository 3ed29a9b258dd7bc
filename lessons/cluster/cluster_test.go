package cluster

import (
	"context"
	"os"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reconcile-tracer/tracer/internal/clustertest"
	"github.com/reconcile-tracer/tracer/lessons/format"
)

func TestMain(m *testing.M) { os.Exit(clustertest.Main(m)) }

// begin makes a run whose namespace is gone when t ends.
func begin(t *testing.T, name string) *Run {
	t.Helper()
	c, err := New(clustertest.Get(t).Config())
	if err != nil {
		t.Fatal(err)
	}
	run, err := c.Begin(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := run.remove(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return run
}

// actions parses the actions of a beat.
func actions(t *testing.T, text string) []format.Action {
	t.Helper()
	head := "id: x\ntitle: x\nabout: x\nminutes: 1\nbeats:\n  - title: x\n    words: x\n    do:\n"
	l, err := format.Parse("x.yaml", []byte(head+text))
	if err != nil {
		t.Fatal(err)
	}
	return l.Beats[0].Do
}

// do does actions and returns what they said, an error included.
func do(t *testing.T, r *Run, text string) string {
	t.Helper()
	var said []string
	for _, a := range actions(t, text) {
		did, err := r.Do(t.Context(), a)
		if err != nil {
			did = "error: " + err.Error()
		}
		said = append(said, did)
	}
	return strings.Join(said, "\n")
}

func (r *Run) configMap(t *testing.T, name string) *corev1.ConfigMap {
	t.Helper()
	m, err := r.kube.CoreV1().ConfigMaps(r.Namespace).Get(t.Context(), name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// What a beat has changed, deleted and made is as it was before.
func TestUndo(t *testing.T) {
	r := begin(t, "lesson-undo")
	do(t, r, `
      - apply: {apiVersion: v1, kind: ConfigMap, metadata: {name: kept, annotations: {a: "1"}}, data: {x: "1"}}
      - create: {apiVersion: v1, kind: ConfigMap, metadata: {name: lost}, data: {y: "1"}}
`)
	if err := r.Save(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	said := do(t, r, `
      - edit: {object: ConfigMap/kept, set: metadata.annotations.a, each: ["2", null]}
      - edit: {object: ConfigMap/kept, set: metadata.labels.b, to: "2"}
      - delete: {object: ConfigMap/lost}
      - apply: {apiVersion: v1, kind: ConfigMap, metadata: {name: new, finalizers: [example.test/hold]}}
`)
	if !strings.Contains(said, "set metadata.annotations.a of ConfigMap kept to 2, then nothing (resourceVersion ") {
		t.Errorf("the edit said:\n%s", said)
	}
	if strings.Contains(said, "error") || r.configMap(t, "lost") != nil || r.configMap(t, "new") == nil {
		t.Fatalf("the beat said:\n%s", said)
	}
	for range 2 { // the second time there is nothing left to do
		if err := r.Undo(t.Context(), 3); err != nil {
			t.Fatal(err)
		}
	}
	kept, lost := r.configMap(t, "kept"), r.configMap(t, "lost")
	if kept.Annotations["a"] != "1" || len(kept.Labels) != 0 || kept.Data["x"] != "1" {
		t.Errorf("what was changed is %+v", kept)
	}
	if lost == nil || lost.Data["y"] != "1" {
		t.Errorf("what was deleted is %+v", lost)
	}
	if now := r.configMap(t, "new"); now != nil {
		t.Errorf("what was made is still there: %+v", now)
	}
}

// Two writers of one version: the second is refused, and that is what was asked.
func TestRefusals(t *testing.T) {
	r := begin(t, "lesson-refusals")
	said := do(t, r, `
      - apply: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
      - write-old: {object: ConfigMap/a, set: metadata.annotations.colour, each: [blue, green]}
        refused: Conflict
      - create: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
        refused: AlreadyExists
      - create: {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}
        refused: AlreadyExists
      - edit: {object: ConfigMap/none, set: metadata.annotations.a, to: "1"}
        refused: Conflict
      - delete-child: {of: ConfigMap/a, kind: Pod}
      - apply: {apiVersion: v1, kind: Pod, metadata: {name: bad}, spec: {}}
      - apply:
          apiVersion: apps/v1
          kind: Deployment
          metadata: {name: d}
          spec:
            replicas: 0
            selector: {matchLabels: {app: d}}
            template: {metadata: {labels: {app: d}}, spec: {containers: [{name: c, image: none}]}}
      - write-old: {object: Deployment/d, set: spec.progressDeadlineSeconds, each: [700, 800]}
`)
	want := []string{
		"applied ConfigMap a",
		"a write with an old version of ConfigMap a was refused (409 Conflict)",
		"a create of ConfigMap a was refused (409 AlreadyExists)",
		"error: a create of ConfigMap b was taken, and was to be refused as AlreadyExists: mend the beat",
		"error: edit ConfigMap none: there is none in namespace lesson-refusals: apply it in an earlier beat, or mend the name",
		"error: delete-child ConfigMap a: it controls no Pod that could be deleted",
		"error: apply Pod bad: Pod \"bad\" is invalid: spec.containers: Required value: mend the object in the lesson",
		"applied Deployment d",
		"a write with an old version of Deployment d was refused (409 Conflict)",
	}
	for i, line := range strings.Split(said, "\n") {
		if !strings.HasPrefix(line, want[i]) {
			t.Errorf("action %d said %q, want %q", i+1, line, want[i])
		}
	}
	if got := r.configMap(t, "a").Annotations["colour"]; got != "blue" {
		t.Errorf("the colour is %q, want that of the first writer", got)
	}
}

// Two writers meet over a number and over a mapping, as over a text.
func TestWriteOldOfAnyValue(t *testing.T) {
	r := begin(t, "lesson-values")
	said := do(t, r, `
      - apply: {apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {replicas: 0, selector: {matchLabels: {app: a}}, template: {metadata: {labels: {app: a}}, spec: {containers: [{name: sleep, image: busybox}]}}}}
      - write-old: {object: Deployment/a, set: spec.replicas, each: [1, 2]}
      - write-old: {object: Deployment/a, set: spec.template.spec.nodeSelector, each: [{size: "1"}, {size: "2"}]}
      - write-old: {object: Deployment/a, set: spec.minReadySeconds, each: [3, null]}
`)
	want := "applied Deployment a" + strings.Repeat("\na write with an old version of Deployment a was refused (409 Conflict)", 3)
	if said != want {
		t.Errorf("said:\n%s\nwant:\n%s", said, want)
	}
	now, err := r.kube.AppsV1().Deployments(r.Namespace).Get(t.Context(), "a", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if *now.Spec.Replicas != 1 || now.Spec.Template.Spec.NodeSelector["size"] != "1" || now.Spec.MinReadySeconds != 3 {
		t.Errorf("it is %+v, want what the first writer wrote each time", now.Spec)
	}
}

// A namespace that is there already is left alone.
func TestNamespaceIsTaken(t *testing.T) {
	first, second := begin(t, "lesson-twice"), begin(t, "lesson-twice")
	if first.Namespace != "lesson-twice" || !strings.HasPrefix(second.Namespace, "lesson-twice-") {
		t.Errorf("namespaces %s and %s", first.Namespace, second.Namespace)
	}
}

func TestNoCluster(t *testing.T) {
	cfg := clustertest.Get(t).Config()
	cfg.Host = "https://127.0.0.1:1"
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = c.Begin(t.Context(), "lesson-none"); err == nil || !strings.Contains(err.Error(), "see whether the cluster is up") {
		t.Errorf("without a cluster: %v", err)
	}
}
