package flow

import "container/list"

// changed is a row that the step under way is going to give out.
type changed interface {
	// publish returns the row, nil when it must not be seen (any more).
	publish() Row
}

type rowOf[R any] interface {
	*R
	Row
}

// slot holds one row of a kind that is small enough to be compared and
// replaced whole, and a note N that belongs to it and is not shown.
type slot[R any, P rowOf[R], N any] struct {
	row    *R
	note   N
	elem   *list.Element
	queued bool
	given  bool
	gone   bool
}

func (s *slot[R, P, N]) publish() Row {
	s.queued = false
	if s.gone {
		return nil
	}
	s.given = true
	return P(s.row)
}

// table holds the rows of such a kind, oldest first.
type table[R any, P rowOf[R], N any] struct {
	slots map[string]*slot[R, P, N]
	order list.List
	max   int
	same  func(a, b *R) bool
	// open says which rows to evict last; nil: none.
	open func(*R) bool
	// left is told of each slot that is evicted; nil: nobody.
	left func(*slot[R, P, N])
}

func newTable[R any, P rowOf[R], N any](max int, same func(a, b *R) bool, open func(*R) bool) *table[R, P, N] {
	return &table[R, P, N]{slots: map[string]*slot[R, P, N]{}, max: max, same: same, open: open}
}

// equal compares rows that hold nothing but plain values.
func equal[R comparable](a, b *R) bool { return *a == *b }

// put makes next the row of its key and says so in s's outputs, if it differs.
func (t *table[R, P, N]) put(s *State, next R) *slot[R, P, N] {
	key := P(&next).ID()
	sl := t.slots[key]
	if sl == nil {
		sl = &slot[R, P, N]{}
		t.slots[key] = sl
		sl.elem = t.order.PushBack(sl)
		t.set(s, sl, next)
		t.shrink(s)
		return sl
	}
	t.set(s, sl, next)
	return sl
}

// set replaces sl's row; next has the same key.
func (t *table[R, P, N]) set(s *State, sl *slot[R, P, N], next R) {
	if sl.row != nil && t.same(sl.row, &next) {
		return
	}
	sl.row = &next
	if !sl.queued {
		sl.queued = true
		s.changed = append(s.changed, sl)
	}
}

// shrink evicts until the table is within its limit.
func (t *table[R, P, N]) shrink(s *State) {
	for len(t.slots) > t.max {
		t.drop(s, t.victim())
	}
}

// victim is the oldest row that is not open. It looks at the oldest few only,
// so that a table full of open rows costs no more; then the oldest has to go.
func (t *table[R, P, N]) victim() *slot[R, P, N] {
	e := t.order.Front()
	oldest := e.Value.(*slot[R, P, N])
	for range 64 {
		if e == nil {
			break
		}
		if sl := e.Value.(*slot[R, P, N]); t.open == nil || !t.open(sl.row) {
			return sl
		}
		e = e.Next()
	}
	return oldest
}

func (t *table[R, P, N]) drop(s *State, sl *slot[R, P, N]) {
	if sl.gone {
		return
	}
	sl.gone = true
	row := P(sl.row)
	delete(t.slots, row.ID())
	t.order.Remove(sl.elem)
	if sl.given {
		s.retract(row)
	}
	if t.left != nil {
		t.left(sl)
	}
}

// each calls f for every slot, oldest first.
func (t *table[R, P, N]) each(f func(*slot[R, P, N])) {
	for e := t.order.Front(); e != nil; e = e.Next() {
		f(e.Value.(*slot[R, P, N]))
	}
}

// appendTo appends every row.
func (t *table[R, P, N]) appendTo(rows []Row) []Row {
	t.each(func(sl *slot[R, P, N]) { rows = append(rows, P(sl.row)) })
	return rows
}
