package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/reconcile-tracer/tracer/server"
)

// demoOptions are the flags of `tracer demo`.
type demoOptions struct {
	listen       string
	data         string
	ephemeral    bool
	token        string
	ingest       string
	control      string
	open         bool
	localcluster string
	bug          string
	share        shareOptions
	embed        []string
	io           streams
}

func newDemo(io streams) *cobra.Command {
	o := demoOptions{io: io}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run everything on this machine: a real control plane, the hub, the reconciler, the page",
		Long: `Run everything on this machine, with no Docker and no cluster: a real Kubernetes
control plane (localcluster), the hub ('tracer serve') and the reference
controller ('tracer reconcile') with a sample PodSet, and open the page.

One line, "ready: <login url>", goes to standard output when the page can be
opened; progress goes to standard error, the logs of the three to the folder
"logs" in the data folder. One that dies is started again. Ctrl-C ends
everything. All of it listens on this machine only, but the viewers' address of
--share.

History, objects, the page's address and its tokens are kept in the data folder
and are there again at the next start. kubectl works with the file "kubeconfig"
in it. A controller of your own attaches to the same hub: the lines that it
needs are printed at the start.

The reconciler takes commands: from the page, or with POST /api/v1/control, you
hold its workers, step through a reconcile, and let requests fail on purpose.
When the hub goes away, all of that is lifted within a second.

` + bugHelp() + "\n\n" + shareHelp,
		Example: `  tracer demo
  kubectl --kubeconfig ~/.local/share/tracer/demo/kubeconfig get podsets --watch

  # Leave nothing behind:
  tracer demo --ephemeral

  # With a mistake in the controller:
  tracer demo --bug swallowed-error

  # For a class: others watch, by a link and its QR code.
  tracer demo --share

  # For a script:
  TRACER_TOKEN=$(openssl rand -hex 16) tracer demo --open=false --listen 127.0.0.1:7780 --data ./demo`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(); err != nil {
				return err
			}
			return o.run(cmd.Context())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.listen, "listen", "", "the page's address, on this machine; port 0 takes a free one (default: 127.0.0.1 and the port of the last start, else a free one)")
	f.StringVar(&o.data, "data", "", "the folder of everything that is kept (default: "+dataFolderHelp("demo")+")")
	f.BoolVar(&o.ephemeral, "ephemeral", false, "keep everything in a temporary folder and remove it at the end")
	tokenFlag(f, &o.token, "token", "TRACER_TOKEN", "the presenter's token (default: made at the first start and kept)")
	tokenFlag(f, &o.ingest, "ingest-token", "TRACER_INGEST_TOKEN", "the token of controllers (default: made at the first start and kept)")
	tokenFlag(f, &o.control, "control-token", "TRACER_CONTROL_TOKEN", "the token of controllers that take the presenter's commands (default: made at the first start and kept)")
	f.BoolVar(&o.open, "open", true, "open the page in the browser")
	o.share.addFlags(f, shareAutoKept)
	embedFlag(f, &o.embed)
	f.StringVar(&o.localcluster, "localcluster", "", "the localcluster program (default: beside tracer, else on PATH)")
	addBugFlag(f, &o.bug)
	return cmd
}

// run keeps the demo running until ctx ends or Ctrl-C; then, and after any
// failure, nothing of it is left.
func (o *demoOptions) run(ctx context.Context) (err error) {
	ctx, stop := lifetime(ctx, nil)
	defer stop()
	program, err := findLocalcluster(o.localcluster)
	if err != nil {
		return err
	}
	folder, err := openFolder(ctx, o.data, o.ephemeral)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.close()) }()
	if err := checkOwnKubeconfig(folder.kubeconfig()); err != nil {
		return err
	}
	address, err := folder.settleAddress(ctx, o.listen, o.io.sayer("demo"))
	if err != nil {
		return err
	}
	if err := o.share.settle(ctx, folder, o.io.sayer("demo")); err != nil {
		return err
	}
	// The API server and etcd are told it before the hub is there.
	grpc, err := settleAddress(ctx, anyPort)
	if err != nil {
		return err
	}
	d, err := newDemoRun(o, folder, program, addresses{page: address, grpc: grpc})
	if err != nil {
		return err
	}
	return d.run(ctx)
}

// run starts the three, announces the page, and ends them in order.
func (d *demoRun) run(ctx context.Context) error {
	ctx, d.fail = context.WithCancelCause(ctx)
	defer d.fail(nil)
	d.say("data folder %s", d.folder.path)
	defer d.end()
	err := d.bringUp(ctx)
	if err == nil {
		<-ctx.Done()
	}
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, errAsked):
		d.say("ending")
		return nil
	case cause != nil:
		return cause
	}
	return err
}

// bringUp returns when the page can be opened.
func (d *demoRun) bringUp(ctx context.Context) error {
	login, err := d.bringUpLoop(ctx)
	if err != nil {
		return err
	}
	if err := d.ensureSample(ctx); err != nil {
		return err
	}
	if d.bug != "" {
		d.say("the reconciler makes a mistake on purpose: %s (tracer demo --help says more)", d.bug)
	}
	d.sayAttach()
	d.say("and to the demo's cluster:\n  export KUBECONFIG='%s'", d.folder.kubeconfig())
	if err := d.sayShare(); err != nil {
		return err
	}
	fmt.Fprintf(d.io.out, "ready: %s\n", login)
	if d.open {
		d.openPage(ctx, login)
	}
	return nil
}

// bringUpLoop starts the three and returns the page's address when Pods can be
// made and the hub hears the reconciler.
func (d *demoRun) bringUpLoop(ctx context.Context) (login string, err error) {
	if err := d.settleTokens(); err != nil {
		return "", err
	}
	kubeconfig := d.folder.watchKubeconfig() // it is written once the API server answers
	d.cluster = d.keep(d.clusterChild(), nil)
	if err := kubeconfig.wait(ctx); err != nil {
		return "", err
	}
	d.hub = d.keep(d.hubChild(), nil)
	if login, err = d.hub.awaitReady(ctx); err != nil {
		return "", err
	}
	if err := d.takePageToken(); err != nil {
		return "", err
	}
	d.reconciler = d.keep(d.reconcilerChild(), d.awaitAttached)
	if _, err := d.reconciler.awaitReady(ctx); err != nil {
		return "", err
	}
	// A Pod cannot be made before the controller manager has made the default
	// service account: the sample is not to begin with an error.
	_, err = d.cluster.awaitReady(ctx)
	return login, err
}

// check finds what is wrong with the flags whatever the machine is like.
func (o *demoOptions) check() error {
	o.token = or(o.token, os.Getenv("TRACER_TOKEN"))
	o.ingest = or(o.ingest, os.Getenv("TRACER_INGEST_TOKEN"))
	o.control = or(o.control, os.Getenv("TRACER_CONTROL_TOKEN"))
	if err := o.share.check(server.Tokens{Presenter: o.token, Ingest: o.ingest, Control: o.control}); err != nil {
		return err
	}
	if err := errors.Join(checkBug(o.bug), checkEmbed(o.embed)); err != nil {
		return err
	}
	if o.listen != "" {
		if err := checkAddress("listen", o.listen); err != nil {
			return err
		}
		if err := checkLoopback("the demo", o.listen); err != nil {
			return err
		}
	}
	if o.ephemeral && o.data != "" {
		return usagef("--ephemeral and --data %q: one keeps nothing, the other keeps it there (leave one of them out)", o.data)
	}
	return nil
}
