package flow

import (
	"fmt"
	"testing"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// A pass may have more spans than a row can tell apart. It ends all the same,
// and says how many were left out.
func TestPassWithTooManySpansEnds(t *testing.T) {
	const over = 10
	s := New(Limits{})
	span := func(n int, name string, a Attrs) Span {
		return Span{
			Source: Source{Instance: "a"}, TraceID: fmt.Sprintf("%032x", 1), SpanID: fmt.Sprintf("%016x", n), Name: name,
			From: t0, To: t0 + 1, Attrs: a,
		}
	}
	var spans []Span
	for n := range maxSpans + over {
		spans = append(spans, span(n+1, semconv.SpanRead, Attrs{}))
	}
	s.Step(Input{Now: t0, Spans: spans})
	root := span(1<<40, semconv.SpanReconcilePrefix+"podset", Attrs{
		semconv.AttrController: "podset", semconv.AttrNamespace: "shop", semconv.AttrObjectName: "web",
	})
	s.Step(Input{Now: t0, Spans: []Span{root, root}})
	for _, row := range s.Rows() {
		if r, ok := row.(*Reconcile); ok {
			if r.To == 0 || r.ReadCount != maxSpans || r.OmittedSpans != over {
				t.Errorf("the pass ends at %d with %d reads, %d spans left out; want an end, %d, %d",
					r.To, r.ReadCount, r.OmittedSpans, maxSpans, over)
			}
			return
		}
	}
	t.Error("the pass is not there")
}
