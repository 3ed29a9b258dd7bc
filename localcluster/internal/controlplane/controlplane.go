// Package controlplane is the child process that holds etcd and the Kubernetes
// API server.
package controlplane

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/spf13/pflag"

	"github.com/reconcile-tracer/tracer/localcluster/internal/child"
)

// Command is the word with which the parent starts this child.
const Command = "control-plane"

// EtcdReady is announced when etcd answers.
const EtcdReady = "etcd ready"

// Limit is how long the child may take to stop.
const Limit = 1800 * time.Millisecond

// drain is how much of it the API server may use; the rest is etcd's.
const drain = 1200 * time.Millisecond

// listenerFD is the file descriptor of the API server's listening socket: the
// parent opened it, so that a taken port is known before anything is started.
const listenerFD = 3

// Options are the child's own flags.
type Options struct {
	// EtcdData is the folder of etcd's data.
	EtcdData string
	// EtcdSocket is the path of etcd's Unix socket.
	EtcdSocket string
	// NoFsync lets etcd write without waiting for the disk.
	NoFsync bool
	// TracingEndpoint is the host:port that gets etcd's spans; empty for none.
	TracingEndpoint string
	// Remove are temporary folders that are removed when the child ends because its
	// parent was killed.
	Remove []string
}

// Args is the inverse of Main: the arguments that start a control plane with o
// and with these flags of kube-apiserver.
func Args(o Options, apiserver []string) []string {
	args := []string{Command, "--etcd-data", o.EtcdData, "--etcd-socket", o.EtcdSocket}
	if o.NoFsync {
		args = append(args, "--no-fsync")
	}
	if o.TracingEndpoint != "" {
		args = append(args, "--tracing-endpoint", o.TracingEndpoint)
	}
	for _, folder := range o.Remove {
		args = append(args, "--remove", folder)
	}
	return append(append(args, "--"), apiserver...)
}

// Main runs etcd and the API server until the parent ends or asks to stop.
func Main(args []string) error {
	ctx := child.Context(Limit)
	var o Options
	fs := pflag.NewFlagSet(Command, pflag.ContinueOnError)
	fs.StringVar(&o.EtcdData, "etcd-data", "", "")
	fs.StringVar(&o.EtcdSocket, "etcd-socket", "", "")
	fs.BoolVar(&o.NoFsync, "no-fsync", false, "")
	fs.StringVar(&o.TracingEndpoint, "tracing-endpoint", "", "")
	fs.StringArrayVar(&o.Remove, "remove", nil, "")
	if err := fs.Parse(args); err != nil {
		return err
	}
	listener, err := inheritedListener()
	if err != nil {
		return err
	}
	return run(ctx, o, fs.Args(), listener)
}

func run(ctx context.Context, o Options, apiserver []string, listener net.Listener) error {
	defer removeTemporary(ctx, o)
	etcd, err := startEtcd(ctx, o)
	if err != nil {
		return err
	}
	child.Announce(EtcdReady)
	stopped := make(chan error, 1)
	go func() { stopped <- runAPIServer(ctx, apiserver, listener) }()
	select {
	case err = <-stopped:
	case lost := <-etcd.Err():
		err = fmt.Errorf("running etcd: %w", lost)
	case <-ctx.Done():
		err = waitFor(stopped, drain)
	}
	etcd.Close()
	return err
}

// waitFor waits for the API server to end. Clients that keep their watches open
// must not hold it up: the process ends anyhow.
func waitFor(stopped <-chan error, limit time.Duration) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case err := <-stopped:
		return err
	case <-timer.C:
		return nil
	}
}

func inheritedListener() (net.Listener, error) {
	f := os.NewFile(listenerFD, "listener")
	if f == nil {
		return nil, errors.New("no listening socket was given: this command is started by localcluster up only")
	}
	defer func() { _ = f.Close() }()
	l, err := net.FileListener(f)
	if err != nil {
		return nil, fmt.Errorf("using the listening socket (this command is started by localcluster up only): %w", err)
	}
	return l, nil
}

// removeTemporary does what the parent can no longer do.
func removeTemporary(ctx context.Context, o Options) {
	if !child.ParentGone(ctx) {
		return
	}
	for _, folder := range o.Remove {
		_ = os.RemoveAll(folder)
	}
}
