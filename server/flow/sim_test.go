package flow

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// sim emits what an instrumented controller would: give it jobs, take inputs.
type sim struct {
	source     Source
	epoch      string
	controller string
	kind       string

	ids     int
	order   int64
	emitted []emission
	// servers makes the API server and etcd send spans of each write, joined
	// as for a privileged user, by link or by audit id in turn.
	servers bool
}

// emission is a span when it ends, or a log record.
type emission struct {
	at   int64
	span *Span
	log  *Log
}

// job is one pass to emit. Reads take 200 µs each, computing 1 ms and extra,
// writes 3 ms each.
type job struct {
	item         string
	ready, taken int64
	depth        int
	causes       []Cause
	reads        []Read
	extra        int64
	plan         []Action
	writes       []Write
	result       string
	errorType    string
	delayMS      int64
	requeues     int
	object       Object
	worker       int
	// ignoredMS is the delay that was asked for in vain; unplaced leaves out the
	// queue's records.
	ignoredMS int64
	unplaced  bool
}

// ended is what became of a job.
type ended struct {
	trace  string
	to     int64
	writes []WriteRef
}

func newSim(controller, kind string) *sim {
	return &sim{
		source: Source{Instance: controller + "-1", Service: controller}, epoch: "e1",
		controller: controller, kind: kind,
	}
}

func (m *sim) id() string {
	m.ids++
	return fmt.Sprintf("%016x", m.ids)
}

func (m *sim) emit(trace, id, parent, name string, from, to int64, attrs Attrs, events ...Event) {
	m.emitted = append(m.emitted, emission{at: to, span: &Span{
		Source: m.source, Epoch: m.epoch, TraceID: trace, SpanID: id, Parent: parent, Name: name,
		From: from, To: to, Attrs: attrs, Events: events,
	}})
}

func (m *sim) log(at int64, event string, attrs Attrs) *Log {
	l := &Log{Source: m.source, Epoch: m.epoch, Event: event, At: at, Attrs: attrs}
	m.emitted = append(m.emitted, emission{at: at, log: l})
	return l
}

// state emits a controller.state record.
func (m *sim) state(at int64) {
	m.log(at, semconv.LogControllerState, Attrs{
		semconv.AttrController: m.controller, semconv.AttrObjectKind: m.kind,
		semconv.AttrStateWorkers: int64(1), semconv.AttrStateLease: semconv.LeaseNone,
		semconv.AttrStateSynced: []string{m.kind, "Pod"},
	})
}

// beat emits one controller.state record a second.
func (m *sim) beat(from, to int64) {
	for at := from; at <= to; at += second {
		m.state(at)
	}
}

func (m *sim) ref(item string) Attrs {
	namespace, name, _ := strings.Cut(item, "/")
	return Attrs{
		semconv.AttrController: m.controller, semconv.AttrObjectKind: m.kind,
		semconv.AttrNamespace: namespace, semconv.AttrObjectName: name,
	}
}

// place emits a queue.item record with these facets.
func (m *sim) place(at int64, item string, facets Attrs) {
	a := m.ref(item)
	for k, v := range facets {
		a[k] = v
	}
	m.log(at, semconv.LogQueueItem, a)
}

// run emits a job.
func (m *sim) run(j job) ended {
	trace := "00000000" + m.id() + "00000000"
	root := m.id()
	m.queued(j)
	m.emit(trace, m.id(), root, semconv.SpanDequeue, j.ready, j.taken, dequeueAttrs(j), causeEvents(j.causes)...)
	at := m.fetch(trace, root, j)
	at = m.compute(trace, root, at, j)
	at, writes := m.apply(trace, root, at, j)
	done := at + 100
	m.emit(trace, m.id(), root, semconv.SpanRequeue, at, done, Attrs{})
	m.emit(trace, root, "", semconv.SpanReconcilePrefix+m.controller, j.ready, done, m.rootAttrs(j))
	m.announce(trace, root, j, done)
	m.left(j, done)
	return ended{trace: trace, to: done, writes: writes}
}

// queued emits the queue's records before the pass.
func (m *sim) queued(j job) {
	if j.unplaced {
		return
	}
	m.order++
	if j.taken > j.ready {
		m.place(j.ready, j.item, Attrs{
			semconv.AttrItemReadySince: j.ready, semconv.AttrItemReadyOrder: m.order,
			semconv.AttrItemReadyCauses: int64(len(j.causes)),
		})
	}
	m.place(j.taken, j.item, Attrs{semconv.AttrItemActive: true})
}

