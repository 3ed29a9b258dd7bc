// Command localcluster runs a real Kubernetes control plane on this machine, for
// learning and for tests: etcd, the API server, the controller manager and fake
// nodes, in one binary.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/reconcile-tracer/tracer/localcluster/internal/controllers"
	"github.com/reconcile-tracer/tracer/localcluster/internal/controlplane"
	"github.com/reconcile-tracer/tracer/localcluster/internal/version"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// usageError is a mistake on the command line: exit status 2.
type usageError struct{ error }

// run executes one command and returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	err := dispatch(args, stdout, stderr)
	var usage usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "localcluster: %v\nRun \"localcluster help\" for help.\n", err)
		return 2
	}
	fmt.Fprintf(stderr, "localcluster: %v\n", err)
	return 1
}

func dispatch(args []string, stdout, stderr io.Writer) error {
	if len(args) == 0 {
		fmt.Fprint(stderr, help)
		return usageError{errors.New("no command given")}
	}
	switch args[0] {
	case "up":
		return up(args[1:], stdout, stderr)
	case "version", "--version":
		fmt.Fprintf(stdout, "localcluster with Kubernetes %s\n", version.Kubernetes())
		return nil
	case "help", "--help", "-h":
		fmt.Fprint(stdout, help)
		return nil
	case controlplane.Command:
		return controlplane.Main(args[1:])
	case controllers.Command:
		return controllers.Main(args[1:])
	}
	return usageError{fmt.Errorf("unknown command %q", args[0])}
}
