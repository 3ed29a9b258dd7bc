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
)

// recentPasses is how many reconciles the page shows before its script runs.
const recentPasses = 20

// page serves the page, or the way to log in.
func (h *Hub) page(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	who := h.roleOf(r)
	if who == nobody {
		n := templates.LoginNeeded()
		n.Command = h.origin(r) + "/login?token=…"
		h.say(w, r, n)
		return
	}
	if h.isFull(r) {
		h.say(w, r, templates.Notice{Status: http.StatusServiceUnavailable, Title: "No place is left", Text: h.fullWords() + "."})
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if err := templates.Index(h.model(who)).Render(r.Context(), w); err != nil {
		h.cfg.Log.Debug("a page was not sent whole", "error", err)
	}
}

func (h *Hub) model(who role) templates.Page {
	rows, _, _ := h.watch.Rows(watch.Filter{Kinds: []flow.RowKind{flow.RowController, flow.RowReconcile}, Limit: recentPasses})
	p := templates.Page{
		Cluster: h.cfg.Cluster,
		Version: h.cfg.Version,
		Role:    who.String(),
	}
	if who == presenter {
		p.CanAct, p.Attach, p.Share = h.cfg.Actions != nil, templates.AttachSteps(h.URL()), h.shareModel()
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
	return p
}

func lane(c *flow.Controller) templates.Lane {
	l := templates.Lane{Name: c.Key, Kind: c.ObjectKind, Workers: c.Workers, Reconciles: c.Reconciles, Errors: c.Errors}
	if d := median(c.Latency); d > 0 {
		l.P50 = "≤ " + d.String()
	}
	return l
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
