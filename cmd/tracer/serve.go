package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/reconcile-tracer/tracer/actions"
	"github.com/reconcile-tracer/tracer/lessons"
	lessoncluster "github.com/reconcile-tracer/tracer/lessons/cluster"
	"github.com/reconcile-tracer/tracer/lessons/engine"
	"github.com/reconcile-tracer/tracer/lessons/play"
	"github.com/reconcile-tracer/tracer/server"
)

// serveOptions are the flags of `tracer serve`.
type serveOptions struct {
	hub     server.Config
	share   shareOptions
	cluster cluster
	// player plays lessons by lessonHub, this hub; nil without a cluster.
	player     *play.Player
	lessonHub  play.Remote
	showLesson func(state any)
	// lessonCluster knows what the lessons of a hub that was killed have left; nil
	// without a cluster.
	lessonCluster *lessoncluster.Cluster
	withParent    bool
	// grpcChosen: the address of OTLP over gRPC was given.
	grpcChosen bool
	// reach asks whether the cluster answers; nil without one.
	reach func(time.Duration) error
	log   logOptions
	io    streams
}

func newServe(io streams) *cobra.Command {
	o := serveOptions{io: io}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the hub: take spans in, show the loop to browsers",
		Long: `Run the hub. Instrumented controllers send it their spans by OTLP, over HTTP on
the page's own port and over gRPC on another; it keeps them in a journal in the
data folder and shows them to browsers, live.

One line, "ready: <login url>", goes to standard output when the page can be
opened; logs go to standard error. With a cluster, which --kubeconfig or
--context name, the page can also create, scale, change and delete PodSets.

A controller sends with
  OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:7780
  OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20<ingest token>"
Tokens that are not given are made at the first start and kept in the data
folder, in the files "token", "viewer-token", "ingest-token" and "control-token".
One that is given has 16 characters at least, as 'openssl rand -hex 16' makes.
With the last one a controller takes commands from the page (pause, step, faults):
  TRACER_CONTROL=1 TRACER_CONTROL_TOKEN=<control token>

It listens on this machine only, unless told otherwise; then it needs TLS, or
--insecure-behind-proxy.

` + shareHelp + ` That of --tls-cert serves
viewers too.`,
		Example: `  tracer serve

  # With a cluster to act on from the page, and tokens that you choose:
  export TRACER_TOKEN=$(openssl rand -hex 16) TRACER_INGEST_TOKEN=$(openssl rand -hex 16)
  tracer serve --kubeconfig ~/.kube/config --context kind-kind

  # For others on the network:
  tracer serve --listen 0.0.0.0:7780 --allow-host tracer.example.test \
    --tls-cert tls.crt --tls-key tls.key

  # For a course site that shows the map, read-only, in a frame:
  tracer serve --embed-ancestor https://course.example`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.grpcChosen = cmd.Flags().Changed("otlp-grpc")
			if err := o.check(); err != nil {
				return err
			}
			return o.run(cmd.Context())
		},
	}
	o.addFlags(cmd)
	return cmd
}

func (o *serveOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.hub.Listen, "listen", "127.0.0.1:7780", "the address of the page and of OTLP over HTTP; port 0 takes a free one")
	f.StringVar(&o.hub.OTLPGRPC, "otlp-grpc", "127.0.0.1:4317", "the address of OTLP over gRPC; port 0 takes a free one, off is none (default: 127.0.0.1:4317, or none when that is in use)")
	f.Lookup("otlp-grpc").DefValue = ""
	f.StringVar(&o.hub.Data, "data", "", "the folder of the journal and the tokens (default: "+dataFolderHelp("hub")+")")
	tokenFlag(f, &o.hub.Token, "token", "TRACER_TOKEN", "the presenter's token")
	tokenFlag(f, &o.hub.IngestToken, "ingest-token", "TRACER_INGEST_TOKEN", "the token of controllers")
	tokenFlag(f, &o.hub.ControlToken, "control-token", "TRACER_CONTROL_TOKEN", "the token of controllers that take the presenter's commands")
	f.Var((*words)(&o.hub.AllowedHosts), "allow-host", "a further name, or name:port, by which browsers may call the hub; may be repeated")
	embedFlag(f, &o.hub.EmbedAncestors)
	f.StringVar(&o.hub.TLSCert, "tls-cert", "", "the TLS certificate, a file in PEM")
	f.StringVar(&o.hub.TLSKey, "tls-key", "", "its key, a file in PEM")
	f.BoolVar(&o.hub.InsecureBehindProxy, "insecure-behind-proxy", false, "allow plain HTTP on any address, because something in front of the hub does TLS")
	o.share.addFlags(f, shareAutoServe)
	o.addClusterFlags(f)
	addParentFlag(f, &o.withParent)
	o.log.addFlags(f)
}

