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
// oldest: of the reconciles all but limit, of the other rows with an interval
// those that ended before the oldest reconcile that stays, and of each kind
// what is over limit still. Rows of now, gaps and findings stay whole.
func newest(entries []entry, limit int) []entry {
	var out []entry
	oldest := int64(0)
	for i, list := range byKind(entries) { // reconciles are the first kind
		switch flow.RowKind(kinds[i]) {
		case flow.RowReconcile:
			all := len(list)
			if list = tail(list, limit); len(list) < all {
				oldest = list[0].from
			}
		case flow.RowWait, flow.RowHold, flow.RowEdge, flow.RowSample:
			list = slices.DeleteFunc(list, func(e entry) bool {
				to := factsOf(e.row).to
				return to != 0 && to < oldest
			})
			list = tail(list, limit)
		default:
			list = tail(list, len(list))
		}
		out = append(out, list...)
	}
	return out
}

// tail sorts entries by time and key and returns the last n.
func tail(list []entry, n int) []entry {
	slices.SortFunc(list, func(a, b entry) int {
		if a.from != b.from {
			return cmp.Compare(a.from, b.from)
		}
		return cmp.Compare(a.row.ID(), b.row.ID())
	})
	return list[max(0, len(list)-n):]
}
