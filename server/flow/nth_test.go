package flow

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// rootAt is the root of a pass over an item, ready at a time.
func rootAt(trace, item string, at int64) Span {
	return Span{
		Source: Source{Instance: "i"}, TraceID: trace, SpanID: "1", Name: semconv.SpanReconcilePrefix + "podset", From: at, To: at + 1,
		Attrs: Attrs{semconv.AttrController: "podset", semconv.AttrObjectName: item},
	}
}

// numbersOf are the passes of an item with a number, in the order of From.
func numbersOf(rows []Row, item string) []*Reconcile {
	var list []*Reconcile
	for _, row := range rows {
		if r, ok := row.(*Reconcile); ok && r.Item == item {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b *Reconcile) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Key, b.Key)) })
	return list
}

// Passes that come in order, or not more than maxNumbered late, have the numbers
// of their order, however many of them are kept; and no two ever have the same.
func TestPassesAreNumberedInTheOrderOfTheirTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kept := rapid.SampledFrom([]int{3, 50, 1000}).Draw(t, "kept")
		late := rapid.SampledFrom([]int{0, 5, maxNumbered - 1}).Draw(t, "late")
		n := rapid.IntRange(1, 200).Draw(t, "passes")
		order := make([]int, n) // each at most so many places away from its own
		for i := range order {
			order[i] = i
		}
		for i := 0; i < n; i += late + 1 {
			part := order[i:min(i+late+1, n)]
			copy(part, rapid.Permutation(part).Draw(t, "part"))
		}
		s, seen := New(Limits{Reconciles: max(kept, late+1)}), viewer{}
		for i, k := range order {
			seen.apply(t, s.Step(Input{Now: t0 + int64(i), Spans: []Span{rootAt(fmt.Sprintf("%04d", k), "web", t0+int64(k))}}))
			taken := map[int64]string{}
			for _, r := range numbersOf(seen.rows(), "web") {
				if other := taken[r.Nth]; r.Nth == 0 || other != "" {
					t.Fatalf("after pass %d both %s and %s have the number %d", k, other, r.Key, r.Nth)
				}
				taken[r.Nth] = r.Key
			}
		}
		for _, r := range numbersOf(s.Rows(), "web") {
			if want := r.From - t0 + 1; kept > n && r.Nth != want || late == 0 && r.Nth != want {
				t.Fatalf("pass %s has the number %d, want %d", r.Key, r.Nth, want)
			}
		}
	})
}

// What comes when more than maxNumbered newer ones are there moves only these.
func TestAPassThatComesFarTooLateIsNumberedBeforeTheNewest(t *testing.T) {
	s := New(Limits{})
	for i := range 100 {
		s.Step(Input{Now: t0, Spans: []Span{rootAt(fmt.Sprintf("%04d", i), "web", t0+int64(i))}})
	}
	out := s.Step(Input{Now: t0, Spans: []Span{rootAt("late", "web", t0-1)}})
	numbers := map[string]int64{}
	moved := 0
	for _, r := range numbersOf(s.Rows(), "web") {
		numbers[r.Key] = r.Nth
	}
	for _, o := range out {
		if r, ok := o.Row.(*Reconcile); ok && r.Key != "late" {
			moved++
		}
	}
	if numbers["0035"] != 36 || numbers["late"] != 37 || numbers["0036"] != 38 || numbers["0099"] != 101 || moved != maxNumbered {
		t.Errorf("numbers %v, %d moved", numbers, moved)
	}
}

func TestEachItemOfEachControllerIsNumberedByItself(t *testing.T) {
	s := New(Limits{})
	other := rootAt("o", "web", t0)
	other.Attrs[semconv.AttrController] = "other"
	s.Step(Input{Now: t0, Spans: []Span{rootAt("a", "web", t0), rootAt("b", "api", t0+1), other, rootAt("c", "web", t0+2)}})
	got := map[string]int64{}
	for _, row := range s.Rows() {
		if r, ok := row.(*Reconcile); ok {
			got[r.Key] = r.Nth
		}
	}
	if got["a"] != 1 || got["b"] != 1 || got["o"] != 1 || got["c"] != 2 {
		t.Errorf("numbers %v", got)
	}
}
