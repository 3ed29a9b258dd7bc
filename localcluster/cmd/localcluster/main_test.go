package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/reconcile-tracer/tracer/localcluster/internal/version"
)

// binary is the localcluster under test: LOCALCLUSTER_BIN, or one that TestMain
// builds.
var binary string

func TestMain(m *testing.M) {
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	if binary = os.Getenv("LOCALCLUSTER_BIN"); binary == "" {
		dir, err := os.MkdirTemp("", "localcluster-test-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer func() { _ = os.RemoveAll(dir) }()
		binary = filepath.Join(dir, "localcluster")
		if err := build(binary); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	defer stopShared()
	return m.Run()
}

// build links with the stamps of build.mk.
func build(path string) error {
	const stamp = "k8s.io/component-base/version."
	kube := kubernetesOfModule()
	v, err := version.ParseMinor(kube)
	if err != nil {
		return err
	}
	flags := fmt.Sprintf("-s -w -X %sgitVersion=%s -X %sgitMajor=%d -X %sgitMinor=%d", stamp, kube, stamp, v.Major, stamp, v.Minor)
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", flags, "-o", path, ".")
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building localcluster: %w\n%s", err, out)
	}
	return nil
}

// kubernetesOfModule asks the go command, because a test binary does not always
// list its modules.
func kubernetesOfModule() string {
	cmd := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "k8s.io/kubernetes")
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

// instance is a running "localcluster up".
type instance struct {
	cmd        *exec.Cmd
	stdin      io.WriteCloser
	kubeconfig string
	done       chan struct{} // closed when it has ended
	stderr     *lockedBuffer
}

// launch starts "localcluster up" and waits for its ready line. The cluster ends
// with the test process, even when that is killed.
func launch(env []string, args ...string) (*instance, error) {
	args = append([]string{"up", "--exit-with-parent"}, args...)
	i := &instance{cmd: exec.Command(binary, args...), done: make(chan struct{}), stderr: &lockedBuffer{}}
	i.cmd.Env = append(os.Environ(), env...)
	i.cmd.Stderr = i.stderr
	var err error
	if i.stdin, err = i.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := i.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := i.cmd.Start(); err != nil {
		return nil, err
	}
	lines := make(chan string, 1)
	go func() {
		defer close(i.done)
		scanner := bufio.NewScanner(stdout)
		for scanner.Scan() {
			lines <- scanner.Text()
		}
		close(lines)
		_ = i.cmd.Wait() // its state is read from cmd.ProcessState
	}()
	return i, i.awaitReady(lines)
}

func (i *instance) awaitReady(lines <-chan string) error {
	select {
	case line, open := <-lines:
		path, isReady := strings.CutPrefix(line, "ready: ")
		if !open || !isReady {
			<-i.done
			return fmt.Errorf("no ready line but %q; standard error:\n%s", line, i.stderr)
		}
		i.kubeconfig = path
		return nil
	case <-time.After(2 * time.Minute):
		_ = i.cmd.Process.Kill()
		return fmt.Errorf("not ready after 2 minutes; standard error:\n%s", i.stderr)
	}
}

// start is launch for tests: it fails the test and stops the cluster at its end.
func start(t *testing.T, args ...string) *instance {
	t.Helper()
	i, err := launch(nil, args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { i.stop(t) })
	return i
}

// stop sends SIGTERM and expects a clean end within 5 seconds.
func (i *instance) stop(t *testing.T) {
	t.Helper()
	_ = i.cmd.Process.Signal(syscall.SIGTERM) // may have ended already
	i.awaitEnd(t)
}

func (i *instance) awaitEnd(t *testing.T) {
	t.Helper()
	select {
	case <-i.done:
	case <-time.After(5 * time.Second):
		_ = i.cmd.Process.Kill()
		t.Fatalf("localcluster still ran after 5 s; standard error:\n%s", i.stderr)
	}
}

func (i *instance) exitCode() int { return i.cmd.ProcessState.ExitCode() }

// client returns a client for a context of the kubeconfig, "" for the current one.
func (i *instance) client(t *testing.T, contextName string) (kubernetes.Interface, *rest.Config) {
	t.Helper()
	cfg, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		&clientcmd.ClientConfigLoadingRules{ExplicitPath: i.kubeconfig},
		&clientcmd.ConfigOverrides{CurrentContext: contextName}).ClientConfig()
	if err != nil {
		t.Fatal(err)
	}
	cfg.QPS = -1
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return client, cfg
}

var shared struct {
	once     sync.Once
	instance *instance
	err      error
}

// sharedCluster is one cluster for all tests that only use it; each takes a
// namespace of its own.
func sharedCluster(t *testing.T) *instance {
	t.Helper()
	shared.once.Do(func() { shared.instance, shared.err = launch(nil, "--nodes", "2") })
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.instance
}

func stopShared() {
	if i := shared.instance; i != nil {
		_ = i.cmd.Process.Signal(syscall.SIGTERM)
		<-i.done
	}
}

// lockedBuffer is a buffer that a process writes while a test reads it.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
