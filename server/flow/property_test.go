package flow

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// drawSim draws a history of some passes over some items whose writes come
// back as causes, mostly of later passes.
func drawSim(t *rapid.T) *sim {
	m := newSim("podset", "PodSet")
	at, version := ms(1000), 100
	var came []Cause
	for range rapid.IntRange(1, maxItemRecords/3).Draw(t, "passes") {
		j := drawJob(t, at, &version, &came)
		e := m.run(j)
		for i, w := range j.writes {
			came = append(came, Cause{
				At: e.to + int64(i), What: rapid.SampledFrom([]string{semconv.CauseAdd, semconv.CauseUpdate}).Draw(t, "what"),
				By: semconv.ByUnknown, Kind: "Pod", Name: w.Name, UID: w.UID, ResourceVersion: w.After,
			})
		}
		at = e.to + rapid.Int64Range(10, 2_000_000).Draw(t, "pause")
	}
	m.state(at)
	return m
}

func drawJob(t *rapid.T, at int64, version *int, came *[]Cause) job {
	j := job{
		item:  "default/" + rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "item"),
		ready: at, taken: at + rapid.Int64Range(0, 5000).Draw(t, "wait"), reads: reads(2),
		depth:  rapid.IntRange(0, 9).Draw(t, "depth"),
		extra:  rapid.SampledFrom([]int64{0, 0, 70_000}).Draw(t, "extra"),
		result: rapid.SampledFrom([]string{semconv.ResultSuccess, semconv.ResultError, semconv.ResultRequeueAfter}).Draw(t, "result"),
		object: web(2, 1, "7"),
	}
	if j.result != semconv.ResultSuccess {
		j.delayMS, j.requeues = rapid.Int64Range(1, 2000).Draw(t, "delay"), 1
	}
	j.causes = append(j.causes, Cause{At: at, What: semconv.CauseUpdate, By: semconv.ByOther, UID: "x", ResourceVersion: "1"})
	n := rapid.IntRange(0, len(*came)).Draw(t, "causes")
	j.causes = append(j.causes, (*came)[:n]...)
	*came = (*came)[n:]
	for range rapid.SampledFrom([]int{0, 1, 2, 45}).Draw(t, "writes") {
		*version++
		j.writes = append(j.writes, Write{
			Method: "PUT", Name: "p", UID: fmt.Sprint("u", *version%5), After: fmt.Sprint(*version),
			Status: rapid.SampledFrom([]int{200, 201, 409}).Draw(t, "status"),
		})
	}
	return j
}

// clone copies inputs, because the fold owns what it is given.
func cloneInputs(t failer, inputs []Input) []Input {
	b, err := json.Marshal(inputs)
	if err != nil {
		t.Fatal(err)
	}
	var raws []json.RawMessage
	if err := json.Unmarshal(b, &raws); err != nil {
		t.Fatal(err)
	}
	return decodeInputs(t, raws)
}

func foldAll(s *State, inputs []Input) {
	for _, in := range inputs {
		s.Step(in)
	}
}

// rowLines are the rows as JSON, one a line, in order.
func rowLines(t failer, rows []Row) []string {
	var lines []string
	for _, r := range rows {
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(b))
	}
	return lines
}

func sortedLines(t failer, rows []Row) []string {
	lines := rowLines(t, rows)
	slices.Sort(lines)
	return lines
}

// later is a time at which nothing is pending any more.
func later(inputs []Input) Input {
	return Input{Now: inputs[len(inputs)-1].Now + 3*second}
}

