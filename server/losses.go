package server

import (
	"encoding/json"
	"fmt"

	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/server/journal"
)

// journalSource is the source of gap rows about blocks of the journal; their
// first and last are offsets, not numbers of spans.
const journalSource = "journal"

// losses turns damage to the journal into gap rows. A loss is told with the
// next good block, whose time is its end. It is a function of what is stored,
// so that every replay tells the same.
type losses struct {
	open []flow.Gap
	// told are the keys of the rows given out, oldest first.
	told []string
}

// maxLosses is how many losses are shown; the oldest go first.
const maxLosses = 1000

// add notes that blocks are lost; neighbours become one loss.
func (l *losses) add(first, last uint64, from int64) {
	if n := len(l.open); n > 0 && l.open[n-1].Last+1 == int64(first) && l.open[n-1].Epoch == "" {
		l.open[n-1].Last = int64(last)
		return
	}
	l.open = append(l.open, flow.Gap{First: int64(first), Last: int64(last), From: from})
}

// record notes a loss that the journal found when it was opened.
func (l *losses) record(payload []byte, at int64) error {
	var loss journal.Loss
	if err := json.Unmarshal(payload, &loss); err != nil {
		return fmt.Errorf("reading the record of a loss: %w", err)
	}
	l.open = append(l.open, flow.Gap{First: int64(loss.First), Last: int64(loss.Last), Epoch: loss.Epoch, From: at})
	return nil
}

// rows gives the losses noted so far as rows, once.
func (l *losses) rows(at int64) []flow.Output {
	var out []flow.Output
	for _, g := range l.open {
		g.Row, g.Source, g.Reason, g.To = flow.RowGap, journalSource, "corrupt_block", at
		if g.From == 0 {
			g.From = at
		}
		g.Key = fmt.Sprintf("%s/%s/%d", journalSource, g.Epoch, g.First)
		out = append(out, flow.Output{Row: &g})
		l.told = append(l.told, g.Key)
	}
	l.open = nil
	return append(l.evict(), out...)
}

// evict says which rows are too many.
func (l *losses) evict() []flow.Output {
	var out []flow.Output
	for ; len(l.told) > maxLosses; l.told = l.told[1:] {
		out = append(out, flow.Output{Gone: &flow.RowRef{Kind: flow.RowGap, ID: l.told[0]}})
	}
	return out
}