func (o *serveOptions) addClusterFlags(f *pflag.FlagSet) {
	f.StringVar(&o.cluster.kubeconfig, "kubeconfig", "", "the kubeconfig of the cluster that the page acts on (default: none, or where --context is)")
	f.StringVar(&o.cluster.context, "context", "", "the context in it (default: its current one)")
}

// check finds what is wrong with the flags whatever the machine is like; more of
// it is found by the hub itself, see server.ConfigError.
func (o *serveOptions) check() error {
	o.hub.Token = or(o.hub.Token, os.Getenv("TRACER_TOKEN"))
	o.hub.IngestToken = or(o.hub.IngestToken, os.Getenv("TRACER_INGEST_TOKEN"))
	o.hub.ControlToken = or(o.hub.ControlToken, os.Getenv("TRACER_CONTROL_TOKEN"))
	if err := errors.Join(o.checkShare(), checkAddress("listen", o.hub.Listen)); err != nil {
		return err
	}
	if o.hub.OTLPGRPC != "off" {
		if err := checkAddress("otlp-grpc", o.hub.OTLPGRPC); err != nil {
			return err
		}
	}
	return o.log.check()
}

// checkShare checks what viewers need, and tells the hub of it.
func (o *serveOptions) checkShare() error {
	if err := o.share.check(server.Tokens{Presenter: o.hub.Token, Ingest: o.hub.IngestToken, Control: o.hub.ControlToken}); err != nil {
		return err
	}
	o.hub.Share, o.hub.ShareViewers, o.hub.ViewerToken = o.share.address, o.share.viewers, o.share.token
	o.hub.ShareTLSCert, o.hub.ShareTLSKey = o.share.tlsCert, o.share.tlsKey
	if o.hub.Share == shareAuto {
		o.hub.Share = server.ShareDefault
	}
	return nil
}

