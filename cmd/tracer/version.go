package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

func newVersion(io streams) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of tracer and of the span contract it speaks",
		Example: `  tracer version`,
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(io.out, "tracer %s\nspan contract %s\n%s %s/%s\n",
				version, semconv.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
