package flow

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

func TestNextFollowsFromTheResult(t *testing.T) {
	for _, c := range []struct {
		result string
		attrs  Attrs
		want   Next
	}{
		{semconv.ResultSuccess, nil, Next{Why: "done"}},
		{semconv.ResultTerminalError, Attrs{semconv.AttrRequeueDelayMS: int64(5)}, Next{Why: "done"}},
		{semconv.ResultError, nil, Next{Why: "backoff"}},
		{semconv.ResultError, Attrs{semconv.AttrRequeueDelayMS: int64(5), semconv.AttrRequeueCount: int64(1)}, Next{Why: "backoff", At: 6000, Requeues: 1}},
		{semconv.ResultPanic, Attrs{semconv.AttrRequeueDelayMS: 0.5}, Next{Why: "backoff", At: 1500}},
		{semconv.ResultTimeout, Attrs{semconv.AttrRequeueDelayMS: int64(5)}, Next{Why: "backoff", At: 6000}},
		{semconv.ResultRequeue, Attrs{semconv.AttrRequeueDelayMS: int64(10), semconv.AttrRequeueCount: int64(2)}, Next{Why: "requeue", At: 11000, Requeues: 2}},
		{semconv.ResultRequeueAfter, Attrs{semconv.AttrRequeueDelayMS: int64(60_000)}, Next{Why: "requeue_after", At: 60_001_000}},
		{"unheard of", nil, Next{Why: "done"}},
	} {
		if got := nextOf(c.result, 1000, c.attrs); got != c.want {
			t.Errorf("nextOf(%s, %v) = %+v; want %+v", c.result, c.attrs, got, c.want)
		}
	}
}

func TestClipCutsBetweenCharacters(t *testing.T) {
	for _, s := range []string{"", "a", strings.Repeat("a", maxString), strings.Repeat("ä", maxString), "x" + strings.Repeat("€", maxString)} {
		got := clip(s)
		if len(got) > maxString || !strings.HasPrefix(s, got) || !utf8.ValidString(got) || len(s) <= maxString && got != s {
			t.Errorf("clip of %d bytes gives %d bytes, valid: %v", len(s), len(got), utf8.ValidString(got))
		}
	}
}

func TestBriefCutsBetweenCharacters(t *testing.T) {
	for _, s := range []string{"", "short", strings.Repeat("a", maxBrief), strings.Repeat("ä", maxBrief), "x" + strings.Repeat("€", maxBrief), strings.Repeat("\x80", 200)} {
		got := Brief(s)
		kept, cut := strings.CutSuffix(got, "…")
		switch {
		case len(s) <= maxBrief && got != s, len(s) > maxBrief && !cut:
			t.Errorf("%d bytes become %q", len(s), got)
		case len(kept) > maxBrief || !strings.HasPrefix(s, kept) || utf8.ValidString(s) != utf8.ValidString(kept):
			t.Errorf("%d bytes are cut to %q", len(s), kept)
		}
	}
}

func TestCausesKeepBothEndsAndExactCounts(t *testing.T) {
	var events []Event
	for i := range 200 {
		events = append(events, Event{Name: semconv.EventCause, At: int64(i), Attrs: Attrs{semconv.AttrCause: semconv.CauseUpdate}})
	}
	causes, counts := causesOf(events)
	if len(causes) != semconv.MaxCauses || counts[semconv.CauseUpdate] != 200 {
		t.Fatalf("%d causes are kept, %v counted", len(causes), counts)
	}
	half := semconv.MaxCauses / 2
	if causes[0].At != 0 || causes[half-1].At != int64(half-1) || causes[half].At != int64(200-half) || causes[2*half-1].At != 199 {
		t.Errorf("the causes kept are not the first and the last %d: %d … %d, %d … %d", half, causes[0].At, causes[half-1].At, causes[half].At, causes[2*half-1].At)
	}
}

func TestWritesKeepBothEndsInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 100).Draw(t, "writes")
		var list []Write
		for _, i := range rapid.Permutation(seqTo(n)).Draw(t, "order") {
			list = insertEnds(list, Write{From: int64(i)}, compareWrites)
		}
		var want []int64
		for i := range n {
			if i < maxEnds || i >= n-maxEnds {
				want = append(want, int64(i))
			}
		}
		var got []int64
		for _, w := range list {
			got = append(got, w.From)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("kept %v of %d; want %v", got, n, want)
		}
	})
}

func TestRangesAreASetOfNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const top = 30
		var rs ranges
		in := map[int64]bool{}
		for range rapid.IntRange(0, 12).Draw(t, "adds") {
			a := rapid.Int64Range(1, top).Draw(t, "first")
			b := rapid.Int64Range(a, min(a+6, top)).Draw(t, "last")
			rs = rs.add(seqs{a, b})
			for n := a; n <= b; n++ {
				in[n] = true
			}
		}
		missing := map[int64]bool{}
		for _, m := range rs.missing(top) {
			for n := m.first; n <= m.last; n++ {
				missing[n] = true
			}
		}
		for n := int64(1); n <= top; n++ {
			if rs.has(n) != in[n] || missing[n] == in[n] {
				t.Fatalf("%d: added %v, has %v, missing %v in %v", n, in[n], rs.has(n), missing[n], rs)
			}
		}
		for i := 1; i < len(rs); i++ {
			if rs[i].first <= rs[i-1].last+1 {
				t.Fatalf("ranges overlap or touch: %v", rs)
			}
		}
	})
}

func TestBucketsAreLogarithms(t *testing.T) {
	for d, want := range map[int64]int{-5: 0, 0: 0, 1: 0, 2: 1, 3: 1, 4: 2, 1023: 9, 1024: 10} {
		if got := bucketOf(d); got != want {
			t.Errorf("bucketOf(%d) = %d; want %d", d, got, want)
		}
	}
}

// What is evicted takes its edges with it, and the totals stay exact.
func TestTotalsOutliveEviction(t *testing.T) {
	s := New(Limits{Reconciles: 3})
	m := newSim("podset", "PodSet")
	const passes = 20
	for i := range int64(passes) {
		m.run(job{
			item: "default/web", ready: ms(100 * i), taken: ms(100 * i), result: semconv.ResultError,
			causes: []Cause{{At: ms(100 * i), What: semconv.CauseUpdate, UID: "u", ResourceVersion: string(rune('a' + i))}},
			writes: []Write{{Method: "PUT", UID: "u", After: string(rune('a' + i + 1)), Status: 200}},
		})
	}
	foldAll(s, m.inputs())
	kinds := map[RowKind]int{}
	for _, r := range s.Rows() {
		kinds[r.Kind()]++
		if c, ok := r.(*Controller); ok && (c.Reconciles != passes || c.Errors != passes || c.Writes != passes) {
			t.Errorf("totals are %d reconciles, %d errors, %d writes; want %d each", c.Reconciles, c.Errors, c.Writes, passes)
		}
	}
	if kinds[RowReconcile] != 3 || kinds[RowEdge] != 2 {
		t.Errorf("%d reconciles and %d edges are kept; want 3 and the 2 between them", kinds[RowReconcile], kinds[RowEdge])
	}
}

func TestLargePassesMakeRoomSooner(t *testing.T) {
	s := New(Limits{Bytes: 200_000})
	m := newSim("podset", "PodSet")
	for i := range int64(40) {
		var causes []Cause
		for range semconv.MaxCauses {
			causes = append(causes, Cause{What: semconv.CauseAdd, Name: strings.Repeat("n", 900), UID: "u", ResourceVersion: "1"})
		}
		m.run(job{item: "default/web", ready: ms(100 * i), taken: ms(100 * i), result: semconv.ResultSuccess, causes: causes})
	}
	foldAll(s, m.inputs())
	if n := len(s.passes); n == 0 || n > 4 {
		t.Errorf("%d passes of 60 kB and more are kept in 200 kB", n)
	}
}

// A batch that is retried after its passes were evicted does not bring them
// back, nor is it counted again.
func TestRetriedBatchOfEvictedPassesChangesNothing(t *testing.T) {
	m := newSim("podset", "PodSet")
	for i := range int64(5) {
		m.run(job{item: "default/web", ready: ms(100 * i), taken: ms(100 * i), result: semconv.ResultSuccess})
	}
	inputs := m.inputs()
	again := cloneInputs(t, inputs[:1])[0]
	s := New(Limits{Reconciles: 2})
	foldAll(s, inputs)
	before := sortedLines(t, s.Rows())
	again.Now = s.Now()
	if out := s.Step(again); len(out) != 0 {
		t.Errorf("the batch came again and put out %s", raw(t, out))
	}
	if diff := cmp.Diff(before, sortedLines(t, s.Rows())); diff != "" {
		t.Error(diff)
	}
}

