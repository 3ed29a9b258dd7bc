package flow

import (
	"fmt"
	"testing"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// TestDropsOfManyPredicatesAreBounded sends drops of more predicates than a
// controller's row names: all are counted, and the row stays small.
func TestDropsOfManyPredicatesAreBounded(t *testing.T) {
	s, source := New(Limits{}), Source{Instance: "i1"}
	for i := range maxDrops + 8 {
		in := Input{Now: t0 + second, Logs: []Log{{
			Source: source, Event: semconv.LogDrop, At: t0 + int64(i),
			Attrs: Attrs{
				semconv.AttrController: "podset", semconv.AttrDropCount: int64(3),
				semconv.AttrDropPredicate: fmt.Sprintf("predicate-%02d", maxDrops+8-i),
			},
		}}}
		s.Step(in)
	}
	row := s.controllers["podset"].row
	if len(row.Drops) != maxDrops {
		t.Errorf("the row names %d predicates; want %d", len(row.Drops), maxDrops)
	}
	if want := int64(3 * (maxDrops + 8)); row.Dropped != want {
		t.Errorf("%d events are counted; want %d", row.Dropped, want)
	}
	for i := range len(row.Drops) - 1 {
		if row.Drops[i].Predicate >= row.Drops[i+1].Predicate {
			t.Errorf("%q comes before %q", row.Drops[i].Predicate, row.Drops[i+1].Predicate)
		}
	}
}
