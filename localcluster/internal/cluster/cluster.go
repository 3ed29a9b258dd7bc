// Package cluster starts, watches and stops the parts of a local Kubernetes
// cluster: the control plane and the controller manager as child processes, the
// nodes in this process.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/reconcile-tracer/tracer/localcluster/internal/datadir"
)

// Options say what cluster to run.
type Options struct {
	// Data is the folder that keeps the cluster; empty for a temporary one.
	Data string
	// Kubeconfig is where the kubeconfig is written; empty for the data folder.
	Kubeconfig string
	// LogDir is the folder of the children's logs; empty for the data folder's.
	LogDir string
	// Port is the API server's port; 0 for the last one or a free one.
	Port int
	// Nodes is the number of fake nodes, 0 for none.
	Nodes int
	// Controllers is kube-controller-manager's --controllers; empty for none.
	Controllers string
	// TracingEndpoint is the host:port of an OTLP gRPC receiver without TLS for the
	// spans of the API server and etcd; empty for none.
	TracingEndpoint string
	// TracingSampling is how many of a million requests the API server traces
	// though no privileged client asked for it, 0 to MaxSampling.
	TracingSampling int
	// APIServerArgs and ControllerManagerArgs are further flags of these programs.
	APIServerArgs, ControllerManagerArgs []string
}

// Output receives what happens. Its functions are called from one goroutine.
type Output struct {
	// Progress is told of each step that is done.
	Progress func(step string)
	// Ready is called once, when kubectl works, with the path of the kubeconfig.
	Ready func(kubeconfig string)
}

// MaxSampling is a TracingSampling that traces every request.
const MaxSampling = 1_000_000

// lockPatience is how long Run waits for a folder that is in use: the children of
// a localcluster that was killed need up to two seconds to end.
const lockPatience = 3 * time.Second

// Run runs a cluster until ctx ends and returns nil then, or an error when it
// could not start or a part of it failed. When Run returns, every child has ended.
func Run(ctx context.Context, o Options, out Output) (err error) {
	dir, err := openData(ctx, o.Data)
	if err != nil {
		return endOf(ctx, err)
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	c, err := prepare(ctx, o, dir)
	if err != nil {
		return err
	}
	c.out = out
	defer func() {
		c.stop()
		out.Progress("stopped")
	}()
	if err := c.start(ctx); err != nil {
		return endOf(ctx, err)
	}
	out.Ready(c.kubeconfig)
	err = c.watch(ctx)
	out.Progress("stopping")
	return endOf(ctx, err)
}

// endOf turns the consequences of being asked to stop into nil.
func endOf(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	return nil
}

func openData(ctx context.Context, path string) (*datadir.Dir, error) {
	ctx, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	if path == "" {
		return datadir.OpenTemporary(ctx)
	}
	return datadir.Open(ctx, path)
}

// watch returns when ctx ends or when a part of the cluster ends, with the reason.
func (c *cluster) watch(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-c.controlPlane.Done():
		return c.controlPlane.Failure()
	case <-doneOf(c.controllers):
		return c.controllers.Failure()
	case err := <-c.agentEnded:
		return fmt.Errorf("the fake nodes ended: %w", err)
	}
}
