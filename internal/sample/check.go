package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/server/journal"
	"github.com/reconcile-tracer/tracer/server/otlp"
	"github.com/reconcile-tracer/tracer/server/recording"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// check finds what the sample is to show and does not.
func check(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	missing, err := missingIn(data)
	if err != nil {
		return err
	}
	for _, what := range missing {
		err = errors.Join(err, fmt.Errorf("the recording does not show %s: record it again", what))
	}
	return err
}

// rowsOf folds a recording.
func rowsOf(file []byte) ([]flow.Row, error) {
	state := flow.New(flow.Limits{})
	_, err := recording.Read(bytes.NewReader(file), func(b journal.Block) error {
		var batch otlp.Batch
		for _, r := range b.Records {
			if part, ok := r.Value.(otlp.Batch); ok {
				batch.Add(part)
			}
		}
		state.Step(flow.Input{Offset: b.Offset, Now: b.At, Spans: batch.Spans, Logs: batch.Logs, Emitters: batch.Emitters})
		return nil
	})
	return state.Rows(), err
}

// missingIn names what a recording does not show of what the sample must.
func missingIn(file []byte) ([]string, error) {
	rows, err := rowsOf(file)
	if err != nil {
		return nil, err
	}
	var missing []string
	if len(file) > maxSize {
		missing = append(missing, fmt.Sprintf("all of it in %d bytes (it has %d)", maxSize, len(file)))
	}
	for _, w := range wanted() {
		if !slices.ContainsFunc(rows, w.in) {
			missing = append(missing, w.what)
		}
	}
	if n := podSets(rows); n < 3 {
		missing = append(missing, "three PodSets")
	}
	return missing, nil
}

// maxSize is how large the sample may be: it is in everybody's binary.
const maxSize = 200_000

type want struct {
	what string
	in   func(flow.Row) bool
}

// wanted are things of which each one row is enough.
func wanted() []want {
	pass := func(what string, in func(*flow.Reconcile) bool) want {
		return want{what, func(row flow.Row) bool {
			r, ok := row.(*flow.Reconcile)
			return ok && in(r)
		}}
	}
	result := func(name string) want {
		return pass("a reconcile that ended with "+name, func(r *flow.Reconcile) bool { return r.Result == name })
	}
	write := func(what string, in func(flow.Write) bool) want {
		return pass(what, func(r *flow.Reconcile) bool { return slices.ContainsFunc(r.Writes, in) })
	}
	cause := func(what string, in func(flow.Cause) bool) want {
		return pass(what, func(r *flow.Reconcile) bool { return slices.ContainsFunc(r.Causes, in) })
	}
	return []want{
		result(semconv.ResultSuccess), result(semconv.ResultError), result(semconv.ResultRequeueAfter),
		write("a Pod that is made", func(w flow.Write) bool { return w.Method == http.MethodPost && strings.HasPrefix(w.Resource, "pod") }),
		write("a conflict", func(w flow.Write) bool { return w.Status == 409 }),
		cause("an own write that comes back", func(c flow.Cause) bool { return c.By == semconv.BySelf }),
		cause("a back-off", func(c flow.Cause) bool { return c.What == semconv.CauseBackoff }),
		cause("a delete", func(c flow.Cause) bool { return c.What == semconv.CauseDelete && c.Kind == "PodSet" }),
		pass("a stale read", func(r *flow.Reconcile) bool {
			return slices.ContainsFunc(r.Reads, func(r flow.Read) bool { return r.StaleBy > 0 })
		}),
		{"cause and effect", func(row flow.Row) bool { return row.Kind() == flow.RowEdge }},
	}
}

func podSets(rows []flow.Row) int {
	items := map[string]bool{}
	for _, row := range rows {
		if r, ok := row.(*flow.Reconcile); ok && r.Controller == "podset" {
			items[r.Item] = true
		}
	}
	return len(items)
}
