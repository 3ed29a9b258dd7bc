package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"github.com/reconcile-tracer/tracer/localcluster/internal/cluster"
	"github.com/reconcile-tracer/tracer/localcluster/internal/controllers"
)

// upFlags are the flags of "up" as they are written.
type upFlags struct {
	cluster.Options
	ephemeral      bool
	exitWithParent bool
	help           bool
}

func newUpFlags() (*upFlags, *pflag.FlagSet) {
	f := &upFlags{}
	fs := pflag.NewFlagSet("up", pflag.ContinueOnError)
	fs.SortFlags = false
	fs.Usage = func() {}
	fs.StringVar(&f.Data, "data", "", "`folder` that keeps the cluster between starts; made when it does not exist")
	fs.BoolVar(&f.ephemeral, "ephemeral", false, "keep nothing: a temporary folder that is removed at the end (the default without --data)")
	fs.StringVar(&f.Kubeconfig, "kubeconfig", "", "`file` to write the kubeconfig to (default <data>/kubeconfig)")
	fs.IntVar(&f.Port, "port", 0, "`port` of the API server on 127.0.0.1; 0 for the one of the last start, else a free one")
	fs.IntVar(&f.Nodes, "nodes", 1, "`number` of fake nodes; 0 for none")
	fs.StringVar(&f.Controllers, "controllers", controllers.Default, "`list` of kube-controller-manager's controllers; '*' for its default, none for no controller manager")
	fs.StringVar(&f.TracingEndpoint, "tracing-endpoint", "", "`host:port` of an OTLP gRPC receiver without TLS that gets the spans of the API server and etcd")
	fs.IntVar(&f.TracingSampling, "tracing-sampling", 0, "how many of a million requests are traced though nobody privileged asked for it; spans of other users need it")
	fs.StringVar(&f.LogDir, "log-dir", "", "`folder` for the logs of the parts (default <data>/logs)")
	fs.StringArrayVar(&f.APIServerArgs, "apiserver-flag", nil, "a further `flag` for kube-apiserver, as --name=value; may be repeated")
	fs.StringArrayVar(&f.ControllerManagerArgs, "controller-manager-flag", nil, "a further `flag` for kube-controller-manager; may be repeated")
	fs.BoolVar(&f.exitWithParent, "exit-with-parent", false, "also end when standard input ends, for programs that start localcluster with a pipe")
	fs.BoolVarP(&f.help, "help", "h", false, "print this text")
	return f, fs
}

func up(args []string, stdout, stderr io.Writer) error {
	f, fs := newUpFlags()
	if err := fs.Parse(args); err != nil {
		return usageError{err}
	}
	if f.help {
		fmt.Fprint(stdout, upHelp, fs.FlagUsagesWrapped(100), upHelpEnd)
		return nil
	}
	if err := f.check(fs); err != nil {
		return usageError{err}
	}
	ctx, cancel := f.context()
	defer cancel()
	return cluster.Run(ctx, f.Options, newOutput(stdout, stderr))
}

// check finds mistakes that need no look at the machine.
func (f *upFlags) check(fs *pflag.FlagSet) error {
	if fs.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q: up takes flags only", fs.Arg(0))
	}
	if fs.Changed("data") && f.Data == "" {
		return errors.New("--data is empty: name a folder, or leave it out for a cluster that is forgotten at the end")
	}
	if f.ephemeral && f.Data != "" {
		return errors.New("--data and --ephemeral exclude each other: use one of them")
	}
	if f.Port < 0 || f.Port > 65535 {
		return fmt.Errorf("--port %d is not a port: use 1 to 65535, or 0 for a free one", f.Port)
	}
	if f.Nodes < 0 || f.Nodes > cluster.MaxNodes {
		return fmt.Errorf("--nodes %d is out of range: use 0 to %d", f.Nodes, cluster.MaxNodes)
	}
	if f.Controllers == "" {
		return errors.New("--controllers is empty: name controllers, or none for no controller manager")
	}
	if f.Controllers == "none" {
		f.Controllers = ""
	}
	return f.checkTracing()
}

func (f *upFlags) checkTracing() error {
	if f.TracingSampling < 0 || f.TracingSampling > cluster.MaxSampling {
		return fmt.Errorf("--tracing-sampling %d is out of range: use 0 to %d", f.TracingSampling, cluster.MaxSampling)
	}
	if f.TracingEndpoint == "" && f.TracingSampling > 0 {
		return errors.New("--tracing-sampling is set, but nothing gets the spans: name a receiver with --tracing-endpoint")
	}
	if f.TracingEndpoint == "" {
		return nil
	}
	host, port, err := net.SplitHostPort(f.TracingEndpoint)
	number, perr := strconv.Atoi(port)
	if err != nil || perr != nil || host == "" || number < 1 || number > 65535 {
		return fmt.Errorf("--tracing-endpoint %q is not host:port: use for example 127.0.0.1:4317", f.TracingEndpoint)
	}
	return nil
}

// context returns a context that ends when the user, or the parent, wants this
// process to end. A second signal then ends it at once.
func (f *upFlags) context() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	ctx, cancel := context.WithCancel(ctx)
	context.AfterFunc(ctx, stop)
	if f.exitWithParent {
		// A parent that is gone reads no more: writing to it must not end us before
		// the cluster is stopped.
		signal.Ignore(syscall.SIGPIPE)
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			cancel()
		}()
	}
	return ctx, cancel
}

// newOutput prints progress for people and the one line for programs.
func newOutput(stdout, stderr io.Writer) cluster.Output {
	begin := time.Now()
	return cluster.Output{
		Progress: func(step string) {
			fmt.Fprintf(stderr, "%5.1f s  %s\n", time.Since(begin).Seconds(), step)
		},
		Ready: func(kubeconfig string) {
			fmt.Fprintf(stdout, "ready: %s\n", kubeconfig)
		},
	}
}
