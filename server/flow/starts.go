package flow

import (
	"slices"
	"strings"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// takeStart takes a span.start record in: a span that is still open. It never
// opens again what is over.
func (s *State) takeStart(r *run, l *Log) {
	name := l.Attrs.text(semconv.AttrSpanName)
	root := strings.HasPrefix(name, semconv.SpanReconcilePrefix)
	if !usable(l.TraceID) || taker(name) == nil {
		return
	}
	p := s.pass(l.TraceID, r)
	n := spanNumber(l.SpanID)
	if p.over() || p.has(n) {
		return
	}
	at := l.Attrs.num(semconv.AttrSpanStart)
	if at == 0 {
		at = l.At
	}
	switch {
	case root:
		s.startRoot(p, l, at)
	default:
		s.startChild(p, start{span: n, id: clip(l.SpanID), name: name, at: at, attrs: l.Attrs})
	}
}

// startRoot takes the root's record in. It comes again when more is known of
// the object.
func (s *State) startRoot(p *pass, l *Log, at int64) {
	if l.At <= p.toldAt {
		return
	}
	row, a := s.edit(p), l.Attrs
	p.began, p.toldAt = at, l.At
	p.identify(a)
	row.Object = objectOf(a)
	row.Worker = int(a.num(semconv.AttrWorker))
}

func (s *State) startChild(p *pass, st start) {
	st.plan = st.attrs.list(semconv.AttrPlan)
	if i := slices.IndexFunc(p.starts, func(o start) bool { return o.span == st.span }); i >= 0 {
		// It is told again when more is planned.
		if known := &p.starts[i]; len(st.plan) > len(known.plan) {
			s.edit(p)
			known.plan = st.plan
		}
		return
	}
	if len(p.starts) >= maxStarts {
		return
	}
	s.edit(p)
	if st.attrs.has(semconv.AttrController) && isPhase(st.name) {
		p.identify(st.attrs)
	}
	p.starts = append(p.starts, st)
}

// forget drops the record of a start, because its span has ended.
func (p *pass) forget(span uint64) {
	p.starts = slices.DeleteFunc(p.starts, func(o start) bool { return o.span == span })
}

// show puts what is still open into a row that is about to be given out.
func (st *start) show(row *Reconcile) {
	switch {
	case isPhase(st.name):
		row.Phases = insert(row.Phases, Phase{Name: st.name, From: st.at}, comparePhases)
		row.Plan = slices.Clip(row.Plan)
		for _, summary := range st.plan[:min(len(st.plan), max(0, maxList-len(row.Plan)))] {
			row.Plan = append(row.Plan, Action{Summary: summary})
		}
	case st.name == semconv.SpanRead:
		row.ReadCount++
		row.Reads = insertEnds(row.Reads, readOf(st.id, st.at, 0, st.attrs), compareReads)
	case st.name == semconv.SpanWrite:
		row.WriteCount++
		row.Writes = insertEnds(row.Writes, writeOf(st.id, st.at, 0, st.attrs), compareWrites)
	}
}

// openPhase is the phase that goes on, "" when none is known to.
func (p *pass) openPhase() string {
	var newest start
	for _, st := range p.starts {
		if isPhase(st.name) && st.at >= newest.at {
			newest = st
		}
	}
	return newest.name
}