func TestSameInputsGiveSameOutputs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inputs := drawSim(t).inputs()
		a, b := New(Limits{}), New(Limits{})
		for i, in := range cloneInputs(t, inputs) {
			one, two := raw(t, a.Step(in)), raw(t, b.Step(inputs[i]))
			if string(one) != string(two) {
				t.Fatalf("input %d gave\n%s\nand\n%s", i, one, two)
			}
		}
		if diff := cmp.Diff(rowLines(t, a.Rows()), rowLines(t, b.Rows())); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestSpansInAnyOrderFoldToTheSameRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inputs := drawSim(t).inputs()
		mixed := shuffle(t, cloneInputs(t, inputs))
		a, b := New(Limits{}), New(Limits{})
		foldAll(a, inputs)
		foldAll(b, mixed)
		a.Step(later(inputs))
		b.Step(later(inputs))
		if diff := cmp.Diff(sortedLines(t, timeless(a.Rows())), sortedLines(t, timeless(b.Rows()))); diff != "" {
			t.Fatalf("-in order +mixed:\n%s", diff)
		}
	})
}

// shuffle deals the spans and log records out to the inputs anew. All come
// within the grace for holes.
func shuffle(t *rapid.T, inputs []Input) []Input {
	var all []emission
	out := make([]Input, 3)
	for _, in := range inputs {
		for i := range in.Spans {
			all = append(all, emission{span: &in.Spans[i]})
		}
		for i := range in.Logs {
			all = append(all, emission{log: &in.Logs[i]})
		}
	}
	for i, k := range rapid.Permutation(seqTo(len(all))).Draw(t, "order") {
		in := &out[i*len(out)/len(all)]
		if e := all[k]; e.span != nil {
			in.Spans = append(in.Spans, *e.span)
		} else {
			in.Logs = append(in.Logs, *e.log)
		}
	}
	for i := range out {
		out[i].Now = inputs[len(inputs)-1].Now
		out[i].Offset = uint64(i + 1)
	}
	return out
}

func seqTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// timeless takes out when the hub heard of a controller, which is a matter of
// arrival and not of what came.
func timeless(rows []Row) []Row {
	for i, r := range rows {
		if c, ok := r.(*Controller); ok {
			n := *c
			n.Heard, n.Since = 0, 0
			rows[i] = &n
		}
	}
	return rows
}

func TestRepeatedBatchChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inputs := drawSim(t).inputs()
		again := cloneInputs(t, inputs)
		s := New(Limits{})
		for i, in := range inputs {
			s.Step(in)
			k := rapid.IntRange(0, i).Draw(t, "again")
			repeated := cloneInputs(t, again[k:k+1])[0]
			repeated.Now = in.Now
			if out := s.Step(repeated); len(out) != 0 {
				t.Fatalf("repeating input %d after %d gave %s", k, i, raw(t, out))
			}
		}
	})
}

func TestSnapshotAndTailAreTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inputs := drawSim(t).inputs()
		limits := Limits{}
		if rapid.Bool().Draw(t, "tight") {
			limits = Limits{Reconciles: 2, Waits: 2, Edges: 3, Items: 1, Samples: 1}
		}
		s := New(limits)
		cut := rapid.IntRange(0, len(inputs)).Draw(t, "cut")
		foldAll(s, inputs[:cut])
		seen := viewer{}
		seen.snapshot(s.Rows())
		frozen := sortedLines(t, seen.rows())
		given := seen.rows()
		for _, in := range append(inputs[cut:], later(inputs)) {
			seen.apply(t, s.Step(in))
		}
		if diff := cmp.Diff(sortedLines(t, s.Rows()), sortedLines(t, seen.rows())); diff != "" {
			t.Fatalf("-the fold's rows +a viewer's since input %d:\n%s", cut, diff)
		}
		if diff := cmp.Diff(frozen, sortedLines(t, given)); diff != "" {
			t.Fatalf("rows that had been given out were changed:\n%s", diff)
		}
	})
}

// viewer keeps rows as a client of the stream does.
type viewer map[RowRef]Row

func (v viewer) snapshot(rows []Row) {
	for _, r := range rows {
		v[RowRef{r.Kind(), r.ID()}] = r
	}
}

