package cluster

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/reconcile-tracer/tracer/internal/clustertest"
)

// keeping makes a Cluster that keeps its ledger in a folder.
func keeping(t *testing.T, dir string) *Cluster {
	t.Helper()
	c, err := New(clustertest.Get(t).Config())
	if err != nil {
		t.Fatal(err)
	}
	c.Keep(dir, nil)
	return c
}

// write puts an entry into a ledger, as a process of that id would.
func write(t *testing.T, dir string, e entry) {
	t.Helper()
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, string(e.UID)+ledgerEnd), text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// endedProcess is the id of a process that has ended.
func endedProcess(t *testing.T) int {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "LOCALCLUSTER_BIN=/nowhere")
	_ = cmd.Run() // however it ends
	return cmd.ProcessState.Pid()
}

// What a process that was killed has left is taken away, and nothing else: not
// what another one still uses, nor a namespace that somebody has made under the
// same name.
func TestRemoveLeft(t *testing.T) {
	dir := t.TempDir()
	first := keeping(t, dir)
	var runs []*Run
	for _, name := range []string{"lesson-left", "lesson-used", "lesson-anew"} {
		run, err := first.Begin(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = run.kube.CoreV1().Namespaces().Delete(context.Background(), run.Namespace, metav1.DeleteOptions{})
		})
		runs = append(runs, run)
	}
	do(t, runs[0], "      - apply: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, finalizers: [example.test/lesson]}}\n")
	if names, err := first.RemoveLeft(t.Context()); len(names) > 0 || err != nil {
		t.Fatalf("what is in use was removed: %v, %v", names, err)
	}
	ended := endedProcess(t)
	write(t, dir, entry{Namespace: "lesson-left", UID: runs[0].uid, Process: ended, Made: time.Now()})
	write(t, dir, entry{Namespace: "lesson-used", UID: runs[1].uid, Process: os.Getppid(), Made: time.Now()})
	if err := os.Remove(filepath.Join(dir, string(runs[2].uid)+ledgerEnd)); err != nil {
		t.Fatal(err)
	}
	write(t, dir, entry{Namespace: "lesson-anew", UID: "an-earlier-one", Process: ended, Made: time.Now()})
	write(t, dir, entry{Namespace: "lesson-elsewhere", UID: "long-ago", Process: ended, Made: time.Now().Add(-2 * forgetAfter)})

	names, err := keeping(t, dir).RemoveLeft(t.Context())
	if err != nil || !slices.Equal(names, []string{"lesson-left"}) {
		t.Errorf("removed %v, %v, want lesson-left", names, err)
	}
	for _, c := range []struct {
		name string
		gone bool
	}{{"lesson-left", true}, {"lesson-used", false}, {"lesson-anew", false}} {
		now, err := first.kube.CoreV1().Namespaces().Get(t.Context(), c.name, metav1.GetOptions{})
		if gone := apierrors.IsNotFound(err) || err == nil && now.DeletionTimestamp != nil; gone != c.gone {
			t.Errorf("%s is gone: %v, want %v (%v)", c.name, gone, c.gone, err)
		}
	}
	// Its entry stays until it is gone, which its finalizer does not keep it from.
	again := keeping(t, dir)
	if names, err := again.RemoveLeft(t.Context()); err != nil || len(names) > 0 {
		t.Errorf("the second time it removed %v, %v, want nothing new", names, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), goneWithin)
	defer cancel()
	if !poll(ctx, func() bool {
		_, _ = again.RemoveLeft(ctx)
		return !noted(dir, runs[0])
	}) {
		t.Error("lesson-left is not gone, or its entry stays")
	}
	for uid, want := range map[types.UID]bool{runs[0].uid: false, runs[1].uid: true, "an-earlier-one": true, "long-ago": false} {
		if _, err := os.Stat(filepath.Join(dir, string(uid)+ledgerEnd)); (err == nil) != want {
			t.Errorf("the entry of %s is there: %v, want %v", uid, err == nil, want)
		}
	}
}

