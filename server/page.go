package server

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/server/recording"
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
	who, name := h.roleOf(r), r.URL.Query().Get("recording")
	switch {
	case who == nobody:
		n := templates.LoginNeeded()
		n.Command = h.origin(r) + "/login?token=…"
		h.say(w, r, n)
	case name != "":
		h.recordedPage(w, r, who, name)
	case h.cfg.Replay != "":
		http.Redirect(w, r, recordingAddress(h.cfg.Replay), http.StatusSeeOther)
	default:
		h.show(w, r, h.model(who))
	}
}

// show renders the page, unless the viewers' places are all taken.
func (h *Hub) show(w http.ResponseWriter, r *http.Request, p templates.Page) {
	if h.isFull(r) {
		h.say(w, r, templates.Notice{Status: http.StatusServiceUnavailable, Title: "No place is left", Text: h.fullWords() + "."})
		return
	}
	h.knowAgain(w, r)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	p.Made = time.Now()
	if err := templates.Index(p).Render(r.Context(), w); err != nil {
		h.cfg.Log.Debug("a page was not sent whole", "error", err)
	}
}

// model is the page of what is live, as one in that role sees it.
func (h *Hub) model(who role) templates.Page {
	p := templates.Page{
		Cluster: h.cfg.Cluster,
		Version: h.cfg.Version,
		Role:    who.String(),
	}
	if who == presenter {
		p.CanAct, p.Attach, p.Share = h.cfg.Actions != nil, templates.AttachSteps(h.URL(), h.kept.Ingest), h.shareModel()
		p.CanTeach = h.cfg.Lessons != nil
		p.CanEmbed = len(h.cfg.EmbedAncestors) > 0
		p.Save = "/api/v1/export?gzip=true"
	}
	if _, err := h.recordings.named(recording.SampleName); err == nil {
		p.Sample = recordingAddress(recording.SampleName)
	}
	if !p.CanAct {
		p.NoAct = "This hub has no cluster to act on. Start it with --kubeconfig, or use tracer demo."
	}
	return withRows(p, h.watch)
}

// withRows adds what can be read before any script runs.
func withRows(p templates.Page, of *watch.Hub) templates.Page {
	controllers, _, _ := of.Rows(watch.Filter{Kinds: []flow.RowKind{flow.RowController}})
	for _, row := range controllers {
		if c, ok := row.(*flow.Controller); ok {
			p.Lanes = append(p.Lanes, lane(c))
		}
	}
	recent, _, _ := of.Rows(watch.Filter{Kinds: []flow.RowKind{flow.RowReconcile}, Limit: recentPasses})
	for _, row := range recent {
		if r, ok := row.(*flow.Reconcile); ok {
			p.Recent = append(p.Recent, pass(r))
		}
	}
	slices.SortFunc(p.Lanes, func(a, b templates.Lane) int { return cmp.Compare(a.Name, b.Name) })
	slices.Reverse(p.Recent) // the newest first
	p.Findings = findings(of)
	return p
}

// findings are the newest few, the newest first.
func findings(of *watch.Hub) []templates.Finding {
	rows, _, _ := of.Rows(watch.Filter{Kinds: []flow.RowKind{flow.RowFinding}, Limit: recentFindings})
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
	l := templates.Lane{Name: c.Key, Kind: c.ObjectKind, Workers: c.Workers, Reconciles: c.Reconciles, Errors: c.Errors, Control: c.Control, Start: startUp(c)}
	if d := median(c.Latency); d > 0 {
		l.P50 = "≤ " + templates.Took(d)
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
		ID: r.Key, Controller: r.Controller, Item: r.Item, Nth: r.Nth, At: time.UnixMicro(r.Start), Result: r.Result, Error: r.Error,
		Causes: causesShort(r), Plan: plan(r),
	}
	if r.Refused() {
		p.Refused = refused(r)
	}
	if r.To > 0 {
		p.Took = time.Duration(r.To-r.Start) * time.Microsecond
	}
	return p
}

// refused counts the writes that failed, in the page's words: no answer, or the
// server's own error, is no refusal.
func refused(r *flow.Reconcile) string {
	word := "refused"
	if slices.ContainsFunc(r.Writes, func(w flow.Write) bool { return w.Status == 0 || w.Status >= 500 }) {
		word = "failed"
	}
	if r.FailedWrites == 1 {
		return "1 write " + word
	}
	return fmt.Sprintf("%d writes %s", r.FailedWrites, word)
}

func plan(r *flow.Reconcile) string {
	var words []string
	for _, a := range r.Plan {
		words = append(words, a.Summary)
	}
	return strings.Join(words, ", ")
}
