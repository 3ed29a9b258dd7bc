package main

import (
	"fmt"
	"os"

	"github.com/reconcile-tracer/tracer/cmd/tracer/internal/supervise"
)

// demoRun is one run of the demo: a crew and a control plane of its own.
type demoRun struct {
	crew
	open    bool
	grpc    string
	program string

	cluster *member
}

// addresses are where the hub listens.
type addresses struct{ page, grpc string }

func newDemoRun(o *demoOptions, folder *runFolder, program string, hub addresses) (*demoRun, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program: %w", err)
	}
	return &demoRun{
		crew: crew{
			command: "demo", io: o.io, folder: folder, address: hub.page, self: self,
			token: o.token, ingest: o.ingest,
		},
		open: o.open, program: program, grpc: hub.grpc,
	}, nil
}

func (d *demoRun) clusterChild() supervise.Child {
	return supervise.Child{
		Name: nameCluster, Path: d.program, Policy: supervise.Policy{Grace: restGrace},
		Args: []string{"up", "--exit-with-parent", "--data", d.folder.cluster(), "--kubeconfig", d.folder.kubeconfig(), "--log-dir", d.folder.logs(),
			"--tracing-endpoint", d.grpc},
		Env: d.environment(d.sendHeaders()),
	}
}

func (d *demoRun) hubChild() supervise.Child {
	return d.crew.hubChild(nil, "--otlp-grpc", d.grpc, "--kubeconfig", d.folder.kubeconfig())
}

func (d *demoRun) reconcilerChild() supervise.Child {
	return d.crew.reconcilerChild(nil, "--install-crd", "--kubeconfig", d.folder.kubeconfig())
}

// end ends the three, the reconciler first.
func (d *demoRun) end() {
	d.endAll([]*member{d.reconciler}, []*member{d.hub, d.cluster})
}
