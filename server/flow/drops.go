package flow

import (
	"cmp"
	"slices"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// maxDroppers is for how many predicates and kinds of one process drops are
// counted apart.
const maxDroppers = 256

// takeDrop counts events that a predicate dropped. One record tells of the
// newest of a predicate and kind, and how many there were so far; without that
// number, of one. A record that is not newer than the last of its predicate and
// kind is taken for a repetition.
func (s *State) takeDrop(r *run, l *Log) {
	name := l.Attrs.text(semconv.AttrController)
	if name == "" {
		return
	}
	rep, told := s.bind(name, r.source), dropOf(l)
	d := rep.drops(told.Predicate + "/" + told.ObjectKind)
	if l.At <= d.at {
		return
	}
	told.Count = d.grown(l.Attrs.num(semconv.AttrDropCount))
	d.at = l.At
	row := s.editController(rep.controller)
	row.Dropped += told.Count
	row.addDrop(told)
	if sm := s.sample(name, l.At); sm != nil {
		s.editSample(sm).Drops += int(told.Count)
	}
}

func dropOf(l *Log) Drop {
	a := l.Attrs
	d := Drop{
		Predicate: a.text(semconv.AttrDropPredicate), ObjectKind: a.text(semconv.AttrObjectKind),
		What: a.text(semconv.AttrDropEvent), At: l.At,
	}
	if name := a.text(semconv.AttrObjectName); name != "" {
		d.Item = itemName(a.text(semconv.AttrNamespace), name)
	}
	return d
}

// addDrop adds to what a predicate has dropped of a kind; the list stays in the
// order of their names, and within its bound.
func (r *Controller) addDrop(d Drop) {
	i, known := slices.BinarySearchFunc(r.Drops, d, func(a, b Drop) int {
		return cmp.Or(cmp.Compare(a.Predicate, b.Predicate), cmp.Compare(a.ObjectKind, b.ObjectKind))
	})
	if !known {
		if len(r.Drops) < maxDrops {
			r.Drops = slices.Insert(r.Drops, i, d)
		}
		return
	}
	old := &r.Drops[i]
	old.Count += d.Count
	if d.At > old.At { // replicas have clocks of their own
		old.What, old.Item, old.At = d.What, d.Item, d.At
	}
}

// dropped is what the newest record of a predicate and kind said.
type dropped struct{ at, count int64 }

// drops returns what is known of a predicate and kind; all that are too many
// are one.
func (rep *replica) drops(by string) *dropped {
	if len(rep.dropped) >= maxDroppers && rep.dropped[by] == nil {
		by = ""
	}
	if rep.dropped == nil {
		rep.dropped = map[string]*dropped{}
	}
	if rep.dropped[by] == nil {
		rep.dropped[by] = &dropped{}
	}
	return rep.dropped[by]
}

// grown takes in a count so far and returns by how much it has grown: from 0
// when the process has begun anew, by 1 when there is no count.
func (d *dropped) grown(count int64) int64 {
	if count <= 0 || count > maxSeq {
		return 1
	}
	n := count - d.count
	if n < 0 {
		n = count
	}
	d.count = count
	return n
}
