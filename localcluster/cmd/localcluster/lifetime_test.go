package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestListensOnLoopbackOnly(t *testing.T) {
	needsProc(t)
	pid := sharedCluster(t).cmd.Process.Pid
	found := 0
	for _, p := range append(childrenOf(t, pid), pid) {
		for _, address := range listening(t, p) {
			found++
			if !strings.HasPrefix(address, "0100007F:") {
				t.Errorf("process %d listens on %s, want 127.0.0.1 (0100007F) only", p, address)
			}
		}
	}
	if found != 1 {
		t.Errorf("%d TCP ports are open, want the API server's only", found)
	}
}

// TestDataIsKept goes through the life of a data folder: used, locked, stopped,
// used again, at the same port and with the same keys.
func TestDataIsKept(t *testing.T) {
	needsProc(t)
	data := filepath.Join(t.TempDir(), "data")
	first := start(t, "--data", data, "--nodes", "1")
	client, old := first.client(t, "")
	note := &v1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "note"}, Data: map[string]string{"text": "still here"}}
	if _, err := client.CoreV1().ConfigMaps("default").Create(t.Context(), note, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	expectFailure(t, 1, "locked by another localcluster (process ", "--data", data)

	children := childrenOf(t, first.cmd.Process.Pid)
	if len(children) != 2 {
		t.Fatalf("there are %d children, want the control plane and the controller manager", len(children))
	}
	first.stop(t)
	if first.exitCode() != 0 {
		t.Errorf("exit status %d after SIGTERM, want 0; standard error:\n%s", first.exitCode(), first.stderr)
	}
	awaitGone(t, children, 0)

	second := start(t, "--data", data, "--nodes", "1")
	// The client of the first start must reach the second.
	got, err := client.CoreV1().ConfigMaps("default").Get(t.Context(), "note", metav1.GetOptions{})
	if err != nil || got.Data["text"] != "still here" {
		t.Errorf("the ConfigMap is %v (%v) after the restart", got, err)
	}
	if _, now := second.client(t, ""); now.Host != old.Host {
		t.Errorf("the server moved from %s to %s", old.Host, now.Host)
	}
}

func TestKilledParentTakesChildrenAlongAndDataCanBeUsedAtOnce(t *testing.T) {
	needsProc(t)
	data := t.TempDir()
	i := start(t, "--data", data, "--nodes", "1")
	children := childrenOf(t, i.cmd.Process.Pid)
	if err := i.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-i.done
	again := start(t, "--data", data, "--nodes", "1")
	awaitGone(t, children, 5*time.Second)
	client, _ := again.client(t, "")
	if _, err := client.CoreV1().Nodes().Get(t.Context(), "node-1", metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
}

func TestTemporaryFolderIsRemoved(t *testing.T) {
	needsProc(t)
	for name, end := range map[string]syscall.Signal{"after SIGTERM": syscall.SIGTERM, "after kill -9": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			tmp := t.TempDir()
			i, err := launch([]string{"TMPDIR=" + tmp}, "--ephemeral", "--controllers", "none", "--nodes", "0")
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(i.kubeconfig, tmp) {
				t.Errorf("the kubeconfig is %s, want it in %s", i.kubeconfig, tmp)
			}
			children := childrenOf(t, i.cmd.Process.Pid)
			if err := i.cmd.Process.Signal(end); err != nil {
				t.Fatal(err)
			}
			i.awaitEnd(t)
			awaitGone(t, children, 5*time.Second)
			if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v (%v)", left, err)
			}
		})
	}
}

// TestDeepDataFolder has a path that is too long for a Unix socket in it.
func TestDeepDataFolder(t *testing.T) {
	tmp := t.TempDir()
	deep := filepath.Join(t.TempDir(), strings.Repeat("x", 120))
	i, err := launch([]string{"TMPDIR=" + tmp}, "--data", deep, "--controllers", "none", "--nodes", "0")
	if err != nil {
		t.Fatal(err)
	}
	i.stop(t)
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}

func TestEndsWithItsStandardInputWhenAsked(t *testing.T) {
	i := start(t, "--controllers", "none", "--nodes", "0")
	if err := i.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	i.awaitEnd(t)
	if i.exitCode() != 0 {
		t.Errorf("exit status %d, want 0; standard error:\n%s", i.exitCode(), i.stderr)
	}
}

func TestFailedPartEndsTheClusterAndShowsItsLog(t *testing.T) {
	needsProc(t)
	i := start(t, "--nodes", "0")
	for _, pid := range childrenOf(t, i.cmd.Process.Pid) {
		raw, err := os.ReadFile(filepath.Join("/proc", itoa(pid), "cmdline"))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(raw), "kube-controller-manager\x00") {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
		}
	}
	i.awaitEnd(t)
	if i.exitCode() != 1 {
		t.Errorf("exit status %d, want 1", i.exitCode())
	}
	for _, want := range []string{"kube-controller-manager ended: signal: killed", "the end of its log", "\n  I"} {
		if !strings.Contains(i.stderr.String(), want) {
			t.Errorf("standard error lacks %q:\n%s", want, i.stderr)
		}
	}
}
