package play

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/server/otlp"
)

// A beat that is recorded is the row that comes back.
func TestRecordedBeatIsTheRow(t *testing.T) {
	beat := &flow.Beat{
		Row: flow.RowBeat, Key: "lesson-1/2/1000", Lesson: "lesson-1", Run: "lesson-1", N: 2, Of: 8, Title: "The loop", Heading: "Look",
		Words: "Look at it.\nTwice.", Then: "So it is.", Highlight: []string{"fetch"}, Controller: "podset", Item: "lesson-1/web",
		Reconcile: "abc", Question: "How often?", Choices: []string{"Once", "Twice"}, Right: 1, Because: "It is so.",
		From: 1000, Acted: 2000, Done: 3000, To: 4000,
	}
	body, err := encodeBeat(beat)
	if err != nil {
		t.Fatal(err)
	}
	batch, err := otlp.Decode(otlp.Logs, body)
	if err != nil {
		t.Fatal(err)
	}
	s := flow.New(flow.Limits{})
	s.Step(flow.Input{Offset: 1, Now: 5000, Logs: batch.Logs})
	if diff := cmp.Diff([]flow.Row{beat}, s.Rows()); diff != "" {
		t.Errorf("(-sent +row):\n%s", diff)
	}
}

func TestReadFrame(t *testing.T) {
	c, at, err := readFrame([]byte(`{"type":"rows","now":7,"rows":[{"row":"item","key":"a","item":"ns/a"},{"row":"sample","key":"b"},{"row":"wait","key":"c"}],"gone":["wait/ns/x/1"]}`))
	if err != nil || at != 7 || c.All || len(c.Rows) != 2 || c.Rows[0].ID() != "a" || c.Rows[1].Kind() != flow.RowWait {
		t.Errorf("rows %v, %v", c, err)
	}
	if want := (flow.RowRef{Kind: flow.RowWait, ID: "ns/x/1"}); len(c.Gone) != 1 || c.Gone[0] != want {
		t.Errorf("gone %v, want %v", c.Gone, want)
	}
	if c, _, err := readFrame([]byte(`{"type":"snapshot","rows":[]}`)); err != nil || !c.All {
		t.Errorf("a snapshot is read as %v, %v", c, err)
	}
	if _, _, err := readFrame([]byte(`{"type":"error","code":"full","message":"no place is left"}`)); err == nil || !strings.Contains(err.Error(), "no place is left") {
		t.Errorf("what the hub says at the end is read as %v", err)
	}
	for _, kind := range watched() {
		if row, err := readRow([]byte(`{"row":"` + string(kind) + `","key":"k"}`)); err != nil || row == nil || row.Kind() != kind {
			t.Errorf("a row of kind %s is %v, %v", kind, row, err)
		}
	}
	for _, bad := range []string{"", "{", `{"rows":[1]}`, `{"rows":[{"row":"item","key":7}]}`} {
		if _, _, err := readFrame([]byte(bad)); err == nil {
			t.Errorf("%q is read as a frame", bad)
		}
	}
}
