package server

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/server/watch"
	"github.com/reconcile-tracer/tracer/templates"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// recentPasses and recentFindings are how many reconciles and findings the page
// shows before its script runs.
const (
	recentPasses   = 20
	recentFindings = 5
)

// page serves the page, or the way to log in.
func (h *Hub) page(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if !h.hasSession(r) {
		n := templates.LoginNeeded()
		n.Command = h.URL() + "/login?token=…"
		h.say(w, r, n)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if err := templates.Index(h.model()).Render(r.Context(), w); err != nil {
		h.cfg.Log.Debug("a page was not sent whole", "error", err)
	}
}

func (h *Hub) model() templates.Page {
	rows, _, _ := h.watch.Rows(watch.Filter{Kinds: []flow.RowKind{flow.RowController, flow.RowReconcile}, Limit: recentPasses})
	p := templates.Page{
		Cluster: h.cfg.Cluster,
		Version: h.cfg.Version,
		CanAct:  h.cfg.Actions != nil,
		Attach:  templates.AttachSteps(h.URL()),
	}
	if !p.CanAct {
		p.NoAct = "This hub has no cluster to act on. Start it with --kubeconfig, or use tracer demo."
	}
	for _, row := range rows {
		switch row := row.(type) {
		case *flow.Controller:
			p.Lanes = append(p.Lanes, lane(row))
		case *flow.Reconcile:
			p.Recent = append(p.Recent, pass(row))
		}
	}
	slices.SortFunc(p.Lanes, func(a, b templates.Lane) int { return cmp.Compare(a.Name, b.Name) })
	slices.Reverse(p.Recent) // the newest first
	p.Findings = h.findings()
	return p
}

// findings are the newest few, the newest first.
func (h *Hub) findings() []templates.Finding {
	rows, _, _ := h.watch.Rows(watch.Filter{Kinds: []flow.RowKind{flow.RowFinding}, Limit: recentFindings})
	var found []templates.Finding
	for _, row := range slices.Backward(rows) {
		if f, ok := row.(*flow.Finding); ok {
			rule := strings.ReplaceAll(f.Rule, "-", " ")
			found = append(found, templates.Finding{Rule: rule, Controller: f.Controller, Item: f.Item, Summary: f.Summary})
		}
	}
	return found
}

func lane(c *flow.Controller) templates.Lane {
	l := templates.Lane{Name: c.Key, Kind: c.ObjectKind, Workers: c.Workers, Reconciles: c.Reconciles, Errors: c.Errors, Start: startUp(c)}
	if d := median(c.Latency); d > 0 {
		l.P50 = "≤ " + d.String()
	}
	return l
}

// startUp is what stands before a controller's loop, in words.
func startUp(c *flow.Controller) []string {
	var waits []string
	if !c.Connected {
		waits = append(waits, "not connected")
	}
	if c.Lease == semconv.LeaseWaiting {
		waits = append(waits, "waiting for the lease")
	}
	for _, kind := range c.Unsynced {
		waits = append(waits, "cache of "+kind+" not synced")
	}
	if c.WatchError != "" {
		waits = append(waits, "cannot watch "+c.WatchError)
	}
	if c.Workers == 0 {
		waits = append(waits, "no workers yet")
	}
	return waits
}

// median returns the upper bound of the bucket that holds the median, 0 when
// there is none.
func median(buckets []int64) time.Duration {
	var all, seen int64
	for _, n := range buckets {
		all += n
	}
	for i, n := range buckets {
		if seen += n; all > 0 && 2*seen >= all {
			return time.Duration(1<<(i+1)) * time.Microsecond
		}
	}
	return 0
}

func pass(r *flow.Reconcile) templates.Pass {
	p := templates.Pass{
		ID: r.Key, Controller: r.Controller, Item: r.Item, At: time.UnixMicro(r.Start), Result: r.Result, Error: r.Error,
		Causes: causes(r), Plan: plan(r),
	}
	if r.To > 0 {
		p.Took = time.Duration(r.To-r.Start) * time.Microsecond
	}
	return p
}

// causes are words like "update ×5, backoff".
func causes(r *flow.Reconcile) string {
	var words []string
	for what, n := range r.CauseCounts {
		word := strings.ReplaceAll(what, "_", " ")
		if n > 1 {
			word += fmt.Sprintf(" ×%d", n)
		}
		words = append(words, word)
	}
	slices.Sort(words)
	return strings.Join(words, ", ")
}

func plan(r *flow.Reconcile) string {
	var words []string
	for _, a := range r.Plan {
		words = append(words, a.Summary)
	}
	return strings.Join(words, ", ")
}
