package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// attachRun is one run of attach: a crew and the cluster that it works on.
type attachRun struct {
	crew
	open bool
	name string
	grpc string
	// where are the arguments that lead a child to the cluster, env the
	// variables that they need.
	where, env []string
	namespace  string
}

func newAttachRun(o *attachOptions, folder *runFolder, found target, address string) (*attachRun, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program: %w", err)
	}
	a := &attachRun{
		crew: crew{command: "attach", io: o.io, folder: folder, address: address, self: self,
			token: o.token, ingest: o.ingest, control: o.control, share: o.share, embed: o.embed},
		open:      o.open,
		name:      found.name,
		grpc:      o.grpc,
		namespace: o.namespace,
	}
	if !found.inCluster {
		a.where = []string{"--context", found.short}
	}
	if o.cluster.kubeconfig != "" {
		a.where = append(a.where, "--kubeconfig", o.cluster.kubeconfig)
	} else if files := os.Getenv("KUBECONFIG"); files != "" {
		a.env = []string{"KUBECONFIG=" + files}
	}
	return a, nil
}

// run starts the two, announces the page, and ends them in order.
func (a *attachRun) run(ctx context.Context, install bool) error {
	ctx, a.fail = context.WithCancelCause(ctx)
	defer a.fail(nil)
	a.say("%s; data folder %s", a.name, a.folder.path)
	defer func() { a.endAll([]*member{a.reconciler}, []*member{a.hub}) }()
	err := a.bringUp(ctx, install)
	if err == nil {
		<-ctx.Done()
	}
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, errAsked):
		a.say("ending; the CRD and the PodSets stay in the cluster (tracer attach %s --uninstall removes them)", strings.Join(a.where, " "))
		return nil
	case cause != nil:
		return cause
	}
	return err
}

// bringUp returns when the page can be opened.
func (a *attachRun) bringUp(ctx context.Context, install bool) error {
	if err := a.settleTokens(); err != nil {
		return err
	}
	a.hub = a.keep(a.hubChild(a.env, append([]string{"--otlp-grpc", a.grpc}, a.where...)...), nil)
	login, err := a.hub.awaitReady(ctx)
	if err != nil {
		return err
	}
	if err := a.takePageToken(); err != nil {
		return err
	}
	a.reconciler = a.keep(a.reconcilerChild(a.env, a.reconcilerArgs(install)...), a.awaitAttached)
	if _, err := a.reconciler.awaitReady(ctx); err != nil {
		return err
	}
	a.sayAttach()
	if err := a.sayShare(); err != nil {
		return err
	}
	fmt.Fprintf(a.io.out, "ready: %s\n", login)
	if a.open {
		a.openPage(ctx, login)
	}
	return nil
}

func (a *attachRun) reconcilerArgs(install bool) []string {
	args := slices.Clone(a.where)
	if install {
		args = append(args, "--install-crd")
	}
	if a.namespace != "" {
		args = append(args, "--namespace", a.namespace)
	}
	return args
}
