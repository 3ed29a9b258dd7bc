package flow

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

func TestMemoryStaysWithinLimits(t *testing.T) {
	limits := Limits{Reconciles: 20, Bytes: 100_000, Edges: 10, Waits: 10, Holds: 5, Gaps: 5, Items: 5, Findings: 4, Samples: 5, Controllers: 3, Runs: 4, ServerSpans: 12}
	rapid.Check(t, func(t *rapid.T) {
		s, seen := New(limits), viewer{}
		for i := range rapid.IntRange(1, 60).Draw(t, "steps") {
			seen.apply(t, s.Step(drawNonsense(t, t0+int64(i)*second)))
			checkBounds(t, s, limits)
		}
		if diff := cmp.Diff(sortedLines(t, s.Rows()), sortedLines(t, seen.rows())); diff != "" {
			t.Fatalf("-the fold's rows +a viewer's:\n%s", diff)
		}
	})
}

func checkBounds(t *rapid.T, s *State, l Limits) {
	for _, c := range []struct {
		what     string
		got, max int
	}{
		{"passes", len(s.passes), l.Reconciles},
		{"passes listed", s.open.Len() + s.done.Len(), l.Reconciles},
		{"bytes", s.bytes, max(l.Bytes, 50_000)},
		{"edges", len(s.edges.slots), l.Edges},
		{"waits", len(s.waits.slots), l.Waits},
		{"delays", len(s.delayed), 2 * l.Waits},
		{"outdated", len(s.outdated), l.Reconciles},
		{"holds", len(s.holds.slots), l.Holds},
		{"gaps", len(s.gaps.slots), l.Gaps},
		{"items", len(s.items.slots), l.Items},
		{"findings", len(s.findings.slots), l.Findings},
		{"suspects", len(s.suspects), 2 * l.Items},
		{"samples", len(s.samples), l.Samples},
		{"controllers", len(s.controllers), l.Controllers},
		{"processes of a controller", replicas(s), 2 * l.Controllers * maxReplicas},
		{"sources", len(s.sources), l.Runs},
		{"runs with holes", len(s.holed), l.Runs * maxRuns},
		{"server spans", s.servers.order.Len(), l.ServerSpans},
		{"names of server spans", len(s.servers.found), 2 * l.ServerSpans},
		{"what server spans hang on", len(s.servers.hanging), maxAbove * l.ServerSpans},
		{"versions", len(s.versions), l.Reconciles * (maxIndexed + semconv.MaxCauses)},
	} {
		if c.got > c.max {
			t.Fatalf("%d %s are kept; want at most %d", c.got, c.what, c.max)
		}
	}
}

// drawNonsense draws an input of the contract's words in an order and with
// values that no emitter would send.
func drawNonsense(t *rapid.T, now int64) Input {
	in := Input{Now: now - rapid.Int64Range(0, 3*second).Draw(t, "back")}
	for range rapid.IntRange(0, 6).Draw(t, "spans") {
		in.Spans = append(in.Spans, drawSpan(t, now))
	}
	for range rapid.IntRange(0, 6).Draw(t, "logs") {
		in.Logs = append(in.Logs, Log{
			Source: drawSource(t), Event: rapid.SampledFrom([]string{
				semconv.LogSpanStart, semconv.LogQueueItem, semconv.LogHold, semconv.LogDrop, semconv.LogControllerState, "other",
			}).Draw(t, "event"),
			At: drawTime(t, now), TraceID: drawWord(t, "trace"), SpanID: drawWord(t, "span"), Attrs: drawAttrs(t, now),
		})
	}
	for range rapid.IntRange(0, 2).Draw(t, "emitters") {
		in.Emitters = append(in.Emitters, Emitter{
			Source: drawSource(t), Epoch: drawWord(t, "epoch"), First: rapid.Int64().Draw(t, "first"),
			Last: rapid.Int64().Draw(t, "last"), Dropped: rapid.Int64().Draw(t, "dropped"),
		})
	}
	return in
}

func drawSpan(t *rapid.T, now int64) Span {
	sp := Span{
		Source: drawSource(t), Epoch: drawWord(t, "epoch"), TraceID: drawWord(t, "trace"), SpanID: drawWord(t, "span"),
		Name: rapid.SampledFrom([]string{
			semconv.SpanReconcilePrefix + "x", semconv.SpanDequeue, semconv.SpanFetch, semconv.SpanCompute,
			semconv.SpanApply, semconv.SpanRequeue, semconv.SpanRead, semconv.SpanWrite, "other",
		}).Draw(t, "name"),
		From: drawTime(t, now), To: drawTime(t, now), Attrs: drawAttrs(t, now),
	}
	if rapid.Bool().Draw(t, "hangs") {
		sp.Parent, sp.Attrs[semconv.AttrAuditID] = drawWord(t, "parent"), drawWord(t, "audit")
		sp.Links = []Link{{TraceID: drawWord(t, "trace"), SpanID: drawWord(t, "span")}}
	}
	for range rapid.SampledFrom([]int{0, 1, 3, 200}).Draw(t, "events") {
		sp.Events = append(sp.Events, Event{
			Name: semconv.EventCause, At: now, Attrs: Attrs{
				semconv.AttrCause: semconv.CauseUpdate, semconv.AttrCauseObjectUID: drawWord(t, "uid"),
				semconv.AttrCauseObjectRV: drawWord(t, "rv"),
			},
		})
	}
	return sp
}

func drawSource(t *rapid.T) Source { return Source{Instance: drawWord(t, "instance")} }

func drawWord(t *rapid.T, what string) string {
	return rapid.SampledFrom([]string{"", "a", "b", "c", "d", "e", "f", "g", strings.Repeat("long", 500)}).Draw(t, what) +
		rapid.SampledFrom([]string{"", "1", "2"}).Draw(t, what)
}

func drawTime(t *rapid.T, now int64) int64 {
	return rapid.SampledFrom([]int64{0, -1, now, now - second, now + second, now + 1000*second, 1 << 62, -(1 << 62)}).Draw(t, "time")
}

func drawAttrs(t *rapid.T, now int64) Attrs {
	a := Attrs{}
	for _, name := range []string{
		semconv.AttrController, semconv.AttrNamespace, semconv.AttrObjectName, semconv.AttrResult, semconv.AttrWriteUID,
		semconv.AttrWriteResourceVersionNew, semconv.AttrHTTPMethod, semconv.AttrSpanName, semconv.AttrStateLease,
	} {
		if rapid.Bool().Draw(t, "has") {
			a[name] = drawWord(t, name)
		}
	}
	if rapid.Bool().Draw(t, "start") {
		a[semconv.AttrSpanName] = semconv.SpanFetch
	}
	for _, name := range []string{
		semconv.AttrSeq, semconv.AttrItemReadySince, semconv.AttrItemDelayedSince, semconv.AttrItemDelayedUntil,
		semconv.AttrHoldSince, semconv.AttrWorker, semconv.AttrRequeueDelayMS, semconv.AttrHTTPStatus,
		semconv.AttrRequeueIgnoredMS, semconv.AttrObjectGeneration, semconv.AttrObjectObservedGen,
	} {
		if rapid.Bool().Draw(t, "has") {
			a[name] = drawTime(t, now)
		}
	}
	return a
}

// replicas counts the ties between sources and controllers, from either end.
func replicas(s *State) int {
	n := 0
	for _, c := range s.controllers {
		n += len(c.replicas)
	}
	for _, src := range s.sources {
		n += len(src.replicas)
	}
	return n
}
