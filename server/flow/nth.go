package flow

import (
	"cmp"
	"slices"
)

// numbering numbers the passes of an item from 1, in the order of From. A pass
// that comes late takes its place and those after it one number more. Only the
// newest maxNumbered can still move: an older one that comes is numbered right
// before them.
type numbering struct {
	// newest are the newest passes by nthFrom, before is the last number of those
	// that have theirs for good.
	newest []*pass
	before int64
}

func compareNth(a, b *pass) int {
	return cmp.Or(cmp.Compare(a.nthFrom, b.nthFrom), cmp.Compare(a.row.Key, b.row.Key))
}

// numberPass gives p its number, or another when its From has changed.
func (s *State) numberPass(it *itemSlot, p *pass) {
	n, known := &it.note.numbers, p.row.Nth != 0
	if known && p.nthFrom == p.row.From {
		return
	}
	low := len(n.newest)
	if known {
		i, found := slices.BinarySearchFunc(n.newest, p, compareNth)
		if !found {
			return // it has its number for good
		}
		n.newest, low = slices.Delete(n.newest, i, i+1), i
	}
	p.nthFrom = p.row.From
	i, _ := slices.BinarySearchFunc(n.newest, p, compareNth)
	n.newest = slices.Insert(n.newest, i, p)
	for i := min(i, low); i < len(n.newest); i++ {
		if q, nth := n.newest[i], n.before+int64(i)+1; q.row.Nth != nth {
			q.own().Nth = nth
			s.renumbered = append(s.renumbered, q)
		}
	}
	if len(n.newest) > maxNumbered {
		n.fix(1)
	}
}

// fix leaves the oldest few their numbers for good.
func (n *numbering) fix(few int) {
	n.before += int64(few)
	n.newest = slices.Delete(n.newest, 0, few)
	if len(n.newest) == 0 {
		n.newest = nil
	}
}

// letGo takes out a pass that is evicted. It and those before it keep their
// numbers, so that no other gets one of them.
func (n *numbering) letGo(p *pass) {
	if i, found := slices.BinarySearchFunc(n.newest, p, compareNth); found && n.newest[i] == p {
		n.fix(i + 1)
	}
}
