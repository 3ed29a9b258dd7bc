package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

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
				buildVersion(), semconv.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}

// buildVersion is the version that the linker set, else what Go knows of the
// build.
func buildVersion() string {
	if version != unset {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version
	}
	return describeBuild(info)
}

// describeBuild returns the module's version, which Go makes of the commit
// where there is no tag; without one, the commit; without either, "dev".
func describeBuild(info *debug.BuildInfo) string {
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	revision, modified := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = "-" + s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = "+dirty"
		}
	}
	if revision == "" {
		return unset
	}
	return unset + revision + modified
}
