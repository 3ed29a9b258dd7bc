package flow

import (
	"slices"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// takeDequeue takes the dequeue span in: the queue, and why the item was in it.
func (s *State) takeDequeue(p *pass, sp *Span) {
	s.takePhase(p, sp)
	if p.dequeued {
		return
	}
	p.dequeued = true
	row, a := p.row, sp.Attrs
	row.Queue = Queue{
		Depth:    int(a.num(semconv.AttrQueueDepth)),
		Priority: int(a.num(semconv.AttrQueuePriority)),
		Requeues: int(a.num(semconv.AttrQueueNumRequeues)),
		Modelled: a.flag(semconv.AttrQueueModelled),
	}
	var seen map[string]int
	row.Causes, seen = causesOf(sp.Events)
	row.CauseCounts = a.counts(semconv.AttrCauseCounts)
	if len(row.CauseCounts) == 0 {
		row.CauseCounts = seen
	}
	linkCauses(row, sp.Links)
	for i := range row.Causes {
		s.indexCause(p, i)
	}
}

// linkCauses names the write of a cause by a span link, for emitters that send
// links alone. A link does not say which event it explains; when one link and
// one cause are left, it is clear.
func linkCauses(row *Reconcile, links []Link) {
	if causeTotal(row) != len(row.Causes) {
		return // there are causes which are not known
	}
	left := slices.DeleteFunc(slices.Clone(links), func(l Link) bool {
		return !usable(l.TraceID) || slices.ContainsFunc(row.Causes, func(c Cause) bool { return c.Write != nil && c.Write.Span == clip(l.SpanID) })
	})
	cause := -1
	for i := range row.Causes {
		if row.Causes[i].Write != nil || !isChange(row.Causes[i].What) {
			continue
		}
		if cause >= 0 {
			return
		}
		cause = i
	}
	if cause >= 0 && len(left) == 1 {
		row.Causes[cause].Write = &WriteRef{Reconcile: clip(left[0].TraceID), Span: clip(left[0].SpanID)}
	}
}

// causesOf keeps the first and the last causes, and counts all by kind.
func causesOf(events []Event) ([]Cause, map[string]int) {
	causes, counts := make([]Cause, 0, min(len(events), semconv.MaxCauses)), map[string]int{}
	for i := range events {
		if events[i].Name != semconv.EventCause {
			continue
		}
		c := causeOf(&events[i])
		counts[c.What]++
		if len(causes) == semconv.MaxCauses {
			causes = slices.Delete(causes, semconv.MaxCauses/2, semconv.MaxCauses/2+1)
		}
		causes = append(causes, c)
	}
	return causes, counts
}

func causeOf(e *Event) Cause {
	a := e.Attrs
	c := Cause{
		At:              e.At,
		What:            a.text(semconv.AttrCause),
		By:              a.text(semconv.AttrCauseBy),
		Kind:            a.text(semconv.AttrCauseObjectKind),
		Namespace:       a.text(semconv.AttrCauseObjectNamespace),
		Name:            a.text(semconv.AttrCauseObjectName),
		UID:             a.text(semconv.AttrCauseObjectUID),
		ResourceVersion: a.text(semconv.AttrCauseObjectRV),
		Changed:         a.list(semconv.AttrCauseChanged),
		Manager:         a.text(semconv.AttrCauseManager),
		Raced:           a.flag(semconv.AttrCauseRaced),
		Inferred:        a.flag(semconv.AttrCauseInferred),
	}
	if c.By == "" {
		c.By = semconv.ByUnknown
	}
	if span := a.text(semconv.AttrCauseWriteSpanID); span != "" {
		c.Write = &WriteRef{Reconcile: a.text(semconv.AttrCauseWriteTraceID), Span: span}
	}
	return c
}

// causeTotal is how many causes the pass had in all.
func causeTotal(r *Reconcile) int {
	n := 0
	for _, count := range r.CauseCounts {
		n += count
	}
	return n
}