// An evicted sample does not come back with a part of its counts.
func TestSamplesAreExactOrGone(t *testing.T) {
	for name, limits := range map[string]Limits{"by age": {SampleSeconds: 10}, "by number": {Samples: 3}} {
		t.Run(name, func(t *testing.T) {
			m := newSim("podset", "PodSet")
			for i := range int64(20) {
				m.run(job{item: "default/web", ready: ms(1000 * i), taken: ms(1000 * i), result: semconv.ResultSuccess})
			}
			inputs := m.inputs()
			late := inputs[0].Spans[len(inputs[0].Spans)-1]
			late.TraceID, late.SpanID, late.Attrs = "late", "late", m.ref("default/web") // no number: new
			s := New(limits)
			foldAll(s, inputs)
			s.Step(Input{Now: s.Now(), Spans: []Span{late}})
			var seconds []int64
			for _, r := range s.Rows() {
				if r, ok := r.(*Sample); ok {
					seconds = append(seconds, (r.From-t0)/second)
				}
			}
			if len(seconds) == 0 || len(seconds) > 10 || seconds[0] == 0 {
				t.Errorf("samples are kept of seconds %v", seconds)
			}
		})
	}
}

func TestTheQuietestControllerMakesRoom(t *testing.T) {
	s := New(Limits{Controllers: 2})
	for _, c := range []struct {
		name string
		at   int64
	}{{"alive", 0}, {"silent", 1000}, {"alive", 59_000}, {"new", 60_000}} {
		m := newSim(c.name, "PodSet")
		m.state(ms(c.at))
		foldAll(s, m.inputs())
	}
	var names []string
	for _, r := range s.Rows() {
		names = append(names, r.ID())
	}
	if want := []string{"alive", "new"}; !slices.Equal(names, want) {
		t.Errorf("controllers %v are kept; want %v", names, want)
	}
}

func TestTimeNeverGoesBack(t *testing.T) {
	s := New(Limits{})
	s.Step(Input{Now: 100, Offset: 7})
	s.Step(Input{Now: 50, Offset: 3})
	if s.Now() != 100 || s.Offset() != 7 {
		t.Errorf("now is %d at offset %d; want 100 at 7", s.Now(), s.Offset())
	}
}

func BenchmarkStep(b *testing.B) {
	inputs := benchInputs(20_000)
	spans := 0
	s := New(Limits{})
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i%len(inputs) == 0 {
			b.StopTimer()
			s = New(Limits{})
			b.StartTimer()
		}
		in := inputs[i%len(inputs)]
		spans += len(in.Spans)
		s.Step(in)
	}
	b.ReportMetric(float64(spans)/b.Elapsed().Seconds(), "spans/s")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(spans), "ns/span")
}

// benchInputs are passes of nine spans over 676 items, each caused by the
// write of the one before, in batches as large as an emitter sends at most.
func benchInputs(passes int) []Input {
	m := newSim("podset", "PodSet")
	for i := range passes {
		at := t0 + int64(i)*50
		m.run(job{
			item: "default/item-" + string(rune('a'+i%26)) + string(rune('a'+i/26%26)), ready: at, taken: at + 100,
			result: semconv.ResultSuccess, reads: reads(3), object: web(2, 1, "7"),
			causes: []Cause{{At: at, What: semconv.CauseUpdate, Kind: "Pod", UID: "uid-web", ResourceVersion: strconv.Itoa(i)}},
			writes: []Write{writeStatus(strconv.Itoa(i), strconv.Itoa(i+1))},
		})
	}
	all := Input{}
	for _, in := range m.inputs() {
		all.Spans = append(all.Spans, in.Spans...)
		all.Logs = append(all.Logs, in.Logs...)
	}
	const batch = 512
	var inputs []Input
	for i := 0; i < len(all.Spans); i += batch {
		inputs = append(inputs, Input{Now: t0 + int64(i), Spans: all.Spans[i:min(i+batch, len(all.Spans))]})
	}
	return inputs
}
