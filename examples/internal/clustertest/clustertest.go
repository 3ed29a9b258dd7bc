// Package clustertest gives tests a real Kubernetes API server: one run of the
// localcluster binary for a test package, started by TestMain and gone with it.
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
	startWithin = 2 * time.Minute
	stopWithin  = 15 * time.Second
	ready       = "ready: "
)

// config and kubeconfig are an administrator's; tests get them through Config and
// Kubeconfig.
var (
	config     *rest.Config
	kubeconfig string
)

// Config returns an administrator's configuration, the caller's own.
func Config(t testing.TB) *rest.Config {
	t.Helper()
	if config == nil {
		t.Fatal("clustertest: no cluster: call clustertest.Main from TestMain")
	}
	return rest.CopyConfig(config)
}

// Kubeconfig is the path of the administrator's kubeconfig.
func Kubeconfig(t testing.TB) string {
	t.Helper()
	Config(t)
	return kubeconfig
}

// Main starts the cluster, runs the tests, ends the cluster, and returns the
// exit status. Goroutines that are left over fail it.
func Main(m *testing.M) int {
	code, err := run(m)
	if err != nil {
		fmt.Fprintf(os.Stderr, "clustertest: %v\n", err)
		return 1
	}
	return code
}

func run(m *testing.M) (code int, err error) {
	folder, err := os.MkdirTemp("", "clustertest-")
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	c, err := start(folder)
	if err != nil {
		return 1, err
	}
	code = m.Run()
	if err := c.stop(); err != nil || code != 0 {
		return code, err
	}
	if err := goleak.Find(); err != nil {
		return 1, fmt.Errorf("goroutines are left over: %w", err)
	}
	return 0, nil
}

// cluster is the localcluster child. It ends, too, when its standard input
// does, which happens however this process ends.
type cluster struct {
	cmd    *exec.Cmd
	stdin  io.Closer
	log    bytes.Buffer
	exited chan error
}

func start(folder string) (*cluster, error) {
	binary, err := findBinary()
	if err != nil {
		return nil, err
	}
	c := &cluster{exited: make(chan error, 1)}
	c.cmd = exec.CommandContext(context.Background(), binary, "up", "--ephemeral", "--exit-with-parent", "--kubeconfig", filepath.Join(folder, "kubeconfig"))
	c.cmd.Stderr = &c.log
	stdin, err1 := c.cmd.StdinPipe()
	stdout, err2 := c.cmd.StdoutPipe()
	if err := errors.Join(err1, err2, c.cmd.Start()); err != nil {
		return nil, fmt.Errorf("starting %s: %w", binary, err)
	}
	c.stdin = stdin
	lines := make(chan string, 1)
	go c.read(stdout, lines)
	return c, c.await(lines)
}

// read hands on the path of the kubeconfig, and then reaps the process.
func (c *cluster) read(output io.Reader, lines chan<- string) {
	scanner := bufio.NewScanner(output)
	for scanner.Scan() {
		if path, ok := strings.CutPrefix(scanner.Text(), ready); ok {
			lines <- path
		}
	}
	c.exited <- c.cmd.Wait()
}

func (c *cluster) await(lines <-chan string) error {
	select {
	case path := <-lines:
		cfg, err := clientcmd.BuildConfigFromFlags("", path)
		if err != nil {
			return errors.Join(err, c.stop())
		}
		cfg.QPS, cfg.Burst = 500, 1000
		config, kubeconfig = cfg, path
		return nil
	case err := <-c.exited:
		return fmt.Errorf("localcluster ended before it was ready: %w\n%s", err, c.log.String())
	case <-time.After(startWithin):
		return errors.Join(fmt.Errorf("localcluster was not ready within %v", startWithin), c.stop())
	}
}

// stop asks the process to end, and makes it after a while.
func (c *cluster) stop() error {
	defer c.stdin.Close()
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("stopping localcluster: %w", err)
	}
	select {
	case err := <-c.exited:
		return err
	case <-time.After(stopWithin):
		return errors.Join(fmt.Errorf("localcluster did not stop within %v", stopWithin), c.cmd.Process.Kill())
	}
}

// findBinary looks in the folders above the package under test.
func findBinary() (string, error) {
	if path := os.Getenv(EnvBinary); path != "" {
		return path, nil
	}
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		if path := filepath.Join(folder, "bin", "localcluster"); fileExists(path) {
			return path, nil
		}
	}
	return "", fmt.Errorf("there is no bin/localcluster: run make build, or name the binary with %s", EnvBinary)
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
