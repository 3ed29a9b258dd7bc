package flow

import (
	"cmp"
	"slices"
)

// seqs is a range of span numbers, both ends included.
type seqs struct{ first, last int64 }

func (r seqs) len() int64 { return r.last - r.first + 1 }

// ranges is a set of numbers: ranges that neither overlap nor touch, in order.
type ranges []seqs

// at returns the index of the first range that ends at or after n.
func (rs ranges) at(n int64) int {
	i, _ := slices.BinarySearchFunc(rs, n, func(r seqs, n int64) int { return cmp.Compare(r.last, n) })
	return i
}

func (rs ranges) has(n int64) bool {
	i := rs.at(n)
	return i < len(rs) && rs[i].first <= n
}

// add returns the set with r in it.
func (rs ranges) add(r seqs) ranges {
	from := rs.at(r.first - 1)
	to := from
	for to < len(rs) && rs[to].first <= r.last+1 {
		r.first, r.last = min(r.first, rs[to].first), max(r.last, rs[to].last)
		to++
	}
	return slices.Replace(rs, from, to, r)
}

// missing returns what of 1 to top is not in the set.
func (rs ranges) missing(top int64) []seqs {
	var holes []seqs
	next := int64(1)
	for _, r := range rs {
		if r.first > next {
			holes = append(holes, seqs{next, r.first - 1})
		}
		next = r.last + 1
	}
	if next <= top {
		holes = append(holes, seqs{next, top})
	}
	return holes
}

// runsOf sorts numbers and joins those that follow each other.
func runsOf(numbers []int64) []seqs {
	slices.Sort(numbers)
	var out []seqs
	for _, n := range numbers {
		if k := len(out) - 1; k >= 0 && n <= out[k].last+1 {
			out[k].last = n
			continue
		}
		out = append(out, seqs{n, n})
	}
	return out
}
