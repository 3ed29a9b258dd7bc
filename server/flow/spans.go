package flow

import (
	"cmp"
	"slices"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// takeRoot takes the root span in: the pass is done.
func (s *State) takeRoot(p *pass, sp *Span) {
	if p.rooted {
		return
	}
	row, a := p.row, sp.Attrs
	if p.lost {
		p.lost = false
	} else {
		s.finish(p)
	}
	p.rooted = true
	p.starts = nil
	p.identify(a)
	row.Object = objectOf(a)
	row.Worker = int(a.num(semconv.AttrWorker))
	row.From, row.To = sp.From, max(sp.To, sp.From)
	row.Result = resultOf(sp)
	row.Error = a.text(semconv.AttrErrorType)
	row.Next = nextOf(row.Result, row.To, a)
}

// finish moves p from the open passes to those done.
func (s *State) finish(p *pass) {
	s.open.Remove(p.elem)
	p.elem = s.done.PushBack(p)
}

// identify notes whose pass it is, unless that is known.
func (p *pass) identify(a Attrs) {
	if p.row.Controller == "" {
		p.row.Controller = a.text(semconv.AttrController)
	}
	if p.row.Item == "" {
		p.row.Item = itemName(a.text(semconv.AttrNamespace), a.text(semconv.AttrObjectName))
	}
}

func objectOf(a Attrs) Object {
	return Object{
		APIVersion:         a.text(semconv.AttrObjectAPIVersion),
		Kind:               a.text(semconv.AttrObjectKind),
		Namespace:          a.text(semconv.AttrNamespace),
		Name:               a.text(semconv.AttrObjectName),
		UID:                a.text(semconv.AttrObjectUID),
		ResourceVersion:    a.text(semconv.AttrObjectResourceVersion),
		Generation:         a.num(semconv.AttrObjectGeneration),
		ObservedGeneration: a.num(semconv.AttrObjectObservedGen),
		Deleting:           a.flag(semconv.AttrObjectDeleting),
		Fields:             a.fields(semconv.AttrObjectFields),
	}
}

func resultOf(sp *Span) string {
	if r := sp.Attrs.text(semconv.AttrResult); r != "" {
		return r
	}
	if sp.Failed {
		return semconv.ResultError
	}
	return semconv.ResultSuccess
}

// The words of Next.Why.
const (
	nextDone         = "done"
	nextBackoff      = "backoff"
	nextRequeue      = "requeue"
	nextRequeueAfter = "requeue_after"
)

// nextOf is what follows a pass that was done at to with this result.
func nextOf(result string, to int64, a Attrs) Next {
	next := Next{Why: nextWhy(result)}
	if next.Why == nextDone {
		return next
	}
	next.Requeues = int(a.num(semconv.AttrRequeueCount))
	switch ms := a[semconv.AttrRequeueDelayMS].(type) {
	case int64:
		next.At = to + ms*1000
	case float64:
		next.At = to + int64(ms*1000)
	}
	return next
}

func nextWhy(result string) string {
	switch result {
	case semconv.ResultError, semconv.ResultPanic, semconv.ResultTimeout:
		return nextBackoff
	case semconv.ResultRequeue:
		return nextRequeue
	case semconv.ResultRequeueAfter:
		return nextRequeueAfter
	}
	return nextDone
}

func (s *State) takePhase(p *pass, sp *Span) {
	if sp.Attrs.has(semconv.AttrController) {
		p.identify(sp.Attrs)
	}
	if len(p.row.Phases) < maxPhases {
		p.row.Phases = insert(p.row.Phases, Phase{Name: sp.Name, From: sp.From, To: max(sp.To, sp.From)}, comparePhases)
	}
}

func (s *State) takeCompute(p *pass, sp *Span) {
	s.takePhase(p, sp)
	actions := actionsOf(sp.Events)
	if len(actions) == 0 || len(p.plans) >= maxPhases {
		return
	}
	p.plans = insert(p.plans, plan{at: sp.From, span: spanNumber(sp.SpanID), actions: actions}, comparePlans)
	p.row.Plan = joinPlans(p.plans)
}

func comparePlans(a, b plan) int {
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.span, b.span))
}

func joinPlans(plans []plan) []Action {
	if len(plans) == 1 {
		return plans[0].actions
	}
	var all []Action
	for _, p := range plans {
		all = append(all, p.actions...)
	}
	return slices.Clip(all[:min(len(all), maxList)])
}

func actionsOf(events []Event) []Action {
	var actions []Action
	for _, e := range events {
		if e.Name != semconv.EventPlanAction || len(actions) == maxList {
			continue
		}
		actions = append(actions, Action{
			Verb:    e.Attrs.text(semconv.AttrActionVerb),
			Kind:    e.Attrs.text(semconv.AttrActionKind),
			Name:    e.Attrs.text(semconv.AttrActionName),
			Summary: e.Attrs.text(semconv.AttrActionSummary),
			Paths:   e.Attrs.list(semconv.AttrActionPaths),
		})
	}
	return actions
}

func (s *State) takeRead(p *pass, sp *Span) {
	p.row.ReadCount++
	p.row.Reads = insertEnds(p.row.Reads, readOf(sp.SpanID, sp.From, max(sp.To, sp.From), sp.Attrs), compareReads)
}

func readOf(id string, from, to int64, a Attrs) Read {
	return Read{
		Span: clip(id), From: from, To: to,
		Source:     a.text(semconv.AttrReadSource),
		Kind:       a.text(semconv.AttrReadKind),
		Count:      int(a.num(semconv.AttrReadCount)),
		Stale:      a.text(semconv.AttrReadStale),
		StaleBy:    int(a.num(semconv.AttrReadStaleBy)),
		StaleSince: a.num(semconv.AttrReadStaleSince),
	}
}

func compareReads(a, b Read) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Span, b.Span))
}

func (s *State) takeWrite(p *pass, sp *Span) {
	w := writeOf(sp.SpanID, sp.From, max(sp.To, sp.From), sp.Attrs)
	p.row.WriteCount++
	if w.failed(sp.Failed) {
		p.row.FailedWrites++
	}
	p.row.Writes = insertEnds(p.row.Writes, w, compareWrites)
	s.indexWrite(p, &w)
	s.anchorWrite(p, sp)
}

func writeOf(id string, from, to int64, a Attrs) Write {
	return Write{
		Span: clip(id), From: from, To: to,
		Method:      a.text(semconv.AttrHTTPMethod),
		Resource:    a.text(semconv.AttrWriteResource),
		Subresource: a.text(semconv.AttrWriteSubresource),
		Namespace:   a.text(semconv.AttrWriteNamespace),
		Name:        a.text(semconv.AttrWriteName),
		UID:         a.text(semconv.AttrWriteUID),
		Before:      a.text(semconv.AttrWriteResourceVersionOld),
		After:       a.text(semconv.AttrWriteResourceVersionNew),
		Noop:        a.flag(semconv.AttrWriteNoop),
		Fault:       a.text(semconv.AttrWriteFault),
		Status:      int(a.num(semconv.AttrHTTPStatus)),
		Error:       a.text(semconv.AttrErrorType),
		AuditID:     a.text(semconv.AttrAuditID),
		Fields:      a.fields(semconv.AttrWriteFields),
	}
}

// failed says that the API server did not do it, or that nobody knows.
func (w *Write) failed(span bool) bool {
	return span || w.Error != "" || w.Status == 0 || w.Status >= 400
}

func compareWrites(a, b Write) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Span, b.Span))
}
