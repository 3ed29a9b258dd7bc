package cluster

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	c.Keep(dir)
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
	if names, err := first.RemoveLeft(t.Context()); len(names) > 0 || err != nil {
		t.Fatalf("what is in use was removed: %v, %v", names, err)
	}
	ended := endedProcess(t)
	write(t, dir, entry{"lesson-left", runs[0].uid, ended, time.Now()})
	write(t, dir, entry{"lesson-used", runs[1].uid, os.Getppid(), time.Now()})
	if err := os.Remove(filepath.Join(dir, string(runs[2].uid)+ledgerEnd)); err != nil {
		t.Fatal(err)
	}
	write(t, dir, entry{"lesson-anew", "an-earlier-one", ended, time.Now()})
	write(t, dir, entry{"lesson-elsewhere", "long-ago", ended, time.Now().Add(-2 * forgetAfter)})

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
	for uid, want := range map[types.UID]bool{runs[0].uid: false, runs[1].uid: true, "an-earlier-one": true, "long-ago": false} {
		if _, err := os.Stat(filepath.Join(dir, string(uid)+ledgerEnd)); (err == nil) != want {
			t.Errorf("the entry of %s is there: %v, want %v", uid, err == nil, want)
		}
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
	if err := run.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("afterwards the ledger has %v", files)
	}
}
