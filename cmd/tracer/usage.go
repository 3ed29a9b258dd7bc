package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/reconcile-tracer/tracer/server"
)

// usageError says that the command line is wrong, whatever the machine is like.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

// flagError says what a flag expects when it was given something else.
func flagError(err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return &usageError{err}
	}
	expected := map[string]string{
		"bool":     "give true or false",
		"int":      "give a whole number, for example 2",
		"duration": "give a duration, for example 30s or 10m",
	}[invalid.GetFlag().Value.Type()]
	if expected == "" {
		return &usageError{err}
	}
	return usagef("--%s %q: not understood (%s)", invalid.GetFlag().Name, invalid.GetValue(), expected)
}

// checkAddress checks the form of an address to listen on.
func checkAddress(flag, value string) error {
	if err := server.CheckAddress("--"+flag, value); err != nil {
		return &usageError{err}
	}
	return nil
}

// checkTokens applies the hub's rules to tokens before anything is started.
func checkTokens(t server.Tokens) error {
	if err := server.CheckTokens(t); err != nil {
		return &usageError{err}
	}
	return nil
}

// checkSent applies a hub's rules to tokens that are sent to one.
func checkSent(t server.Tokens) error {
	if err := server.CheckSent(t); err != nil {
		return &usageError{err}
	}
	return nil
}

// checkNamespace checks the form of a namespace's name; "" is all of them.
func checkNamespace(name string) error {
	if name != "" && len(validation.IsDNS1123Label(name)) > 0 {
		return usagef("--namespace %q: not the name of a namespace (give at most 63 of a-z, 0-9 and -, a letter or digit first and last, for example team-a)", name)
	}
	return nil
}

// nothingEmpty refuses a flag that was given without a value, as by a variable
// that is not set: its default is not what was meant.
func nothingEmpty(cmd *cobra.Command, _ []string) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err == nil && f.Value.Type() == "string" && f.Value.String() == "" {
			err = usagef("--%s \"\": it is empty (give a value, or leave --%s out for its default)", f.Name, f.Name)
		}
	})
	return err
}
