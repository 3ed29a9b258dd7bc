package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"k8s.io/klog/v2"

	"github.com/reconcile-tracer/tracer/localcluster/internal/child"
	"github.com/reconcile-tracer/tracer/localcluster/internal/controllers"
	"github.com/reconcile-tracer/tracer/localcluster/internal/controlplane"
	"github.com/reconcile-tracer/tracer/localcluster/internal/kubeconfig"
	"github.com/reconcile-tracer/tracer/localcluster/internal/nodes"
)

// start brings every part up and returns when kubectl works.
func (c *cluster) start(ctx context.Context) error {
	if err := c.startChildren(); err != nil {
		return err
	}
	ctx, cancel := c.failing(ctx)
	defer cancel()
	client, err := c.newClient()
	if err != nil {
		return err
	}
	if err := c.awaitAPIServer(ctx, client); err != nil {
		return err
	}
	agent, err := c.startAgent()
	if err != nil {
		return err
	}
	if err := bindUser(ctx, client); err != nil {
		return reason(ctx, err)
	}
	if err := c.writeKubeconfig(); err != nil {
		return err
	}
	if err := c.awaitControllers(ctx, client); err != nil {
		return err
	}
	return c.awaitNodes(ctx, agent)
}

// startChildren starts both children at once: the controller manager prepares
// itself while the API server starts.
func (c *cluster) startChildren() error {
	defer func() { _ = c.listener.Close() }()
	if err := c.startControlPlane(); err != nil {
		return err
	}
	if c.opts.Controllers == "" {
		return nil
	}
	return c.startControllers()
}

func (c *cluster) startControlPlane() error {
	args, err := c.controlPlaneArgs()
	if err != nil {
		return err
	}
	spec := child.Spec{
		Name:   "control-plane",
		Args:   args,
		Files:  []*os.File{c.listener, c.dir.Lock()},
		LogDir: c.logs,
	}
	if os.Getenv("OTEL_BSP_SCHEDULE_DELAY") == "" {
		spec.Env = append(spec.Env, "OTEL_BSP_SCHEDULE_DELAY=50") // ms; its default of 5 s is not live
	}
	c.controlPlane, err = child.Start(spec)
	return err
}

func (c *cluster) startControllers() error {
	path := filepath.Join(c.dir.PKI(), "controller-manager.kubeconfig")
	user := kubeconfig.User{Name: "system:kube-controller-manager", Pair: c.creds.controller}
	if err := kubeconfig.Write(path, c.server, c.creds.authority.CertPEM(), user); err != nil {
		return err
	}
	var err error
	c.controllers, err = child.Start(child.Spec{
		Name:   controllers.Command,
		Args:   c.controllerArgs(path),
		LogDir: c.logs,
	})
	return err
}

func (c *cluster) writeKubeconfig() error {
	return kubeconfig.Write(c.kubeconfig, c.server, c.creds.authority.CertPEM(),
		kubeconfig.User{Name: adminName, Pair: c.creds.admin},
		kubeconfig.User{Name: userName, Pair: c.creds.user})
}

// startAgent runs the fake nodes in this process until the cluster stops. With 0
// nodes it still runs: it says on Pods why they wait.
func (c *cluster) startAgent() (*nodes.Agent, error) {
	log, err := c.redirectLog()
	if err != nil {
		return nil, err
	}
	agent, err := nodes.New(kubeconfig.Client(c.server, c.creds.authority.CertPEM(), c.creds.nodes), c.opts.Nodes, log)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		err := agent.Run(ctx)
		if ctx.Err() == nil {
			c.agentEnded <- errors.Join(err, errors.New("they stopped by themselves"))
		}
	}()
	c.stopAgent = func() { cancel(); <-ended }
	return agent, nil
}

// redirectLog sends what the nodes and the client library of this process have to
// say to a file: standard error is for people.
func (c *cluster) redirectLog() (*slog.Logger, error) {
	f, err := os.OpenFile(filepath.Join(c.logs, "nodes.log"), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the nodes' log: %w", err)
	}
	log := slog.New(slog.NewTextHandler(f, nil))
	klog.SetSlogLogger(log)
	return log, nil
}

// stop ends every part in order: first those that write, then the API server and
// etcd. It is safe for parts that were never started.
func (c *cluster) stop() {
	var writers sync.WaitGroup
	writers.Go(c.stopAgent)
	writers.Go(func() { c.controllers.Stop(controllers.Limit + killMargin) })
	writers.Wait()
	c.controlPlane.Stop(controlplane.Limit + killMargin)
	if c.socketDir != "" {
		_ = os.RemoveAll(c.socketDir)
	}
}

// killMargin is added to a child's own limit before it is killed.
const killMargin = 200 * time.Millisecond
