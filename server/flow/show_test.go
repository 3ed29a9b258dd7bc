package flow

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// show is a row in one line, without what is empty.
func show(row Row) string {
	switch r := row.(type) {
	case *Reconcile:
		return showReconcile(r)
	case *Wait:
		return line("wait", r.Controller, r.Item, r.State, span(r.From, r.To), at("until", r.Until), text("why", r.Why),
			num("order", r.Order), num("causes", int64(r.Causes)), num("requeues", int64(r.Requeues)))
	case *Hold:
		return line("hold", r.Controller, r.Item, "worker="+strconv.Itoa(r.Worker), r.Phase, span(r.From, r.To), at("until", r.Until))
	case *Control:
		return line("control", r.Key, r.Controller, r.Item, r.Command, r.Phase, span(r.From, r.To), at("until", r.Until), text("lifted", r.Lifted))
	case *Sample:
		return line("sample", r.Controller, span(r.From, r.To), num("reconciles", int64(r.Reconciles)), counts("results", r.ByResult),
			counts("causes", r.ByCause), num("writes", int64(r.Writes)), num("failed", int64(r.Failed)),
			num("depth", int64(r.Depth)), num("drops", int64(r.Drops)))
	case *Edge:
		return line("edge", r.Key, span(r.From, r.To), text("version", r.ResourceVersion), mark("self", r.Self), mark("inferred", r.Inferred))
	case *Gap:
		return line("gap", r.Key, fmt.Sprintf("%d-%d", r.First, r.Last), num("count", r.Count), span(r.From, r.To), r.Reason, mark("closed", r.Closed))
	case *Finding:
		return line("finding", r.Rule, r.Controller, r.Item, span(r.From, r.To), text("evidence", strings.Join(r.Evidence, ",")), "\n  "+r.Summary)
	case *Controller:
		return showController(r)
	case *Item:
		return line("item", r.Controller, r.Item, mark("ready", r.Ready), mark("delayed", r.Delayed), mark("active", r.Active),
			mark("dirty", r.Dirty), text("phase", r.Phase), num("requeues", int64(r.Requeues)), text("result", r.LastResult),
			text("current", r.Current), text("previous", r.Previous), num("reconciles", r.Reconciles), mark("gone", r.Gone))
	}
	return fmt.Sprintf("%T", row)
}

func showController(r *Controller) string {
	return line("controller", r.Key, "source="+r.Source, mark("connected", r.Connected), at("heard", r.Heard), at("since", r.Since),
		num("workers", int64(r.Workers)), text("lease", r.Lease), text("unsynced", strings.Join(r.Unsynced, ",")),
		num("reconciles", r.Reconciles), num("errors", r.Errors), num("writes", r.Writes), num("failed", r.Failed),
		num("depth", int64(r.Depth)), num("delayed", int64(r.Delayed)), num("dropped", r.Dropped), mark("control", r.Control)) + showDrops(r.Drops)
}

func showDrops(drops []Drop) string {
	var b strings.Builder
	for _, d := range drops {
		b.WriteString("\n  " + line("drop", d.Predicate, d.ObjectKind, num("count", d.Count), d.What, text("item", d.Item), at("at", d.At)))
	}
	return b.String()
}

func showReconcile(r *Reconcile) string {
	var b strings.Builder
	b.WriteString(line("reconcile", r.Key, r.Controller, r.Item, num("nth", r.Nth), span(r.From, r.To), at("start", r.Start), r.Result, r.Error,
		text("next", r.Next.Why), at("at", r.Next.At), num("reads", int64(r.ReadCount)), num("writes", int64(r.WriteCount)),
		num("failed", int64(r.FailedWrites))))
	if v := r.Object.ResourceVersion; v != "" {
		b.WriteString(" version=" + v)
	}
	for _, p := range r.Phases {
		b.WriteString("\n  " + line(p.Name, span(p.From, p.To)))
	}
	for _, c := range r.Causes {
		var by string
		if c.Write != nil {
			by = c.Write.Reconcile + "/" + c.Write.Span
		}
		b.WriteString("\n  " + line("cause", c.What, at("at", c.At), "by="+c.By, text("uid", c.UID), text("version", c.ResourceVersion), text("write", by), mark("inferred", c.Inferred)))
	}
	for _, a := range r.Plan {
		b.WriteString("\n  plan: " + a.Summary)
	}
	for _, d := range r.Reads {
		b.WriteString("\n  " + line("read", d.Span, span(d.From, d.To), d.Kind, num("count", int64(d.Count))))
	}
	for _, w := range r.Writes {
		b.WriteString("\n  " + line("write", w.Span, span(w.From, w.To), w.Method, num("status", int64(w.Status)), text("uid", w.UID), text("after", w.After), at("seen", w.SeenAt), mark("cut", w.ServerCut)))
		for _, v := range w.Server {
			b.WriteString("\n    " + line(v.Service, v.Name, v.Span, span(v.From, v.To), text("parent", v.Parent), mark("failed", v.Failed)))
		}
	}
	return b.String()
}

func line(words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}

// millis is a time in milliseconds from the beginning, "…" for one that is not
// there yet.
func millis(t int64) string {
	if t == 0 {
		return "…"
	}
	return strconv.FormatFloat(float64(t-t0)/1000, 'f', -1, 64)
}

func span(from, to int64) string { return millis(from) + ".." + millis(to) }

func at(name string, t int64) string {
	if t == 0 {
		return ""
	}
	return name + "=" + millis(t)
}

func text(name, value string) string {
	if value == "" {
		return ""
	}
	return name + "=" + value
}

func num(name string, n int64) string {
	if n == 0 {
		return ""
	}
	return name + "=" + strconv.FormatInt(n, 10)
}

func mark(name string, set bool) string {
	if !set {
		return ""
	}
	return name
}

func counts(name string, m map[string]int) string {
	var list []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		list = append(list, fmt.Sprintf("%s:%d", k, m[k]))
	}
	return text(name, strings.Join(list, ","))
}