func (o *serveOptions) run(ctx context.Context) error {
	ctx, stop := lifetime(ctx, parentOf(o.withParent, o.io))
	defer stop()
	o.hub.Version = buildVersion()
	o.hub.Recordings = withLessons()
	o.hub.Log = o.log.logger(o.io.err)
	if err := errors.Join(o.chooseFolder(), o.findCluster()); err != nil {
		return err
	}
	o.settleGRPC(ctx)
	ready := make(chan struct{})
	o.hub.OnReady = func() { close(ready) }
	began := time.Now()
	serving, stopServing := o.closeInOrder(ctx)
	defer stopServing()
	hub, err := server.New(serving, o.hub)
	if err != nil {
		return orderly(ctx, err)
	}
	o.lessonHub.URL, o.lessonHub.Client, o.showLesson = server.LocalURL, hub.Local(), hub.ShowLesson
	o.hub.Log.Info("the hub listens", "page", hub.URL(), "viewers", hub.ShareAddr(), "grpc", hub.GRPCAddr(), "data", o.hub.Data)
	if err := writeHubAddress(o.hub.Data, hub.URL()); err != nil {
		o.hub.Log.Warn("commands on this machine will not find the hub by its folder", "error", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- hub.Run(serving) }()
	select {
	case <-ready:
		o.tidy(ctx, began)
		o.sayAttach(hub)
		fmt.Fprintf(o.io.out, "ready: %s\n", hub.LoginURL())
		o.tryCluster()
		return orderly(ctx, <-ended)
	case err := <-ended:
		return orderly(ctx, err)
	}
}

// closeInOrder returns a context for the hub that ends after ctx: once the
// player is closed, whose last beat and lifts the hub still takes. Stop ends it
// in any case, and returns when the player is closed.
func (o *serveOptions) closeInOrder(ctx context.Context) (_ context.Context, stop func()) {
	serving, end := context.WithCancel(context.WithoutCancel(ctx))
	var closing sync.WaitGroup
	closing.Go(func() {
		select {
		case <-ctx.Done():
		case <-serving.Done():
		}
		if o.player != nil {
			o.player.Close()
		}
		end()
	})
	return serving, func() {
		end()
		closing.Wait()
	}
}

// tidy ends the beats that a hub of this folder has left open which was killed
// before began, tells the room of its lesson, and takes away what its lessons
// have left. Whatever cannot be taken away now is, when the next lesson begins.
func (o *serveOptions) tidy(ctx context.Context, began time.Time) {
	ctx, cancel := context.WithTimeout(ctx, tidyWithin)
	defer cancel()
	// The hub's own, and not that of a `lesson run`.
	mine := func(run string) bool { return o.lessonCluster != nil && o.lessonCluster.Left(run) }
	open, err := o.lessonHub.EndBeats(ctx, began, mine)
	if err != nil {
		o.hub.Log.Warn("the beats of a lesson that had not ended are left open", "error", err)
	}
	if o.lessonCluster == nil {
		return
	}
	for _, beat := range open {
		if mine(beat.Run) {
			o.player.Ended(beat)
		}
	}
	names, err := o.lessonCluster.RemoveLeft(ctx)
	if err != nil {
		o.hub.Log.Warn("a lesson's namespace was left", "error", err)
	}
	if len(names) > 0 {
		o.hub.Log.Info("namespaces of lessons that had not ended are removed", "namespaces", names)
	}
}

// tidyWithin bounds how long tidy keeps the start waiting, and, once the hub has
// said that it is ready, how long the cluster is asked whether it is there.
const tidyWithin = 3 * time.Second

// sayAttach is for who started this by hand; under a supervisor nobody reads it.
func (o *serveOptions) sayAttach(hub *server.Hub) {
	if o.withParent {
		return
	}
	say := o.io.sayer("serve")
	say("%s", attachLines(hub.URL(), hub.Kept()))
	if lines := shareLines(hub.ViewerLinks(), writesToTerminal(o.io.err)); lines != "" {
		say("%s", lines)
	}
}

// settleGRPC does without OTLP over gRPC where its usual port is in use, as by a
// collector: HTTP is enough.
func (o *serveOptions) settleGRPC(ctx context.Context) {
	if o.grpcChosen || o.hub.OTLPGRPC == "off" {
		return
	}
	if _, err := tryAddress(ctx, o.hub.OTLPGRPC); err != nil {
		o.hub.Log.Warn("the hub takes no OTLP over gRPC (choose another address with --otlp-grpc, or say off)", "error", err)
		o.hub.OTLPGRPC = "off"
	}
}

// tryCluster says when the cluster does not answer. The hub goes on: it is of use
// without, and the cluster may come.
func (o *serveOptions) tryCluster() {
	if o.reach == nil {
		return
	}
	if err := o.reach(tidyWithin); err != nil {
		o.hub.Log.Warn("the page cannot act on the cluster, nor play lessons on it, until it answers", "error", err)
	}
}

func (o *serveOptions) chooseFolder() (err error) {
	if o.hub.Data == "" {
		o.hub.Data, err = dataFolder("hub")
	}
	return err
}

// findCluster wires the page's actions when a cluster was asked for. Whether it
// answers is no condition: the hub is of use without.
func (o *serveOptions) findCluster() error {
	if o.cluster == (cluster{}) {
		return nil
	}
	found, err := o.cluster.config()
	if err != nil {
		return err
	}
	acts, err := actions.New(found.Config)
	if err != nil {
		return fmt.Errorf("%s: %w (mend it, or choose another with --kubeconfig and --context)", found.name, err)
	}
	o.hub.Actions, o.hub.Cluster, o.reach = acts, found.short, found.reachWithin
	return o.wireLessons(found)
}

// wireLessons lets the hub play lessons on the cluster.
func (o *serveOptions) wireLessons(found target) error {
	acts, err := lessoncluster.New(found.Config)
	if err != nil {
		return fmt.Errorf("%s: %w (mend it, or choose another with --kubeconfig and --context)", found.name, err)
	}
	acts.Keep(filepath.Join(o.hub.Data, "lessons"), o.hub.Log)
	o.lessonCluster = acts
	o.player = play.New(play.Config{Hub: &o.lessonHub, Cluster: acts, Lessons: lessons.All(), Log: o.hub.Log,
		// No lesson begins before the hub is there.
		OnChange: func(s *engine.State) { o.showLesson(s) }})
	o.hub.Lessons = o.player
	return nil
}
