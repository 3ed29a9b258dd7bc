package main

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/reconcile-tracer/tracer/reconciler"
)

// addBugFlag adds --bug.
func addBugFlag(f *pflag.FlagSet, name *string) {
	f.StringVar(name, "bug", "", "a `mistake` that the controller makes on purpose, one of those above (default: none)")
}

// bugHelp lists the mistakes: what goes wrong, and where to look.
func bugHelp() string {
	var b strings.Builder
	b.WriteString("With --bug the controller makes one well-known mistake, and the page shows what comes of it:\n\n")
	for _, bug := range reconciler.Bugs() {
		fmt.Fprintf(&b, "  %-25s %s\n  %-25s -> %s\n", bug.Name, bug.Wrong, "", bug.Look)
	}
	return b.String()
}

// checkBug checks a mistake's name; "" is none.
func checkBug(name string) error {
	if name == "" {
		return nil
	}
	var names []string
	for _, bug := range reconciler.Bugs() {
		if bug.Name == name {
			return nil
		}
		names = append(names, bug.Name)
	}
	return usagef("--bug %q: no such mistake (choose one of %s)", name, strings.Join(names, ", "))
}