// left emits the queue's record after the pass. The delay began a little
// before Done, as it does in client-go.
func (m *sim) left(j job, done int64) {
	if j.unplaced {
		return
	}
	facets := Attrs{}
	if j.delayMS > 0 {
		facets = Attrs{
			semconv.AttrItemDelayedSince: done - 50, semconv.AttrItemDelayedUntil: done - 50 + j.delayMS*1000,
			semconv.AttrItemDelayedWhy: nextWhy(j.result), semconv.AttrItemRequeues: int64(j.requeues),
		}
	}
	m.place(done, j.item, facets)
}

// announce emits span.start records of a pass that takes long.
func (m *sim) announce(trace, root string, j job, done int64) {
	if done-j.taken < 50_000 {
		return
	}
	a := m.ref(j.item)
	a[semconv.AttrSpanName] = semconv.SpanReconcilePrefix + m.controller
	a[semconv.AttrSpanStart] = j.ready
	l := m.log(j.taken+50_000, semconv.LogSpanStart, a)
	l.TraceID, l.SpanID = trace, root
}

func dequeueAttrs(j job) Attrs {
	counts := map[string]int{}
	for _, c := range j.causes {
		counts[c.What]++
	}
	var list []string
	for what, n := range counts {
		list = append(list, what+"="+strconv.Itoa(n))
	}
	slices.Sort(list)
	return Attrs{
		semconv.AttrQueueDepth: int64(j.depth), semconv.AttrCauseCounts: list,
		semconv.AttrQueueNumRequeues: int64(j.requeues),
	}
}

func causeEvents(causes []Cause) []Event {
	var events []Event
	for _, c := range causes {
		a := Attrs{semconv.AttrCause: c.What}
		setText(a, semconv.AttrCauseBy, c.By)
		setText(a, semconv.AttrCauseObjectKind, c.Kind)
		setText(a, semconv.AttrCauseObjectNamespace, c.Namespace)
		setText(a, semconv.AttrCauseObjectName, c.Name)
		setText(a, semconv.AttrCauseObjectUID, c.UID)
		setText(a, semconv.AttrCauseObjectRV, c.ResourceVersion)
		setText(a, semconv.AttrCauseManager, c.Manager)
		if len(c.Changed) > 0 {
			a[semconv.AttrCauseChanged] = c.Changed
		}
		if c.Write != nil {
			a[semconv.AttrCauseWriteTraceID], a[semconv.AttrCauseWriteSpanID] = c.Write.Reconcile, c.Write.Span
		}
		events = append(events, Event{Name: semconv.EventCause, At: c.At, Attrs: a})
	}
	return events
}

func setText(a Attrs, name, value string) {
	if value != "" {
		a[name] = value
	}
}

func (m *sim) fetch(trace, root string, j job) int64 {
	at, phase := j.taken, m.id()
	for _, r := range j.reads {
		a := Attrs{semconv.AttrReadKind: r.Kind, semconv.AttrReadSource: cmp.Or(r.Source, semconv.ReadCache), semconv.AttrReadCount: int64(r.Count)}
		setText(a, semconv.AttrReadStale, r.Stale)
		m.emit(trace, m.id(), phase, semconv.SpanRead, at, at+200, a)
		at += 200
	}
	at += 100
	m.emit(trace, phase, root, semconv.SpanFetch, j.taken, at, Attrs{})
	return at
}

func (m *sim) compute(trace, root string, at int64, j job) int64 {
	end := at + 1000 + j.extra
	var events []Event
	for _, p := range j.plan {
		events = append(events, Event{Name: semconv.EventPlanAction, At: end, Attrs: Attrs{
			semconv.AttrActionVerb: p.Verb, semconv.AttrActionKind: p.Kind, semconv.AttrActionSummary: p.Summary,
		}})
	}
	m.emit(trace, m.id(), root, semconv.SpanCompute, at, end, Attrs{}, events...)
	return end
}

func (m *sim) apply(trace, root string, at int64, j job) (int64, []WriteRef) {
	from, phase := at, m.id()
	var refs []WriteRef
	for _, w := range j.writes {
		id := m.id()
		a := Attrs{semconv.AttrHTTPMethod: w.Method, semconv.AttrHTTPStatus: int64(w.Status), semconv.AttrWriteResource: w.Resource}
		setText(a, semconv.AttrWriteSubresource, w.Subresource)
		setText(a, semconv.AttrWriteNamespace, w.Namespace)
		setText(a, semconv.AttrWriteName, w.Name)
		setText(a, semconv.AttrWriteUID, w.UID)
		setText(a, semconv.AttrWriteResourceVersionOld, w.Before)
		setText(a, semconv.AttrWriteResourceVersionNew, w.After)
		setText(a, semconv.AttrErrorType, w.Error)
		if w.Owned || w.Unowned {
			a[semconv.AttrWriteOwned] = w.Owned
		}
		if m.servers {
			a[semconv.AttrAuditID] = trace + "-" + id
			m.serve(trace, id, at)
		}
		m.emit(trace, id, phase, semconv.SpanWrite, at, at+3000, a)
		refs = append(refs, WriteRef{Reconcile: trace, Span: id})
		at += 3000
	}
	m.emit(trace, phase, root, semconv.SpanApply, from, at, Attrs{})
	return at, refs
}

