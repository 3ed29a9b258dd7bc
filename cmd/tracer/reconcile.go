package main

import (
	"context"
	"errors"
	"net/url"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/klog/v2"

	"github.com/reconcile-tracer/tracer/reconciler"
	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
	"github.com/reconcile-tracer/tracer/tracer"
)

// flushTimeout is how long the last spans may take to get to the hub.
const flushTimeout = 500 * time.Millisecond

// maxDrain leaves an orderly end the time for the rest, see lastMoment.
const maxDrain = 8 * time.Second

// reconcileOptions are the flags of `tracer reconcile`.
type reconcileOptions struct {
	cluster     cluster
	namespace   string
	workers     int
	resync      time.Duration
	installCRD  bool
	leaderElect bool
	endpoint    string
	control     bool
	drain       time.Duration
	bug         string
	withParent  bool
	log         logOptions
	io          streams
}

func newReconcile(io streams) *cobra.Command {
	o := reconcileOptions{io: io}
	cmd := &cobra.Command{
		Use:   "reconcile",
		Short: "Run the reference controller, traced, against a cluster",
		Long: `Run the reference controller: it keeps as many Pods as each PodSet asks for. It
is traced: with --endpoint it sends a span for each phase of its loop to a hub
('tracer serve'), or to any other receiver of OTLP. A hub that is down does not
stop it.

The hub's ingest token goes into the environment, as for every sender of OTLP:
OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20<token>"

With --control the hub's page may hold its workers before each phase, step
through a reconcile, and let its requests fail on purpose. That takes the hub's
control token, in TRACER_CONTROL_TOKEN. When the hub goes away, everything is
lifted within a second; no worker is held for longer than 10 minutes; leases are
renewed all the while. A PodSet may then also ask for the mistake hot-loop, for
itself alone and for at most 1,000 writes, by the annotation
demo.reconcile-tracer.io/mistake=hot-loop; whoever may edit it may ask. Without
--control the annotation means nothing.

` + bugHelp(),
		Example: `  # Against the current context; install the CRD first:
  tracer reconcile --install-crd --endpoint http://127.0.0.1:7780

  # Against a kind cluster, in one namespace only:
  tracer reconcile --context kind-kind --namespace demo

  # With a mistake, to see what comes of it:
  tracer reconcile --bug hot-loop --endpoint http://127.0.0.1:7780`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(); err != nil {
				return err
			}
			return o.run(cmd.Context())
		},
	}
	o.addFlags(cmd.Flags())
	return cmd
}

func (o *reconcileOptions) addFlags(f *pflag.FlagSet) {
	o.cluster.addFlags(f)
	f.StringVar(&o.namespace, "namespace", "", "the one namespace to work in (default: all)")
	f.IntVar(&o.workers, "workers", reconciler.DefaultWorkers, "how many PodSets are reconciled at once, 1 to 64")
	f.DurationVar(&o.resync, "resync", 0, "how often each PodSet is reconciled though nothing changed, at least 1s; 0 is never")
	f.BoolVar(&o.installCRD, "install-crd", false, "install the CustomResourceDefinition of PodSets first, or update it")
	f.BoolVar(&o.leaderElect, "leader-elect", false, "work only while holding the lease default/tracer-podset")
	f.StringVar(&o.endpoint, "endpoint", "", "where to send spans, for example http://127.0.0.1:7780 (default: OTEL_EXPORTER_OTLP_ENDPOINT; without either, nowhere)")
	f.BoolVar(&o.control, "control", false, "take the hub's commands: pause, step, faults; needs TRACER_CONTROL_TOKEN (also: TRACER_CONTROL=1)")
	f.DurationVar(&o.drain, "drain-timeout", reconciler.DefaultDrainTimeout, "how long reconciles under way may take to finish at the end, at most 8s")
	addBugFlag(f, &o.bug)
	addParentFlag(f, &o.withParent)
	o.log.addFlags(f)
}

// check finds what is wrong with the flags whatever the machine is like.
func (o *reconcileOptions) check() error {
	if o.workers < 1 || o.workers > 64 {
		return usagef("--workers %d: must be between 1 and 64 (%d is the default)", o.workers, reconciler.DefaultWorkers)
	}
	if o.resync != 0 && o.resync < time.Second {
		return usagef("--resync %s: must be 0, which is never, or at least 1s", o.resync)
	}
	if o.drain <= 0 || o.drain > maxDrain {
		return usagef("--drain-timeout %s: must be more than 0 and at most %s (%s is the default)", o.drain, maxDrain, reconciler.DefaultDrainTimeout)
	}
	if err := checkNamespace(o.namespace); err != nil {
		return err
	}
	return errors.Join(checkBug(o.bug), o.checkEndpoint(), o.log.check())
}

func (o *reconcileOptions) checkEndpoint() error {
	if o.endpoint != "" {
		u, err := url.Parse(o.endpoint)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return usagef("--endpoint %q: not a URL (give http or https, for example http://127.0.0.1:7780)", o.endpoint)
		}
	}
	return nil
}

func (o *reconcileOptions) run(ctx context.Context) (err error) {
	ctx, stop := lifetime(ctx, parentOf(o.withParent, o.io))
	defer stop()
	cluster, err := o.cluster.config()
	if err != nil {
		return err
	}
	if err := cluster.reach(); err != nil {
		return err
	}
	log := o.log.logger(o.io.err)
	klog.SetSlogLogger(log) // what client-go has to say
	t, err := tracer.Start(ctx, tracer.Config{
		Controller: reconciler.ControllerName, For: v1alpha1.PodSetKind,
		Workers: o.workers, Endpoint: o.endpoint, Logger: log,
		Control: o.control,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, flush(ctx, t)) }()
	if o.bug != "" {
		log.Warn("making a mistake on purpose", "bug", o.bug)
	}
	log.Info("reconciling", "cluster", cluster.name, "server", cluster.Host, "traced", t.Enabled())
	return orderly(ctx, reconciler.Run(ctx, reconciler.Options{
		Config:         cluster.Config,
		Workers:        o.workers,
		Resync:         o.resync,
		Namespace:      o.namespace,
		LeaderElection: reconciler.LeaderElection{Enabled: o.leaderElect},
		Tracer:         t,
		InstallCRD:     o.installCRD,
		DrainTimeout:   o.drain,
		Bug:            o.bug,
		AskedMistakes:  o.takesCommands() && t.Enabled(),
		Logger:         log,
	}))
}

// takesCommands says whether the tracer takes them, by the flag or the environment.
func (o *reconcileOptions) takesCommands() bool {
	switch os.Getenv("TRACER_CONTROL") {
	case "1", "true":
		return true
	case "0", "false":
		return false
	}
	return o.control
}

// flush sends what is left, though ctx has ended: that is when it is called. A hub that does not take it is no failure.
func flush(ctx context.Context, t *tracer.Tracer) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTimeout)
	defer cancel()
	if err := t.Shutdown(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}
