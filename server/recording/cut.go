package recording

import (
	"fmt"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/server/journal"
	"github.com/reconcile-tracer/tracer/server/otlp"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// Window is a part of a session. The zero Window is all of it.
type Window struct {
	// Since and Until are in microseconds since the epoch; 0 is from the
	// beginning, and to the end.
	Since, Until int64
	// Controllers are the names of the controllers that are wanted; empty is all.
	Controllers []string
}

// Cut is what a window takes of a journal. The zero Cut takes all.
type Cut struct {
	from, to int64 // receive times; to 0 is the end
	// controllers are the wanted ones, nil for all; drop holds the trace ids of
	// reconciles that are not.
	controllers []string
	drop        map[string]bool
}

// slack is how much later than it happened something may have been received,
// in microseconds.
const slack = 1_000_000

// stub is the name of a span that stands for one left out: it has its number,
// so that its emitter's numbering has no hole, and nothing else.
const stub = "tracer.recording.omitted"

// Plan finds what a window takes of a journal whose rows are given: whole
// blocks, from before the window where a reconcile that reaches into it has
// begun, or where the write was that caused it, to after the window where the
// last of them has ended. Of other controllers' reconciles, those are kept
// whose writes caused one that is wanted. The error names a controller that
// there is not.
func Plan(rows []flow.Row, w Window) (Cut, error) {
	if err := w.check(rows); err != nil {
		return Cut{}, err
	}
	c := Cut{from: w.Since, to: w.Until, controllers: w.Controllers, drop: map[string]bool{}}
	all := reconciles(rows)
	wanted := map[string]bool{}
	for key, r := range all {
		if !w.wants(r) {
			continue
		}
		c.reach(r)
		wanted[key] = true
		for _, cause := range r.Causes {
			if cause.Write != nil && all[cause.Write.Reconcile] != nil {
				c.reach(all[cause.Write.Reconcile])
				wanted[cause.Write.Reconcile] = true
			}
		}
	}
	for key, r := range all {
		if len(w.Controllers) > 0 && !wanted[key] && !slices.Contains(w.Controllers, r.Controller) {
			c.drop[key] = true
		}
	}
	return c.loosen(w), nil
}

func reconciles(rows []flow.Row) map[string]*flow.Reconcile {
	all := map[string]*flow.Reconcile{}
	for _, row := range rows {
		if r, ok := row.(*flow.Reconcile); ok {
			all[r.Key] = r
		}
	}
	return all
}

// check refuses what would give an empty file.
func (w Window) check(rows []flow.Row) error {
	if w.Until != 0 && w.Until <= w.Since {
		return fmt.Errorf("until is not after since: give a later until, or leave one of them out")
	}
	var names []string
	for _, row := range rows {
		if c, ok := row.(*flow.Controller); ok {
			names = append(names, c.Key)
		}
	}
	slices.Sort(names)
	for _, name := range w.Controllers {
		if !slices.Contains(names, name) {
			return fmt.Errorf("there is no controller %q in the session: use one of: %s", flow.Brief(name), strings.Join(names, ", "))
		}
	}
	return nil
}

func (w Window) wants(r *flow.Reconcile) bool {
	within := (r.To == 0 || r.To >= w.Since) && (w.Until == 0 || r.From <= w.Until)
	return within && (len(w.Controllers) == 0 || slices.Contains(w.Controllers, r.Controller))
}

// reach widens the cut so that it holds all of a reconcile.
func (c *Cut) reach(r *flow.Reconcile) {
	c.from = min(c.from, r.From)
	if c.to != 0 {
		c.to = max(c.to, r.To)
	}
}

// loosen leaves time for what happened to be received. No bound stays none.
func (c Cut) loosen(w Window) Cut {
	c.from = max(0, c.from-slack)
	if w.Since == 0 {
		c.from = 0
	}
	if c.to != 0 {
		c.to += slack
	}
	return c
}

// holds says whether a block is in the cut. One without a time is, unless the
// beginning is cut off: then nobody knows where it belongs.
func (c Cut) holds(b journal.Block) bool {
	if b.Err != nil {
		return c.from == 0
	}
	return b.At >= c.from && !c.Over(b)
}

// Over says that a block, and all that come after it, are behind the cut.
func (c Cut) Over(b journal.Block) bool { return c.to != 0 && b.At > c.to }

// apply takes out of a request what belongs to other controllers.
func (c Cut) apply(req otlp.Request) {
	if len(c.controllers) == 0 {
		return
	}
	req.Spans(func(s ptrace.Span) {
		if c.drop[s.TraceID().String()] {
			hollow(s)
		}
	})
	req.KeepLogs(func(l plog.LogRecord) bool {
		name := text(l.Attributes(), semconv.AttrController)
		return (name == "" || slices.Contains(c.controllers, name)) && !c.drop[l.TraceID().String()]
	})
}

// hollow leaves of a span only that it was there.
func hollow(s ptrace.Span) {
	seq := number(s.Attributes(), semconv.AttrSeq)
	empty := ptrace.NewSpan()
	empty.SetTraceID(s.TraceID())
	empty.SetSpanID(s.SpanID())
	empty.SetName(stub)
	if seq > 0 {
		empty.Attributes().PutInt(semconv.AttrSeq, seq)
	}
	empty.CopyTo(s)
}
