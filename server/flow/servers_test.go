package flow

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// servedPass folds a pass with one write, and gives what takes server spans of
// it in: the i-th begins at i ms.
func servedPass() (s *State, serve func(order ...int) Write) {
	s = New(Limits{})
	src := Source{Instance: "i"}
	s.Step(Input{Now: t0, Spans: []Span{
		{Source: src, TraceID: "t", SpanID: "w", Name: semconv.SpanWrite, From: t0, To: ms(1000), Attrs: Attrs{}},
		{Source: src, TraceID: "t", SpanID: "r", Name: semconv.SpanReconcilePrefix + "c", From: t0, To: ms(1000), Attrs: Attrs{
			semconv.AttrController: "c", semconv.AttrObjectName: "x",
		}},
	}})
	return s, func(order ...int) Write {
		var in Input
		for _, i := range order {
			in.Spans = append(in.Spans, Span{TraceID: "t", SpanID: fmt.Sprint("s", i), Parent: "w", Name: "n", From: ms(int64(i)), To: ms(int64(i + 1))})
		}
		s.Step(in)
		return s.passes["t"].view().Writes[0]
	}
}

func TestServerSpansDoNotChangeRowsThatWereGivenOut(t *testing.T) {
	_, serve := servedPass()
	given := serve(5, 6, 7)
	want := slices.Clone(given.Server)
	serve(1)
	serve(2)
	if diff := cmp.Diff(want, given.Server); diff != "" {
		t.Errorf("-given out +now:\n%s", diff)
	}
}

func TestServerSpansOfAWriteAreCut(t *testing.T) {
	all := seqTo(maxServer + 10)
	backwards := slices.Clone(all)
	slices.Reverse(backwards)
	for name, order := range map[string][]int{"forwards": all, "backwards": backwards} {
		t.Run(name, func(t *testing.T) {
			s, serve := servedPass()
			w := serve(order...)
			if len(w.Server) != maxServer || !w.ServerCut {
				t.Fatalf("%d server spans are shown, cut is %v; want %d and true", len(w.Server), w.ServerCut, maxServer)
			}
			if first, last := w.Server[0].From, w.Server[maxServer-1].From; first != t0 || last != ms(maxServer-1) {
				t.Errorf("the spans kept begin at %s to %s; want the earliest ones", millis(first), millis(last))
			}
			if out := s.Step(Input{Spans: []Span{{TraceID: "t", SpanID: "s50", Parent: "w", From: ms(50), To: ms(51)}}}); len(out) > 0 {
				t.Errorf("a span that was cut came again and gave %s", raw(t, out))
			}
		})
	}
}

// TestServerSpansInALoop sends spans that hang on each other in a circle, which
// no tree does, and then on a write.
func TestServerSpansInALoop(t *testing.T) {
	s, _ := servedPass()
	s.Step(Input{Spans: []Span{
		{TraceID: "t", SpanID: "a", Parent: "b", Name: "a"},
		{TraceID: "t", SpanID: "b", Parent: "a", Name: "b", Links: []Link{{TraceID: "t", SpanID: "w"}}},
	}})
	if got := s.passes["t"].view().Writes[0].Server; len(got) != 2 {
		t.Errorf("%d spans are shown, want 2: %+v", len(got), got)
	}
}
