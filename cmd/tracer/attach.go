package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/reconcile-tracer/tracer/cmd/tracer/internal/attach"
	"github.com/reconcile-tracer/tracer/deploy"
	"github.com/reconcile-tracer/tracer/server"
)

// attachOptions are the flags of `tracer attach`.
type attachOptions struct {
	cluster   cluster
	namespace string
	listen    string
	grpc      string
	data      string
	ephemeral bool
	token     string
	ingest    string
	control   string
	open      bool
	check     bool
	printRBAC bool
	uninstall bool
	yes       bool
	share     shareOptions
	embed     []string
	// terminal says whether a question can be asked.
	terminal func(io.Reader) bool
	io       streams
}

func newAttach(std streams) *cobra.Command {
	o := attachOptions{terminal: isTerminal, io: std}
	cmd := &cobra.Command{
		Use:   "attach",
		Short: "Attach to a cluster of yours: the hub, the reconciler, the page",
		Long: `Attach to a cluster of yours, a kind cluster for example: ask its API server what
this account may do, and say what is missing; install the CRD of PodSets; run the
hub ('tracer serve') and the reference controller ('tracer reconcile') on this
machine against it, and open the page.

One line, "ready: <login url>", goes to standard output when the page can be
opened; progress goes to standard error, the logs of the two to the folder "logs"
in the data folder. One that dies is started again. Ctrl-C ends both; what they
have put into the cluster stays there.

--uninstall takes it away again: the CRD, every PodSet in the cluster, and their
Pods. It lists them and asks first; without a terminal it needs --yes.

Your own controllers attach to the same hub, with the address and the token that
the progress names. Spans of the API server and of etcd are seen only where these
send them to --otlp-grpc, on this machine (docs/spans.md says how).

The reference controller takes the page's commands, and makes a mistake for a
PodSet that asks for it: one with the annotation
demo.reconcile-tracer.io/mistake=hot-loop has its status written over and over,
at most 1,000 times.

` + shareHelp,
		Example: `  tracer attach --context kind-kind

  # Only ask what this account may do:
  tracer attach --context kind-kind --check

  # Let an account do it, as an administrator:
  tracer attach --print-rbac | kubectl apply -f -
  kubectl create clusterrolebinding tracer-attach --clusterrole=tracer-attach --user=NAME

  # Take everything away again:
  tracer attach --context kind-kind --uninstall`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.checkFlags(); err != nil {
				return err
			}
			return o.run(cmd.Context())
		},
	}
	o.addFlags(cmd)
	return cmd
}

func (o *attachOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	o.cluster.addFlags(f)
	f.StringVar(&o.namespace, "namespace", "", "the one namespace that the reconciler works in (default: all)")
	f.StringVar(&o.listen, "listen", "", "the page's address, on this machine; port 0 takes a free one (default: that of the last start, else a free one)")
	f.StringVar(&o.grpc, "otlp-grpc", "off", "the address of OTLP over gRPC; port 0 takes a free one, off is none")
	f.StringVar(&o.data, "data", "", "the folder of the history and the logs (default: "+dataFolderHelp("attach/<context>")+")")
	f.BoolVar(&o.ephemeral, "ephemeral", false, "keep the history in a temporary folder and remove it at the end")
	tokenFlag(f, &o.token, "token", "TRACER_TOKEN", "the presenter's token (default: made at the first start and kept)")
	tokenFlag(f, &o.ingest, "ingest-token", "TRACER_INGEST_TOKEN", "the token of controllers (default: made at the first start and kept)")
	tokenFlag(f, &o.control, "control-token", "TRACER_CONTROL_TOKEN", "the token of controllers that take the presenter's commands (default: made at the first start and kept)")
	f.BoolVar(&o.open, "open", true, "open the page in the browser")
	o.share.addFlags(f, shareAutoKept)
	embedFlag(f, &o.embed)
	f.BoolVar(&o.check, "check", false, "ask what this account may do, print it, and attach nothing")
	f.BoolVar(&o.printRBAC, "print-rbac", false, "print the RBAC rules for an account that is to attach, for kubectl apply")
	f.BoolVar(&o.uninstall, "uninstall", false, "remove the CRD, all PodSets and their Pods from the cluster")
	f.BoolVar(&o.yes, "yes", false, "with --uninstall: do not ask")
}

