// Package controllers is the child process that holds the Kubernetes controller
// manager: Deployments, ReplicaSets, Jobs, service accounts, garbage collection.
package controllers

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/util/wait"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/rest"
	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app/config"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app/options"

	"github.com/reconcile-tracer/tracer/localcluster/internal/child"
)

// Command is the word with which the parent starts this child.
const Command = "kube-controller-manager"

// Started is announced when the API server is ready and the controllers start.
const Started = "controllers started"

// Limit is how long the child may take to stop.
const Limit = 700 * time.Millisecond

const readyPoll = 50 * time.Millisecond

// Default is the list for --controllers: those that make sense without cloud,
// volumes and metrics.
const Default = "deployment-controller,replicaset-controller,replicationcontroller-controller," +
	"statefulset-controller,daemonset-controller,job-controller,cronjob-controller," +
	"garbage-collector-controller,pod-garbage-collector-controller,namespace-controller," +
	"serviceaccount-controller,serviceaccount-token-controller,root-ca-certificate-publisher-controller," +
	"endpointslice-controller,disruption-controller,resourcequota-controller," +
	"ttl-after-finished-controller,clusterrole-aggregation-controller"

// Main runs kube-controller-manager with its usual flags until the parent ends or
// asks to stop. It is started together with the API server, does its slow
// preparations meanwhile, and waits until that is ready.
func Main(args []string) error {
	ctx := child.Context(Limit)
	cfg, err := configure(ctx, args)
	if err != nil {
		return fmt.Errorf("kube-controller-manager: %w", err)
	}
	if !waitForAPIServer(ctx, cfg) {
		return nil // asked to stop before there was anything to do
	}
	child.Announce(Started)
	if err := run(ctx, cfg); err != nil && ctx.Err() == nil {
		return fmt.Errorf("kube-controller-manager: %w", err)
	}
	return nil
}

// run returns when ctx ends, or when the controllers or the garbage collector fail.
func run(ctx context.Context, cfg *config.Config) error {
	group, ctx := errgroup.WithContext(ctx)
	if takeOverGC(cfg) {
		group.Go(func() error { return collectGarbage(ctx, cfg) })
	}
	group.Go(func() error { return app.Run(ctx, cfg.Complete()) })
	return group.Wait()
}

func configure(ctx context.Context, args []string) (*config.Config, error) {
	opts, err := options.NewKubeControllerManagerOptions()
	if err != nil {
		return nil, err
	}
	sets := opts.Flags(app.KnownControllers(), app.ControllersDisabledByDefault(), app.ControllerAliases())
	opts.ParsedFlags = &sets
	fs := pflag.NewFlagSet(Command, pflag.ContinueOnError)
	for _, named := range sets.FlagSets {
		fs.AddFlagSet(named)
	}
	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	if err := opts.ComponentGlobalsRegistry.Set(); err != nil {
		return nil, err
	}
	rest.SetDefaultWarningHandler(rest.NoWarnings{})
	if err := logsapi.ValidateAndApply(opts.Logs, utilfeature.DefaultFeatureGate); err != nil {
		return nil, err
	}
	return opts.Config(ctx, app.KnownControllers(), app.ControllersDisabledByDefault(), app.ControllerAliases())
}

// waitForAPIServer polls faster than the controller manager itself, which looks
// once a second. It reports false when ctx ended first.
func waitForAPIServer(ctx context.Context, cfg *config.Config) bool {
	client := cfg.Client.Discovery().RESTClient()
	err := wait.PollUntilContextCancel(ctx, readyPoll, true, func(ctx context.Context) (bool, error) {
		return client.Get().AbsPath("/readyz").Do(ctx).Error() == nil, nil
	})
	return err == nil
}
