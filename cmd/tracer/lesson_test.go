package main

import (
	"errors"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/reconcile-tracer/tracer/cmd/tracer/internal/demotest"
	"github.com/reconcile-tracer/tracer/lessons"
	"github.com/reconcile-tracer/tracer/server/flow"
)

// TestLessons runs every lesson for real, as a user does, and faulty ones, all
// on one control plane; then one by the hub, as the page does.
func TestLessons(t *testing.T) {
	e := startDemo(t, t.TempDir())
	for _, l := range lessons.All() {
		t.Run(l.ID, func(t *testing.T) {
			out, err := e.lesson(t, l.ID)
			if err != nil || !strings.Contains(out, l.ID+" passed after ") {
				t.Fatalf("%v:\n%s", err, out)
			}
			e.noLessonLeft(t)
			e.beatsAreKept(t, l.ID, len(l.Beats))
		})
	}
	t.Run("a new lesson", func(t *testing.T) { e.newLesson(t) })
	files, err := filepath.Glob("testdata/lessons/*.yaml")
	if err != nil || len(files) < 5 {
		t.Fatalf("faulty lessons: %v, %v", files, err)
	}
	for _, file := range files {
		t.Run("faulty "+filepath.Base(file), func(t *testing.T) { e.faultyLesson(t, file) })
	}
	t.Run("by the hub", func(t *testing.T) { e.lessonByHub(t) })
	t.Run("the hub is killed", func(t *testing.T) { e.killedHub(t) })
}

func (e *demoEnv) lesson(t *testing.T, name string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(e.ctx, e.bin.Tracer, "lesson", "run", name, "--hub", "http://"+e.demo.Address,
		"--kubeconfig", filepath.Join(e.demo.Data, "kubeconfig"))
	cmd.Env = append(os.Environ(), "TRACER_TOKEN="+e.demo.Token, "TRACER_INGEST_TOKEN="+e.ingestToken(t))
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (e *demoEnv) ingestToken(t *testing.T) string {
	t.Helper()
	return strings.TrimSpace(read(t, filepath.Join(e.demo.Data, "hub", "ingest-token")))
}

// noLessonLeft checks that the namespaces of lessons are gone.
func (e *demoEnv) noLessonLeft(t *testing.T) {
	t.Helper()
	if left := e.lessonNamespaces(t); len(left) > 0 {
		t.Errorf("namespaces %v are left", left)
	}
}

func (e *demoEnv) lessonNamespaces(t *testing.T) []string {
	t.Helper()
	cfg, err := clientcmd.BuildConfigFromFlags("", filepath.Join(e.demo.Data, "kubeconfig"))
	if err != nil {
		t.Fatal(err)
	}
	all, err := kubernetes.NewForConfigOrDie(cfg).CoreV1().Namespaces().List(e.ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range all.Items {
		if name := all.Items[i].Name; strings.HasPrefix(name, "lesson-") {
			names = append(names, name)
		}
	}
	return names
}

// beatsAreKept checks that the history holds each beat of a lesson, over.
func (e *demoEnv) beatsAreKept(t *testing.T, id string, n int) {
	t.Helper()
	rows, err := demotest.Rows[flow.Beat](e.ctx, e.demo, url.Values{"row": {"beat"}})
	if err != nil {
		t.Fatal(err)
	}
	over := map[int]bool{}
	for _, r := range rows {
		if r.Lesson == id && r.To >= r.Done && r.Done >= r.From && r.From > 0 && r.Words != "" && r.Of == n {
			over[r.N] = true
		}
	}
	if len(over) != n {
		t.Errorf("the history holds %d beats of %s that are over, want %d: %+v", len(over), id, n, rows)
	}
}

func (e *demoEnv) newLesson(t *testing.T) {
	file := filepath.Join(t.TempDir(), "my-first.yaml")
	if out, err := exec.CommandContext(e.ctx, e.bin.Tracer, "lesson", "new", file).CombinedOutput(); err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	if out, err := e.lesson(t, file); err != nil || !strings.Contains(out, "my-first passed after ") {
		t.Fatalf("%v:\n%s", err, out)
	}
}

// faultyLesson runs a lesson that cannot pass: it must say what its first line
// wants, and leave nothing.
func (e *demoEnv) faultyLesson(t *testing.T, file string) {
	first, _, _ := strings.Cut(read(t, file), "\n")
	want := strings.TrimPrefix(first, "# want: ")
	out, err := e.lesson(t, file)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitError {
		t.Errorf("it ended with %v, want status 1", err)
	}
	if !strings.Contains(out, want) {
		t.Errorf("said:\n%s\nwant:\n%s", out, want)
	}
	e.noLessonLeft(t)
}