// checkFlags finds what is wrong with the flags whatever the machine is like.
func (o *attachOptions) checkFlags() error {
	o.token = or(o.token, os.Getenv("TRACER_TOKEN"))
	o.ingest = or(o.ingest, os.Getenv("TRACER_INGEST_TOKEN"))
	o.control = or(o.control, os.Getenv("TRACER_CONTROL_TOKEN"))
	tokens := server.Tokens{Presenter: o.token, Ingest: o.ingest, Control: o.control}
	if err := errors.Join(o.share.check(tokens), checkNamespace(o.namespace), checkEmbed(o.embed)); err != nil {
		return err
	}
	if o.listen != "" {
		if err := checkAddress("listen", o.listen); err != nil {
			return err
		}
		if err := checkLoopback("attach", o.listen); err != nil {
			return err
		}
	}
	if o.grpc != "off" {
		if err := checkAddress("otlp-grpc", o.grpc); err != nil {
			return err
		}
	}
	if o.ephemeral && o.data != "" {
		return usagef("--ephemeral and --data %q: one keeps nothing, the other keeps it there (leave one of them out)", o.data)
	}
	return o.checkWhat()
}

// checkWhat checks the flags that say what to do.
func (o *attachOptions) checkWhat() error {
	only := 0
	for _, set := range []bool{o.check, o.printRBAC, o.uninstall} {
		if set {
			only++
		}
	}
	if only > 1 {
		return usagef("--check, --print-rbac and --uninstall are different things to do (give one of them)")
	}
	if o.yes && !o.uninstall {
		return usagef("--yes goes with --uninstall only: attaching asks nothing")
	}
	return nil
}

func (o *attachOptions) run(ctx context.Context) error {
	if o.printRBAC {
		_, err := o.io.out.Write(deploy.AttachRBAC)
		return err
	}
	ctx, stop := lifetime(ctx, nil)
	defer stop()
	found, err := o.cluster.config()
	if err != nil {
		return err
	}
	if err := found.reach(); err != nil {
		return err
	}
	if o.uninstall {
		return o.remove(ctx, found)
	}
	access, err := attach.Ask(ctx, found.Config, o.namespace, attach.Permissions())
	if err != nil {
		return orderly(ctx, fmt.Errorf("%s: %w", found.name, err))
	}
	if o.check {
		return o.report(access)
	}
	if err := o.admit(access); err != nil {
		return err
	}
	return o.attach(ctx, found, access.MayInstall())
}

// report prints all that was asked.
func (o *attachOptions) report(access attach.Access) error {
	if err := access.WriteTable(o.io.out, access.Answers); err != nil {
		return err
	}
	missing := access.Missing()
	if len(missing) > 0 {
		fmt.Fprint(o.io.err, access.Remedy())
	}
	return lacking(access.User, missing)
}

// admit says what is missing; what can be done without does not keep it out.
func (o *attachOptions) admit(access attach.Access) error {
	missing, lacks := access.Missing(), access.Lacks()
	if len(missing)+len(lacks) == 0 {
		return nil
	}
	if err := access.WriteTable(o.io.err, append(missing, lacks...)); err != nil {
		return err
	}
	if len(missing) > 0 {
		fmt.Fprint(o.io.err, access.Remedy())
	}
	return lacking(access.User, missing)
}

func lacking(user string, missing []attach.Answer) error {
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("forbidden: %s lacks %s that it needs, see above (--check prints all)", or(user, "this account"), count(len(missing), "permission"))
}

// attach keeps the two running until ctx ends or Ctrl-C.
func (o *attachOptions) attach(ctx context.Context, found target, install bool) (err error) {
	if o.data == "" && !o.ephemeral {
		if o.data, err = dataFolder("attach/" + fileName(found.short)); err != nil {
			return err
		}
	}
	folder, err := openFolder(ctx, o.data, o.ephemeral)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.close()) }()
	address, err := folder.settleAddress(ctx, o.listen, o.io.sayer("attach"))
	if err != nil {
		return err
	}
	if err := o.share.settle(ctx, folder, o.io.sayer("attach")); err != nil {
		return err
	}
	a, err := newAttachRun(o, folder, found, address)
	if err != nil {
		return err
	}
	return a.run(ctx, install)
}

// fileName is a context's name as that of a folder.
func fileName(context string) string {
	safe := []rune(context)
	for i, r := range safe {
		if r == '/' || r == '\\' || r == ':' || r < ' ' {
			safe[i] = '_'
		}
	}
	if name := string(safe); name != "." && name != ".." {
		return or(name, "_")
	}
	return "_"
}
