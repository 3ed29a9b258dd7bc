package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/reconcile-tracer/tracer/server"
)

// The exit statuses.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
)

// streams are the standard streams of the process, or what a test gives.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// sayer writes one line of progress.
type sayer func(format string, args ...any)

// sayer is that of a command.
func (s streams) sayer(command string) sayer {
	return func(format string, args ...any) { fmt.Fprintf(s.err, "tracer "+command+": "+format+"\n", args...) }
}

// execute runs the command that args name and returns the exit status.
func execute(args []string, io streams) int {
	root := newRoot(io)
	root.SetArgs(args)
	cmd, err := root.ExecuteC()
	if err == nil {
		return exitOK
	}
	fmt.Fprintf(io.err, "%s: %v\n", cmd.CommandPath(), err)
	if isUsage(err) {
		fmt.Fprintf(io.err, "Run '%s --help' for its flags and examples.\n", cmd.CommandPath())
		return exitUsage
	}
	return exitError
}

// isUsage says that the command line is wrong, whatever the machine is like.
func isUsage(err error) bool {
	var usage *usageError
	var setting *server.ConfigError
	return errors.As(err, &usage) || errors.As(err, &setting)
}

func newRoot(io streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "tracer",
		Short: "See a Kubernetes controller's reconciliation loop, live",
		Long: `tracer shows the reconciliation loop of a Kubernetes controller live in a
browser: what caused a reconcile, its wait in the queue, dequeue, fetch from the
informer cache, compute, apply through the API server, requeue or done, and the
way of each write back through the watch.

An instrumented controller sends a span for each phase of its loop to the hub
('tracer serve') by OTLP; the hub streams them to browsers.`,
		Example: `  # Everything on this machine, with a real API server and nothing to install:
  tracer demo

  # The parts one by one, against a cluster of yours:
  tracer serve --kubeconfig ~/.kube/config
  tracer reconcile --kubeconfig ~/.kube/config --install-crd`,
		Args: knownCommand,

		PersistentPreRunE: nothingEmpty,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		SilenceErrors:     true,
		SilenceUsage:      true,
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetIn(io.in)
	root.SetOut(io.out)
	root.SetErr(io.err)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return flagError(err) })
	root.SetHelpCommand(newHelp())
	root.AddCommand(newDemo(io), newServe(io), newReconcile(io), newAttach(io), newLesson(io), newExport(io), newReplay(io), newCheckSpans(io), newVersion(io))
	return root
}

// newHelp prints the help of a command, and refuses what is none.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Help about a command",
		RunE: func(help *cobra.Command, args []string) error {
			cmd, rest, err := help.Root().Find(args)
			if err != nil {
				return &usageError{err}
			}
			switch {
			case len(rest) > 0 && cmd.HasAvailableSubCommands():
				return knownCommand(cmd, rest)
			case len(rest) > 0:
				return usagef("argument %q is not expected (%s has no commands of its own)", rest[0], cmd.CommandPath())
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
	}
}

// knownCommand is asked only for what is not a command.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return usagef("there is no command %q (the commands are %s)", args[0], strings.Join(names, ", "))
}

func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usagef("argument %q is not expected (%s takes flags only)", args[0], cmd.CommandPath())
}
