// Package clustertest gives tests a real Kubernetes API server: one run of the
// localcluster binary for each test package, started by TestMain and gone with
// it. Each test works in a namespace of its own.
//
//	func TestMain(m *testing.M) { os.Exit(clustertest.Main(m)) }
//
//	func TestSomething(t *testing.T) {
//		cluster := clustertest.Get(t)
//		namespace := cluster.Namespace(t)
//		…
//	}
package clustertest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// EnvBinary names the localcluster binary; without it bin/localcluster of the
// checkout is taken.
const EnvBinary = "LOCALCLUSTER_BIN"

const (
	startTimeout = 2 * time.Minute
	stopTimeout  = 15 * time.Second
	ready        = "ready: "
)

// Cluster is a running control plane with a fake node. It is safe for
// concurrent use.
type Cluster struct {
	// Kubeconfig is the path of the administrator's kubeconfig.
	Kubeconfig string
	config     *rest.Config
}

// Config returns a configuration of the caller's own, an administrator's.
func (c *Cluster) Config() *rest.Config { return rest.CopyConfig(c.config) }

// current is the cluster of this test process; tests read it through Get.
var current *Cluster

// Main starts the cluster, runs the tests, ends the cluster, and returns the
// exit status. Goroutines that are left over after the tests fail it.
func Main(m *testing.M) int {
	process, err := start()
	if err != nil {
		fmt.Fprintf(os.Stderr, "clustertest: %v\n", err)
		return 1
	}
	current = process.cluster
	code := m.Run()
	if err := process.stop(); err != nil {
		fmt.Fprintf(os.Stderr, "clustertest: %v\n", err)
		return 1
	}
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintf(os.Stderr, "clustertest: goroutines are left over: %v\n", err)
		return 1
	}
	return code
}

// Get returns the cluster that Main has started, and fails t without one.
func Get(t testing.TB) *Cluster {
	t.Helper()
	if current == nil {
		t.Fatal("clustertest: no cluster: call clustertest.Main from TestMain")
	}
	return current
}

// process is the localcluster child. It ends, too, when its standard input
// does, which happens however this process ends.
type process struct {
	cluster *Cluster
	cmd     *exec.Cmd
	stdin   io.Closer
	folder  string
	log     *bytes.Buffer
	exited  chan error
}

func start() (*process, error) {
	binary, err := findBinary()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "clustertest-")
	if err != nil {
		return nil, fmt.Errorf("making a folder: %w", err)
	}
	p := &process{folder: folder, log: &bytes.Buffer{}, exited: make(chan error, 1)}
	if err := p.launch(binary); err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	return p, nil
}

func (p *process) launch(binary string) error {
	p.cmd = exec.CommandContext(context.Background(), binary, "up", "--ephemeral", "--exit-with-parent",
		"--kubeconfig", filepath.Join(p.folder, "kubeconfig"))
	p.cmd.Stderr = p.log
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("starting %s: %w", binary, err)
	}
	p.stdin = stdin
	output, err := p.cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("starting %s: %w", binary, err)
	}
	if err := p.cmd.Start(); err != nil {
		return fmt.Errorf("starting %s: %w", binary, err)
	}
	lines := make(chan string, 1)
	go p.read(output, lines)
	return p.await(lines)
}

// read hands on the path of the kubeconfig, and then reaps the process.
func (p *process) read(output io.Reader, lines chan<- string) {
	scanner := bufio.NewScanner(output)
	for scanner.Scan() {
		if path, ok := strings.CutPrefix(scanner.Text(), ready); ok {
			lines <- path
		}
	}
	p.exited <- p.cmd.Wait()
}

func (p *process) await(lines <-chan string) error {
	select {
	case path := <-lines:
		config, err := clientcmd.BuildConfigFromFlags("", path)
		if err != nil {
			return errors.Join(fmt.Errorf("reading %s: %w", path, err), p.end())
		}
		config.QPS, config.Burst = 500, 1000
		p.cluster = &Cluster{Kubeconfig: path, config: config}
		return nil
	case err := <-p.exited:
		return fmt.Errorf("localcluster ended before it was ready: %w\n%s", err, p.log)
	case <-time.After(startTimeout):
		return errors.Join(p.end(), fmt.Errorf("localcluster was not ready within %v\n%s", startTimeout, p.log))
	}
}

func (p *process) stop() error {
	return errors.Join(p.end(), os.RemoveAll(p.folder))
}

// end asks the process to end, and makes it after a while.
func (p *process) end() error {
	defer p.stdin.Close()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("stopping localcluster: %w\n%s", err, p.log)
	}
	select {
	case err := <-p.exited:
		if err != nil {
			return fmt.Errorf("stopping localcluster: %w\n%s", err, p.log)
		}
		return nil
	case <-time.After(stopTimeout):
		err := p.cmd.Process.Kill()
		// Until it has exited its log is still being written.
		return fmt.Errorf("localcluster did not stop within %v: %w\n%s", stopTimeout, errors.Join(err, <-p.exited), p.log)
	}
}

// findBinary looks beside the root module's go.mod, which is above the package
// under test.
func findBinary() (string, error) {
	if path := os.Getenv(EnvBinary); path != "" {
		return path, nil
	}
	folder, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("looking for localcluster: %w", err)
	}
	for {
		path := filepath.Join(folder, "bin", "localcluster")
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return "", fmt.Errorf("there is no bin/localcluster: run make build, or name the binary with %s", EnvBinary)
		}
		folder = parent
	}
}
