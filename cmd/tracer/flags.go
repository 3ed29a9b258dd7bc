package main

import (
	"errors"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/pflag"

	"github.com/reconcile-tracer/tracer/server"
)

func (c *cluster) addFlags(f *pflag.FlagSet) {
	f.StringVar(&c.kubeconfig, "kubeconfig", "", "the cluster's kubeconfig (default: KUBECONFIG, else ~/.kube/config, else the cluster that this runs in)")
	f.StringVar(&c.context, "context", "", "the context in it (default: its current one)")
}

// addParentFlag adds the flag with which a supervisor makes sure that a child
// does not outlive it.
func addParentFlag(f *pflag.FlagSet, withParent *bool) {
	f.BoolVar(withParent, "exit-with-parent", false, "end at the end of standard input, which a supervisor holds open")
}

// parentOf returns the stream whose end means that the parent is gone, or nil.
func parentOf(withParent bool, std streams) io.Reader {
	if withParent {
		return std.in
	}
	return nil
}

// tokenFlag adds a flag for a token, which can come from the environment too,
// where other users of the machine do not see it.
func tokenFlag(f *pflag.FlagSet, token *string, name, variable, usage string) {
	f.StringVar(token, name, "", usage+"; better in "+variable+", which other users of this machine do not see")
}

// embedFlag adds the flag of the sites that may show the map in a frame.
func embedFlag(f *pflag.FlagSet, origins *[]string) {
	f.Var((*words)(origins), "embed-ancestor", "the origin of a site that may show the map in a frame (/embed), as https://course.example; may be repeated")
}

// checkEmbed finds what is wrong with it before anything is started.
func checkEmbed(origins []string) error {
	for _, origin := range origins {
		if err := server.CheckAncestor(strings.ToLower(origin)); err != nil {
			return &usageError{err}
		}
	}
	return nil
}

// embedArgs are the flags of a hub that such sites may show.
func embedArgs(origins []string) (args []string) {
	for _, origin := range origins {
		args = append(args, "--embed-ancestor="+origin)
	}
	return args
}

// words is a flag that may be repeated, or have several values with commas between
// them; no part of what was given is left out.
type words []string

// Set implements pflag.Value.
func (w *words) Set(value string) error {
	for word := range strings.SplitSeq(value, ",") {
		if word == "" {
			return errors.New("it is empty, or has an empty part")
		}
		*w = append(*w, word)
	}
	return nil
}

// Type implements pflag.Value.
func (w *words) Type() string { return "strings" }

// String implements pflag.Value.
func (w *words) String() string { return strings.Join(*w, ",") }

// logOptions say how logs are written, always to standard error.
type logOptions struct{ level, format string }

func (o *logOptions) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.level, "log-level", "info", "debug, info, warn or error")
	f.StringVar(&o.format, "log-format", "text", "text or json")
}

func (o *logOptions) check() error {
	var level slog.Level
	if level.UnmarshalText([]byte(o.level)) != nil {
		return usagef("--log-level %q: not a level (give debug, info, warn or error)", o.level)
	}
	if o.format != "text" && o.format != "json" {
		return usagef("--log-format %q: not a format (give text or json)", o.format)
	}
	return nil
}

// logger makes the logger of options that have been checked.
func (o *logOptions) logger(w io.Writer) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(o.level)) // checked
	options := &slog.HandlerOptions{Level: level}
	if o.format == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
