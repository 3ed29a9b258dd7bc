package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/reconcile-tracer/tracer/cmd/tracer/internal/supervise"
)

// demoRun is one run of the demo: a crew and a control plane of its own.
type demoRun struct {
	crew
	open    bool
	grpc    string
	program string
	bug     string // that the reconciler makes, "" for none

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
			token: o.token, ingest: o.ingest, control: o.control, share: o.share, embed: o.embed,
		},
		open: o.open, program: program, grpc: hub.grpc, bug: o.bug,
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
	args := []string{"--install-crd", "--kubeconfig", d.folder.kubeconfig()}
	if d.bug != "" {
		args = append(args, "--bug", d.bug)
	}
	return d.crew.reconcilerChild(nil, args...)
}

// kubeconfigHeader begins each kubeconfig that localcluster may replace.
const kubeconfigHeader = "# Written by localcluster."

// checkOwnKubeconfig refuses a file in the data folder that the control plane
// would not replace, before anything is started.
func checkOwnKubeconfig(path string) error {
	old, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && (len(old) == 0 || bytes.HasPrefix(old, []byte(kubeconfigHeader))):
		return nil
	case err != nil:
		return fmt.Errorf("the demo's own kubeconfig cannot be read: %w (remove it, or name another folder with --data)", err)
	}
	return fmt.Errorf("%s was not written by the demo, which writes its kubeconfig there (move it away, or name another folder with --data)", path)
}

// advise says what to do about a control plane that does not come up,
// which its own log cannot: it does not know of the rest of the data folder.
func (d *crew) advise(c supervise.Child, err error) error {
	var gaveUp *supervise.GaveUpError
	if c.Name != nameCluster || !errors.As(err, &gaveUp) {
		return err
	}
	return fmt.Errorf("%w\nIf the cluster's data is damaged, remove the folder %s to begin with an empty cluster; the history is kept", err, d.folder.cluster())
}

// end ends the three, the reconciler first.
func (d *demoRun) end() {
	d.endAll([]*member{d.reconciler}, []*member{d.hub, d.cluster})
}
