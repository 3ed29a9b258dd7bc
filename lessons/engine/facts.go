package engine

import (
	"slices"
	"strconv"
	"strings"

	"github.com/reconcile-tracer/tracer/lessons/format"
	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// facts are a row in the words of conditions (format.Rows). A value is a
// string, a []string, an int64 or a bool.
type facts struct {
	namespace, key string
	from           int64
	over           bool
	fields         map[string]any
}

// factsOf returns nil for a row of which no condition speaks.
func factsOf(row flow.Row) *facts {
	switch r := row.(type) {
	case *flow.Reconcile:
		return named(r.Item, r.Controller, r.Key, r.From, r.To != 0, reconcileFields(r))
	case *flow.Wait:
		return named(r.Item, r.Controller, r.Key, r.From, r.To != 0, map[string]any{
			"state": r.State, "why": r.Why, "causes": int64(r.Causes), "requeues": int64(r.Requeues),
			"delay_ms": millis(r.From, r.Until), "over": r.To != 0,
		})
	case *flow.Hold:
		return named(r.Item, r.Controller, r.Key, r.From, r.To != 0, map[string]any{
			"phase": r.Phase, "why": r.Why, "standing": r.To == 0,
		})
	case *flow.Item:
		return named(r.Item, r.Controller, r.Key, 0, false, itemFields(r))
	case *flow.Edge:
		return named(r.Item, r.Controller, r.Key, r.From, r.To != 0, map[string]any{"kind": r.ObjectKind, "self": r.Self})
	case *flow.Finding:
		return named(r.Item, r.Controller, r.Key, r.From, r.To != 0, map[string]any{"rule": r.Rule, "standing": r.To == 0})
	}
	return nil
}

func named(item, controller, key string, from int64, over bool, fields map[string]any) *facts {
	namespace, name, _ := strings.Cut(item, "/")
	fields["item"], fields["controller"] = name, controller
	return &facts{namespace, key, from, over, fields}
}

func itemFields(r *flow.Item) map[string]any {
	return map[string]any{
		"idle": !busy(r), "ready": r.Ready, "delayed": r.Delayed, "active": r.Active, "dirty": r.Dirty, "gone": r.Gone,
		"requeues": int64(r.Requeues), "last_result": r.LastResult, "phase": r.Phase,
		"generation": r.Generation, "observed": r.ObservedGeneration,
	}
}

func reconcileFields(r *flow.Reconcile) map[string]any {
	total := 0
	for _, n := range r.CauseCounts {
		total += n
	}
	f := map[string]any{
		"result": r.Result, "error": r.Error, "causes": int64(total), "updates": int64(r.CauseCounts[semconv.CauseUpdate]),
		"writes": int64(r.WriteCount), "failed_writes": int64(r.FailedWrites), "requeues": int64(r.Next.Requeues), "next": r.Next.Why,
		"generation": r.Object.Generation, "observed": r.Object.ObservedGeneration, "running": r.To == 0,
		"took_ms": millis(r.Start, r.To),
	}
	f["cause"], f["by"], f["manager"] = causesOf(r)
	f["status"], f["write_error"], f["wrote"] = writesOf(r)
	f["read_from"], f["stale"], f["stale_by"] = readsOf(r)
	var plan []string
	for i := range r.Plan {
		plan = append(plan, r.Plan[i].Summary)
	}
	f["plan"] = plan
	return f
}

func causesOf(r *flow.Reconcile) (what, by, managers []string) {
	what = sortedKeys(r.CauseCounts)
	for i := range r.Causes {
		c := &r.Causes[i]
		by, managers = once(by, c.By), once(managers, c.Manager)
		if c.What == semconv.CauseUpdate && c.By == semconv.BySelf && !slices.Contains(c.Changed, "spec") {
			what = once(what, format.OwnWrite)
		}
	}
	return what, by, managers
}

func writesOf(r *flow.Reconcile) (status, errs, fields []string) {
	for i := range r.Writes {
		w := &r.Writes[i]
		status, errs = once(status, strconv.Itoa(w.Status)), once(errs, w.Error)
		for _, f := range w.Fields {
			fields = once(fields, f.Path+"="+f.Value)
		}
	}
	return status, errs, fields
}

func readsOf(r *flow.Reconcile) (sources, stale []string, by int64) {
	for i := range r.Reads {
		sources, stale = once(sources, r.Reads[i].Source), once(stale, r.Reads[i].Stale)
		by = max(by, int64(r.Reads[i].StaleBy))
	}
	return sources, stale, by
}

// once appends a text that is not empty and not there yet.
func once(to []string, text string) []string {
	if text == "" || slices.Contains(to, text) {
		return to
	}
	return append(to, text)
}

// millis is the time between two times in whole milliseconds, rounded; 0
// where one of them is not known.
func millis(from, to int64) int64 {
	if from == 0 || to == 0 {
		return 0
	}
	return (to - from + 500) / 1000
}