// remove takes the namespace and all in it away, and waits until it is gone.
func (r *Run) remove(ctx context.Context) error {
	if err := r.Leave(ctx); err != nil {
		return err
	}
	return r.AwaitGone(ctx)
}

// noted says whether the ledger in a folder has a run.
func noted(dir string, r *Run) bool {
	_, err := os.Stat(filepath.Join(dir, string(r.uid)+ledgerEnd))
	return err == nil
}

// What stays after a lesson is tried again when the next one begins.
func TestLeaveIsNotForgotten(t *testing.T) {
	dir := t.TempDir()
	c := keeping(t, dir)
	run, err := c.Begin(t.Context(), "lesson-stays")
	if err != nil {
		t.Fatal(err)
	}
	// The lesson does not know of this one.
	do(t, &Run{Cluster: c, Namespace: run.Namespace}, "      - apply: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, finalizers: [example.test/lesson]}}\n")
	if err := run.Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !noted(dir, run) {
		t.Error("its entry has gone, and its namespace has not")
	}
	if next, err := c.Begin(t.Context(), "lesson-next"); err != nil {
		t.Error(err)
	} else if err := next.remove(t.Context()); err != nil {
		t.Error(err)
	}
	if err := run.AwaitGone(t.Context()); err != nil {
		t.Error(err)
	}
	if noted(dir, run) {
		t.Error("its entry stays")
	}
}

// A namespace that somebody has made anew under a lesson's name is left alone,
// with all that is in it.
func TestLeaveKnowsTheNamespace(t *testing.T) {
	dir := t.TempDir()
	c := keeping(t, dir)
	run, err := c.Begin(t.Context(), "lesson-again")
	if err != nil {
		t.Fatal(err)
	}
	const makes = "      - apply: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, finalizers: [example.test/own]}}\n"
	do(t, run, makes)
	if err := run.remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	own := begin(t, "lesson-again")
	do(t, own, makes)
	if err := run.remove(t.Context()); err != nil {
		t.Error(err)
	}
	now, err := own.has(t.Context(), own.Namespace, own.uid)
	if err != nil || now == nil || now.DeletionTimestamp != nil || len(own.configMap(t, "a").Finalizers) != 1 {
		t.Errorf("somebody's own namespace is %+v, %v", now, err)
	}
}

// A lesson that ends leaves no entry.
func TestLedgerIsEmptyAfterwards(t *testing.T) {
	dir := t.TempDir()
	run, err := keeping(t, dir).Begin(t.Context(), "lesson-ends")
	if err != nil {
		t.Fatal(err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("while it is played the ledger has %v", files)
	}
	if err := run.remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("afterwards the ledger has %v", files)
	}
}

// An entry is never half written, and one that cannot be written anew is said.
func TestAnEntryIsWrittenWhole(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ledger")
	var said strings.Builder
	c := &Cluster{}
	c.Keep(dir, slog.New(slog.NewTextHandler(&said, nil)))
	e := entry{Namespace: "lesson-x", UID: "x", Process: endedProcess(t), Made: time.Now()}
	if err := c.ledger.note(e); err != nil {
		t.Fatal(err)
	}
	file, before := c.ledger.file(e.UID), filepath.Join(dir, "before")
	if err := os.Link(file, before); err != nil {
		t.Fatal(err)
	}
	run := &Run{Cluster: c, Namespace: e.Namespace, uid: e.UID}
	run.NoteCommands([]Command{{"podset", "one"}})
	if text, err := os.ReadFile(before); err != nil || strings.Contains(string(text), "podset") {
		t.Errorf("it is written in its place: %s, %v", text, err)
	}
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), "podset") || said.Len() > 0 {
		t.Errorf("it is not written anew: %s, %v, %s", text, err, &said)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if run.NoteCommands(nil); !strings.Contains(said.String(), "level=WARN") || !strings.Contains(said.String(), "lesson-x") {
		t.Errorf("the log says %q", said.String())
	}
}
