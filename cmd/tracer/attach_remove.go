package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/reconcile-tracer/tracer/cmd/tracer/internal/attach"
)

const (
	// removeTimeout is how long a removal may take: Pods end in their own time.
	removeTimeout = 3 * time.Minute
	// maxNamed is how many objects of one kind are named before the question.
	maxNamed = 20
)

// remove takes away what attaching has put into the cluster, after a question.
func (o *attachOptions) remove(ctx context.Context, found target) error {
	access, err := attach.Ask(ctx, found.Config, "", attach.RemovalPermissions())
	if err != nil {
		return fmt.Errorf("%s: %w", found.name, err)
	}
	if !access.Installed {
		fmt.Fprintf(o.io.err, "tracer attach: %s: PodSets are not installed; there is nothing to remove\n", found.name)
		return nil
	}
	if err := o.admit(access); err != nil {
		return err
	}
	what, err := attach.Survey(ctx, found.Config)
	if err != nil {
		return fmt.Errorf("%s: %w", found.name, err)
	}
	writeRemoval(o.io.err, found, what)
	if err := o.confirm(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, removeTimeout)
	defer cancel()
	if err := what.Run(ctx); err != nil {
		return err
	}
	fmt.Fprintf(o.io.err, "tracer attach: removed\n")
	return nil
}

func writeRemoval(w io.Writer, found target, what *attach.Removal) {
	fmt.Fprintf(w, "This removes from %s (%s):\n", found.name, found.Host)
	fmt.Fprintf(w, "  the CRD of PodSets\n  %s\n  %s\n", named(what.PodSets, "PodSet"), named(what.Pods, "Pod"))
}

// named counts objects and names the first of them.
func named(names []string, what string) string {
	line := count(len(names), what)
	switch {
	case len(names) == 0:
		return line
	case len(names) > maxNamed:
		return line + ": " + strings.Join(names[:maxNamed], ", ") + ", …"
	}
	return line + ": " + strings.Join(names, ", ")
}

// confirm asks, unless --yes has answered.
func (o *attachOptions) confirm(ctx context.Context) error {
	if o.yes {
		return nil
	}
	if !o.terminal(o.io.in) {
		return errors.New("nothing was removed: standard input is no terminal to ask on (say --yes, if that is what you want)")
	}
	fmt.Fprint(o.io.err, "Type yes to remove them: ")
	answer, err := readAnswer(ctx, o.io.in)
	if err != nil {
		return fmt.Errorf("nothing was removed: %w", err)
	}
	if answer != "yes" {
		return fmt.Errorf("nothing was removed: the answer was %q, not yes", answer)
	}
	return nil
}

func isTerminal(in io.Reader) bool {
	f, ok := in.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// readAnswer reads a line, or gives up when ctx ends; the read itself cannot.
func readAnswer(ctx context.Context, in io.Reader) (string, error) {
	line := make(chan string, 1)
	go func() {
		text, _ := bufio.NewReader(in).ReadString('\n') // the end is an answer too: no
		line <- strings.TrimSpace(text)
	}()
	select {
	case text := <-line:
		return text, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}
