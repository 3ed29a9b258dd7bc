package watch

import (
	"cmp"
	"slices"

	"github.com/reconcile-tracer/tracer/server/flow"
)

// entry is a row of the table. Done is the offset at which a reconcile was
// first seen with its end, 0 as long as it was not and for other rows; from is
// the row's From, kept at hand for sorting.
type entry struct {
	row  flow.Row
	done uint64
	from int64
}

// table is the hub's state as viewers see it.
type table map[flow.RowRef]entry

// put stores a row and returns what was there before, and whether a reconcile
// came to its end with it.
func (t table) put(ref flow.RowRef, row flow.Row, offset uint64) (before entry, ended bool) {
	before = t[ref]
	now := entry{row: row, done: before.done, from: factsOf(row).from}
	if r, ok := row.(*flow.Reconcile); ok && r.To != 0 && now.done == 0 {
		now.done, ended = offset, true
	}
	t[ref] = now
	return before, ended
}

// choose returns the rows that a filter matches.
func (t table) choose(f Filter) []entry {
	var out []entry
	for _, e := range t {
		if f.Match(e.row) {
			out = append(out, e)
		}
	}
	return out
}

// chooseOf returns the rows of an item that a filter matches.
func (t table) chooseOf(it itemOf, f Filter) []entry {
	var out []entry
	for _, e := range t {
		if itemOfRow(e.row) == it && f.Match(e.row) {
			out = append(out, e)
		}
	}
	return out
}

// byKind parts entries by kind, in the order of kinds.
func byKind(entries []entry) [][]entry {
	out := make([][]entry, len(kinds))
	for _, e := range entries {
		if i := slices.Index(kinds, string(e.row.Kind())); i >= 0 {
			out[i] = append(out[i], e)
		}
	}
	return out
}

// newest puts entries into order, by kind and then by time, and leaves out the
// oldest of what has ended: of the reconciles all but limit, of the other rows
// with an interval those that ended before the oldest of these reconciles, and
// of each kind what is over limit still. What goes on stays whole, since it is
// counted, and so do rows of now, gaps and findings.
func newest(entries []entry, limit int) []entry {
	var out []entry
	oldest := int64(0)
	for i, list := range byKind(entries) { // reconciles are the first kind
		sortByTime(list)
		switch flow.RowKind(kinds[i]) {
		case flow.RowReconcile:
			list, oldest = newestEnded(list, limit)
		case flow.RowWait, flow.RowHold, flow.RowControl, flow.RowEdge, flow.RowSample:
			list = slices.DeleteFunc(list, func(e entry) bool { return hasEnded(e) && factsOf(e.row).to < oldest })
			list, _ = newestEnded(list, limit)
		}
		out = append(out, list...)
	}
	return out
}

// newestEnded leaves out of a list in order all that has ended but the last n,
// and returns where these begin, 0 when there are not more.
func newestEnded(list []entry, n int) (kept []entry, oldest int64) {
	over := -n
	for _, e := range list {
		if hasEnded(e) {
			over++
		}
	}
	if over <= 0 {
		return list, 0
	}
	for _, e := range list {
		switch {
		case !hasEnded(e):
		case over > 0:
			over--
			continue
		case oldest == 0:
			oldest = e.from
		}
		kept = append(kept, e)
	}
	return kept, oldest
}

func hasEnded(e entry) bool { return factsOf(e.row).to != 0 }

// tail sorts entries by time and key and returns the last n.
func tail(list []entry, n int) []entry {
	sortByTime(list)
	return list[max(0, len(list)-n):]
}

func sortByTime(list []entry) {
	slices.SortFunc(list, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.row.ID(), b.row.ID()))
	})
}