// serve emits what the API server and etcd did for a write.
func (m *sim) serve(trace, write string, at int64) {
	request, storage, txn := m.id(), m.id(), m.id()
	top := Span{TraceID: trace, SpanID: request, Name: "PUT", From: at + 500, To: at + 2500, Attrs: Attrs{}}
	switch len(m.emitted) % 3 {
	case 0:
		top.Parent = write
	case 1:
		top.TraceID = "11111111" + request + "11111111"
		top.Links = []Link{{TraceID: trace, SpanID: write}}
	case 2:
		top.TraceID = "22222222" + request + "22222222"
		top.Attrs[semconv.AttrAuditID] = trace + "-" + write
	}
	below := Span{TraceID: top.TraceID, SpanID: storage, Parent: request, Name: "Update", From: at + 600, To: at + 2400}
	commit := Span{TraceID: top.TraceID, SpanID: txn, Parent: storage, Name: "txn", From: at + 700, To: at + 2000}
	top.Source, below.Source = Source{Instance: "a", Service: "apiserver"}, Source{Instance: "a", Service: "apiserver"}
	commit.Source = Source{Instance: "e", Service: "etcd"}
	for _, sp := range []Span{commit, below, top} {
		m.emitted = append(m.emitted, emission{at: sp.To, span: &sp})
	}
}

func (m *sim) rootAttrs(j job) Attrs {
	a := m.ref(j.item)
	a[semconv.AttrResult] = j.result
	a[semconv.AttrWorker] = int64(j.worker)
	if j.delayMS > 0 {
		a[semconv.AttrRequeueDelayMS], a[semconv.AttrRequeueCount] = j.delayMS, int64(j.requeues)
	}
	if j.ignoredMS > 0 {
		a[semconv.AttrRequeueIgnoredMS] = float64(j.ignoredMS)
	}
	if j.object.Deleting {
		a[semconv.AttrObjectDeleting], a[semconv.AttrObjectFinalizers] = true, j.object.Finalizers
	}
	if len(j.object.Fields) > 0 {
		var fields []string
		for _, f := range j.object.Fields {
			fields = append(fields, f.Path+"="+f.Value)
		}
		a[semconv.AttrObjectFields] = fields
	}
	setText(a, semconv.AttrErrorType, j.errorType)
	setText(a, semconv.AttrObjectAPIVersion, j.object.APIVersion)
	setText(a, semconv.AttrObjectUID, j.object.UID)
	setText(a, semconv.AttrObjectResourceVersion, j.object.ResourceVersion)
	if j.object.Generation > 0 {
		a[semconv.AttrObjectGeneration], a[semconv.AttrObjectObservedGen] = j.object.Generation, j.object.ObservedGeneration
	}
	return a
}

// flush is how often an emitter sends, wire how long that takes.
const (
	flush = int64(25_000)
	wire  = int64(2_000)
)

// inputs groups what was emitted into requests, in the order of time, and
// numbers the spans.
func (m *sim) inputs() []Input {
	slices.SortStableFunc(m.emitted, func(a, b emission) int { return cmp.Compare(a.at, b.at) })
	var inputs []Input
	var seq int64
	for _, e := range m.emitted {
		now := (e.at/flush+1)*flush + wire
		if n := len(inputs); n == 0 || inputs[n-1].Now != now {
			inputs = append(inputs, Input{Offset: uint64(n + 1), Now: now})
		}
		in := &inputs[len(inputs)-1]
		if e.log != nil {
			in.Logs = append(in.Logs, *e.log)
			continue
		}
		if e.span.Epoch == "" {
			in.Spans = append(in.Spans, *e.span) // nobody numbers it
			continue
		}
		seq++
		e.span.Attrs[semconv.AttrSeq] = seq
		in.Spans = append(in.Spans, *e.span)
		in.claim(m, seq)
	}
	return inputs
}

func (in *Input) claim(m *sim, seq int64) {
	if len(in.Emitters) == 0 {
		in.Emitters = []Emitter{{Source: m.source, Epoch: m.epoch, First: seq}}
	}
	in.Emitters[0].Last = seq
}
