package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/reconcile-tracer/tracer/internal/spancheck"
)

// checkSpansOptions are the flags of `tracer check-spans`.
type checkSpansOptions struct {
	limit int
	io    streams
}

func newCheckSpans(io streams) *cobra.Command {
	o := checkSpansOptions{io: io}
	cmd := &cobra.Command{
		Use:   "check-spans <file>",
		Short: "Say what an emitter gets wrong about the span contract",
		Long: `Say what an emitter gets wrong about the span contract, docs/spans.md, span by
span: the line of the file, the trace and span id, the name, what is wrong and
what the contract wants instead.

The file holds OTLP as JSON, one request a line, as the OpenTelemetry Collector's
file exporter writes it; gzip is read too, and - is standard input. It is read to
its end before spans are judged by their trace, so their order does not matter.

What is wrong breaks the contract; a note is allowed, but leaves something out of
the picture. Findings go to standard output.

Exit status: 0 when nothing is wrong, 1 when something is or the file cannot be
read, 2 when the command line is wrong.`,
		Example: `  tracer check-spans spans.json
  zstdcat spans.json.zst | tracer check-spans -`,
		Args: oneFile,
		RunE: func(_ *cobra.Command, args []string) error { return o.run(args[0]) },
	}
	cmd.Flags().IntVar(&o.limit, "limit", 20, "how many findings of one kind to print; 0 prints all")
	return cmd
}

func oneFile(cmd *cobra.Command, args []string) error {
	if len(args) == 1 && args[0] != "" {
		return nil
	}
	return usagef("%d files given (%s takes one file of OTLP JSON lines; - is standard input)", len(args), cmd.CommandPath())
}

// errSpansWrong ends the command with status 1 when the report has said why.
var errSpansWrong = errors.New("the contract is broken")

func (o *checkSpansOptions) run(path string) error {
	if o.limit < 0 {
		return usagef("--limit %d: must not be negative (0 prints all)", o.limit)
	}
	in, name, err := o.open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	report, err := spancheck.Check(in, spancheck.Options{PerRule: o.limit})
	if err != nil {
		return explainFile(name, err)
	}
	out := bufio.NewWriter(o.io.out)
	writeReport(out, name, report)
	if err := out.Flush(); err != nil {
		return fmt.Errorf("writing the findings: %w", err)
	}
	if report.Wrong > 0 {
		return errSpansWrong
	}
	return nil
}

func (o *checkSpansOptions) open(path string) (io.ReadCloser, string, error) {
	if path == "-" {
		return io.NopCloser(o.io.in), "standard input", nil
	}
	in, err := os.Open(path)
	if err != nil {
		return nil, path, explainFile(path, err)
	}
	return in, path, nil
}

func explainFile(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: there is no such file (name a file of OTLP JSON lines; - is standard input)", name)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s: this user may not read it (chmod it)", name)
	case errors.Is(err, syscall.EISDIR):
		return fmt.Errorf("%s: it is a folder (name a file of OTLP JSON lines)", name)
	}
	return fmt.Errorf("%s: %w", name, err)
}

func writeReport(w io.Writer, name string, r spancheck.Report) {
	for _, f := range r.Findings {
		fmt.Fprintf(w, "%s:%d: %s: %s%s (%s)\n  want: %s\n", name, f.Line, f.Severity, subject(f), f.Problem, f.Rule, f.Want)
	}
	writeMore(w, r)
	fmt.Fprintf(w, "%s: %s in %s, %s, %s; %s not of the contract\n", name,
		count(r.Spans, "span"), count(r.Reconciles, "reconcile"), count(r.Logs, "log record"), count(r.Lines, "line"), count(r.Ignored, "other"))
	fmt.Fprintf(w, "%s: %d wrong, %s\n", name, r.Wrong, count(r.Notes, "note"))
}

// writeMore says how many findings of each kind were left out.
func writeMore(w io.Writer, r spancheck.Report) {
	printed := map[string]int{}
	for _, f := range r.Findings {
		printed[f.Rule]++
	}
	for _, rule := range slices.Sorted(maps.Keys(r.Counts)) {
		if more := r.Counts[rule] - printed[rule]; more > 0 {
			fmt.Fprintf(w, "… and %d more of the kind %s (--limit 0 prints all)\n", more, rule)
		}
	}
}

func subject(f spancheck.Finding) string {
	var parts []string
	if f.Name != "" {
		parts = append(parts, fmt.Sprintf("%q", f.Name))
	}
	if f.TraceID != "" {
		parts = append(parts, "trace "+f.TraceID)
	}
	if f.SpanID != "" {
		parts = append(parts, "span "+f.SpanID)
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, " ") + ": "
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