func (v viewer) apply(t *rapid.T, out []Output) {
	told := map[RowRef]int{}
	for _, o := range out {
		if o.Gone != nil {
			if _, ok := v[*o.Gone]; !ok {
				t.Fatalf("%v is gone and was never there", *o.Gone)
			}
			delete(v, *o.Gone)
			continue
		}
		ref := RowRef{o.Row.Kind(), o.Row.ID()}
		if told[ref]++; told[ref] > 1 {
			t.Fatalf("%v was put out twice in one step", ref)
		}
		v[ref] = o.Row
	}
}

func (v viewer) rows() []Row {
	var rows []Row
	for _, r := range v {
		rows = append(rows, r)
	}
	return rows
}

func TestEveryHoleIsAnnounced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inputs := drawSim(t).inputs()
		lost, top := map[int64]bool{}, int64(0)
		s := New(Limits{})
		for _, in := range inputs {
			in.Spans = slices.DeleteFunc(in.Spans, func(sp Span) bool {
				n := sp.Attrs.num(semconv.AttrSeq)
				top = max(top, n)
				lost[n] = rapid.IntRange(0, 9).Draw(t, "lose") == 0
				return lost[n]
			})
			s.Step(in)
		}
		s.Step(later(inputs))
		shown := map[int64]bool{}
		for _, r := range s.Rows() {
			if g, ok := r.(*Gap); ok && !g.Closed {
				for n := g.First; n <= g.Last; n++ {
					shown[n] = true
				}
			}
		}
		for n := int64(1); n <= top; n++ {
			if lost[n] != shown[n] {
				t.Fatalf("span %d: lost %v, shown as a gap %v", n, lost[n], shown[n])
			}
		}
	})
}

func TestLateSpansCloseGaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 40).Draw(t, "spans")
		first := rapid.SliceOfNDistinct(rapid.Int64Range(1, int64(n)), 0, n, rapid.ID[int64]).Draw(t, "first")
		s := New(Limits{})
		src := Source{Instance: "i"}
		step := func(now int64, seqs []int64) {
			in := Input{Now: now, Emitters: []Emitter{{Source: src, Epoch: "e", First: 1, Last: int64(n)}}}
			for _, q := range seqs {
				in.Spans = append(in.Spans, Span{Source: src, Epoch: "e", TraceID: "t", SpanID: fmt.Sprint(q), Name: "own", Attrs: Attrs{semconv.AttrSeq: q}})
			}
			s.Step(in)
		}
		step(t0, append(first, int64(n)))
		step(t0+3*second, nil)
		rest := seqTo(n)
		for i, at := range rapid.Permutation(rest).Draw(t, "late") {
			step(t0+4*second+int64(i), []int64{int64(at + 1)})
		}
		for _, r := range s.Rows() {
			if g, ok := r.(*Gap); ok && !g.Closed {
				t.Fatalf("gap %d to %d is open although all %d spans came", g.First, g.Last, n)
			}
		}
	})
}

func TestMemoryStaysWithinLimits(t *testing.T) {
	limits := Limits{Reconciles: 20, Bytes: 100_000, Edges: 10, Waits: 10, Holds: 5, Gaps: 5, Items: 5, Samples: 5, Controllers: 3, Runs: 4}
	rapid.Check(t, func(t *rapid.T) {
		s := New(limits)
		for i := range rapid.IntRange(1, 60).Draw(t, "steps") {
			s.Step(drawNonsense(t, t0+int64(i)*second))
			checkBounds(t, s, limits)
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
		{"holds", len(s.holds.slots), l.Holds},
		{"gaps", len(s.gaps.slots), l.Gaps},
		{"items", len(s.items.slots), l.Items},
		{"samples", len(s.samples), l.Samples},
		{"controllers", len(s.controllers), l.Controllers},
		{"sources", len(s.sources), l.Runs},
		{"runs with holes", len(s.holed), l.Runs * maxRuns},
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
	} {
		if rapid.Bool().Draw(t, "has") {
			a[name] = drawTime(t, now)
		}
	}
	return a
}
