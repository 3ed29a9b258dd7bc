package flow

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// drawSim draws a history of some passes over some items whose writes come
// back as causes, mostly of later passes.
func drawSim(t *rapid.T) *sim {
	m := newSim("podset", "PodSet")
	m.servers = rapid.Bool().Draw(t, "servers")
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
