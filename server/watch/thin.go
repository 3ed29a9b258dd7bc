package watch

import (
	"time"

	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// thin leaves out what is over the feed's allowance: reconciles that have just
// ended well, evenly, so that those that are sent are a fair sample, each with
// its stay in the queue. What failed, what still runs, what is pinned and every
// other row is always sent. It returns how many reconciles are left out, nil when
// none are, and the rows left out of which no viewer has had anything.
func (j *job) thin(now time.Time, cfg Config) (kept []*change, left counts, unseen []flow.RowRef) {
	all := 0
	for _, c := range j.changes {
		if j.mayLeave(c) {
			all++
		}
	}
	sent := j.feed.allowed.take(all, now, cfg)
	if sent == all {
		return j.changes, nil, nil
	}
	out := j.pick(sent, all)
	for _, c := range j.changes {
		switch {
		case !out[c.ref]:
			kept = append(kept, c)
		case c.fresh:
			unseen = append(unseen, c.ref)
		default:
			// A viewer may have it as still running: it must not run for ever.
			kept = append(kept, &change{ref: c.ref})
		}
	}
	return kept, counts{semconv.ResultSuccess: int64(all - sent)}, unseen
}

// allowance is how many successful reconciles may be sent: MaxRate a second, or
// SampleRate while more than MaxRate come. A picture of many is no better with
// more of them, and each costs every viewer.
type allowance struct {
	left float64
	at   time.Time
	// came counts those since a moment, a second at least, sampling says that
	// there were too many.
	came     int
	since    time.Time
	sampling bool
}

// take asks for all of n, and answers how many may be sent.
func (a *allowance) take(n int, now time.Time, cfg Config) int {
	rate := cfg.MaxRate
	if a.sampling {
		rate = min(rate, cfg.SampleRate)
	}
	a.left += now.Sub(a.at).Seconds() * float64(rate)
	a.left = max(0, min(a.left, float64(cfg.MaxBurst)))
	a.at = now
	sent := min(n, int(a.left))
	a.left -= float64(sent)
	a.sampling = a.sampling || sent < n
	a.count(n, now, cfg)
	return sent
}

// count ends the sampling when those that came were few enough for a second.
func (a *allowance) count(n int, now time.Time, cfg Config) {
	a.came += n
	passed := now.Sub(a.since).Seconds()
	if passed < 1 {
		return
	}
	a.sampling = a.sampling && float64(a.came) > passed*float64(cfg.MaxRate)
	a.came, a.since = 0, now
}

// pick chooses what is left out when only so many of all that may be are sent:
// the others, and their ended stays in the queue.
func (j *job) pick(sent, all int) map[flow.RowRef]bool {
	out := make(map[flow.RowRef]bool, 2*(all-sent))
	i := 0
	for _, c := range j.changes {
		if !j.mayLeave(c) {
			continue
		}
		i++
		if i*sent/all > (i-1)*sent/all {
			continue
		}
		out[c.ref] = true
		r := c.now.row.(*flow.Reconcile)
		out[flow.RowRef{Kind: flow.RowWait, ID: flow.ReadyWaitKey(r.Controller, r.Item, r.From)}] = true
	}
	return out
}

// mayLeave says that a change may be left out: a reconcile that has just ended
// well, of an item that nobody has pinned.
func (j *job) mayLeave(c *change) bool {
	return c.now != nil && c.ended && dull(c.now.row) && j.pins[itemOfRow(c.now.row)] == 0
}

// leave remembers rows that no viewer has had and that are in the table still. One
// that has changed meanwhile is sent with its change.
func (f *feed) leave(unseen []flow.RowRef, t table) {
	for _, ref := range unseen {
		if _, there := t[ref]; !there || f.pending[ref] != nil {
			continue
		}
		if f.left == nil {
			f.left = map[flow.RowRef]bool{}
		}
		f.left[ref] = true
	}
}

// passesOver says that a change of a row that was left out is left out too: it
// goes, or it is no more worth sending than before.
func (f *feed) passesOver(ref flow.RowRef, now *encoded, has bool) bool {
	if !f.left[ref] {
		return false
	}
	if has && !dull(now.row) {
		delete(f.left, ref)
		return false
	}
	if !has {
		delete(f.left, ref)
	}
	return true
}

// dull says that a row may be left out: a reconcile that ended well with all its
// writes, a stay in the queue that is over.
func dull(row flow.Row) bool {
	switch r := row.(type) {
	case *flow.Reconcile:
		return r.Result == semconv.ResultSuccess && !r.Refused()
	case *flow.Wait:
		return r.To != 0
	}
	return false
}
