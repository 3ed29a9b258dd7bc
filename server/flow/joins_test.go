package flow

import (
	"testing"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// joinOne folds one pass that writes and one that the write causes, whose
// cause says by, and returns the cause and the edge.
func joinOne(t *testing.T, by, causedController string) (Cause, Edge) {
	t.Helper()
	root := func(trace, controller string) Span {
		return Span{
			Source: Source{Instance: "i"}, TraceID: trace, SpanID: trace + "-root", Name: semconv.SpanReconcilePrefix + controller,
			From: t0, To: t0 + 100,
			Attrs: Attrs{semconv.AttrController: controller, semconv.AttrObjectName: "web", semconv.AttrResult: semconv.ResultSuccess},
		}
	}
	s := New(Limits{})
	s.Step(Input{Now: t0 + 200, Spans: []Span{
		root("writes", "podset"),
		{Source: Source{Instance: "i"}, TraceID: "writes", SpanID: "w", Name: semconv.SpanWrite, From: t0 + 10, To: t0 + 20, Attrs: Attrs{
			semconv.AttrHTTPMethod: "PUT", semconv.AttrHTTPStatus: int64(200), semconv.AttrWriteUID: "u", semconv.AttrWriteResourceVersionNew: "7",
		}},
		root("follows", causedController),
		{Source: Source{Instance: "i"}, TraceID: "follows", SpanID: "d", Name: semconv.SpanDequeue, From: t0 + 30, To: t0 + 40, Events: []Event{{
			Name: semconv.EventCause, At: t0 + 30, Attrs: Attrs{
				semconv.AttrCause: semconv.CauseUpdate, semconv.AttrCauseBy: by, semconv.AttrCauseObjectUID: "u", semconv.AttrCauseObjectRV: "7",
			},
		}}},
	}})
	var cause Cause
	var edge Edge
	for _, r := range s.Rows() {
		switch r := r.(type) {
		case *Reconcile:
			if r.Key == "follows" {
				cause = r.Causes[0]
			}
		case *Edge:
			edge = *r
		}
	}
	if cause.Write == nil || cause.Write.Span != "w" || edge.Key == "" {
		t.Fatalf("cause %+v and edge %+v are not joined to the write", cause, edge)
	}
	return cause, edge
}

func TestTheHubResolvesOnlyWhatTheEmitterCouldNot(t *testing.T) {
	for _, c := range []struct{ by, controller, want string }{
		{semconv.ByUnknown, "podset", semconv.BySelf},
		{semconv.ByUnknown, "another", semconv.ByOther},
		{semconv.BySelf, "podset", semconv.BySelf},
		{semconv.BySelf, "another", semconv.BySelf},
		{semconv.ByOther, "podset", semconv.ByOther},
		{semconv.ByOther, "another", semconv.ByOther},
	} {
		cause, edge := joinOne(t, c.by, c.controller)
		if cause.By != c.want || edge.Self != (c.want == semconv.BySelf) {
			t.Errorf("%s of the emitter's, seen by %s: by %s, edge self %v; want %s", c.by, c.controller, cause.By, edge.Self, c.want)
		}
	}
}

// A foreign emitter may say by a span link alone which write a cause followed
// from. It counts where it is clear what it explains.
func TestALinkNamesTheWriteOfTheOneCauseLeft(t *testing.T) {
	change := func(write string) Event {
		a := Attrs{semconv.AttrCause: semconv.CauseUpdate}
		setText(a, semconv.AttrCauseWriteSpanID, write)
		return Event{Name: semconv.EventCause, At: t0, Attrs: a}
	}
	resync := Event{Name: semconv.EventCause, At: t0, Attrs: Attrs{semconv.AttrCause: semconv.CauseResync}}
	a, b := Link{TraceID: "ta", SpanID: "a"}, Link{TraceID: "tb", SpanID: "b"}
	for name, c := range map[string]struct {
		causes []Event
		links  []Link
		counts []string
		want   string // the spans of the causes' writes
	}{
		"one and one":           {causes: []Event{change("")}, links: []Link{a}, want: "a"},
		"no link":               {causes: []Event{change("")}, want: "-"},
		"two links":             {causes: []Event{change("")}, links: []Link{a, b}, want: "-"},
		"two causes":            {causes: []Event{change(""), change("")}, links: []Link{a}, want: "--"},
		"one of two is known":   {causes: []Event{change("a"), change("")}, links: []Link{a, b}, want: "ab"},
		"the known one's alone": {causes: []Event{change("a"), change("")}, links: []Link{a}, want: "a-"},
		"a resync has none":     {causes: []Event{resync, change("")}, links: []Link{b}, want: "-b"},
		"resync alone":          {causes: []Event{resync}, links: []Link{b}, want: "-"},
		"causes left out":       {causes: []Event{change("")}, links: []Link{a}, counts: []string{"update=9"}, want: "-"},
	} {
		s := New(Limits{})
		attrs := Attrs{semconv.AttrController: "podset", semconv.AttrObjectName: "web"}
		if c.counts != nil {
			attrs[semconv.AttrCauseCounts] = c.counts
		}
		s.Step(Input{Now: t0, Spans: []Span{{
			Source: Source{Instance: "i"}, TraceID: "t", SpanID: "d", Name: semconv.SpanDequeue, From: t0, To: t0 + 1,
			Attrs: attrs, Events: c.causes, Links: c.links,
		}}})
		got := ""
		for _, cause := range s.passes["t"].row.Causes {
			if cause.Write == nil {
				got += "-"
				continue
			}
			got += cause.Write.Span
		}
		if got != c.want {
			t.Errorf("%s: the causes' writes are %q, want %q", name, got, c.want)
		}
	}
}
