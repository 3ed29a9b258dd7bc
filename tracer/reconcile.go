package tracer

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// reconcile is one pass over one item, from the moment a worker took it until
// Done. Its phases follow each other without overlap. Times that a caller
// gives may lie in the past, but never before the current phase began.
type reconcile struct {
	t     *Tracer
	root  trace.Span
	under context.Context // holds root, for its children
	id    string

	mu      sync.Mutex
	phase   string
	span    trace.Span               // of the phase
	opts    [1]trace.SpanStartOption // of phaseFrom
	began   time.Time                // when the phase began
	had     [4]bool                  // by place in the order of the loop
	manual  bool                     // phases are marked by hand
	actions int                      // planned in this phase
	done    bool
	// idle is when the last read or write of the phase ended, decided when
	// the controller first told what comes next, zero until it does.
	idle, decided time.Time
	reading       int
	writing       int
	requests      int // for the audit ids
	outcome       outcome
	open          map[trace.SpanID]trace.Span // reads and writes under way
	told          map[trace.SpanID]bool       // what a span.start has told of
	timer         *time.Timer
	// read is which version of an object was read last, by UID.
	read map[string]string
	// debug is what a debugger needs to know.
	debug debugged
}

// outcome is what a reconcile comes to, as far as it is known.
type outcome struct {
	err      error
	panicked bool
	// requeue is ResultRequeue, ResultRequeueAfter or empty.
	requeue string
	delay   time.Duration
	unknown bool // the delay is
	count   int
	// after is the longest delay that was asked of the queue, limited what its
	// rate limiter gave; asked is a RequeueAfter that was told of alone.
	after, limited, asked time.Duration
}

// reconcileKey is the key under which a context holds its reconcile.
type reconcileKey struct{}

// from returns the reconcile of ctx, nil when there is none.
func from(ctx context.Context) *reconcile {
	if live.Load() == 0 || ctx == nil {
		return nil
	}
	r, _ := ctx.Value(reconcileKey{}).(*reconcile)
	return r
}

// phasesAfterDequeue are in the order of the loop.
var phasesAfterDequeue = [4]string{semconv.SpanFetch, semconv.SpanCompute, semconv.SpanApply, semconv.SpanRequeue}

// place is a phase's place in the order of the loop, -1 for what is none.
func place(phase string) int {
	for i, p := range phasesAfterDequeue {
		if p == phase {
			return i
		}
	}
	return -1
}

// newReconcile begins the reconcile's fetch at the time when it was taken.
func newReconcile(t *Tracer, root trace.Span, taken time.Time) *reconcile {
	r := &reconcile{
		t: t, root: root, under: trace.ContextWithSpan(context.Background(), root), id: root.SpanContext().TraceID().String(),
		open: map[trace.SpanID]trace.Span{}, told: map[trace.SpanID]bool{},
		read: map[string]string{},
		idle: taken, began: taken,
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.begin(semconv.SpanFetch, taken)
	r.timer = time.AfterFunc(announceAfter, r.announce)
	return r
}

// child makes a span below parent.
func (r *reconcile) child(parent trace.Span, name string, at time.Time, opts ...trace.SpanStartOption) trace.Span {
	ctx := trace.ContextWithSpan(context.Background(), parent)
	_, span := r.t.otel.Start(ctx, name, append(opts, trace.WithTimestamp(at))...)
	return span
}

// phaseFrom makes a phase's span. It is the call that there are most of, so it
// makes no context and no list that could be shared.
func (r *reconcile) phaseFrom(name string, at trace.SpanEventOption) trace.Span {
	r.opts[0] = at
	_, span := r.t.otel.Start(r.under, name, r.opts[:]...)
	return span
}

// begin ends the phase under way and begins the next one. Phases that are
// passed over on the way forward and have not been there yet get no length.
func (r *reconcile) begin(name string, at time.Time) {
	if at.Before(r.began) {
		at = r.began
	}
	when := trace.WithTimestamp(at)
	if r.span != nil {
		r.span.End(when)
	}
	for i := place(r.phase) + 1; i < place(name); i++ {
		if !r.had[i] {
			r.had[i] = true
			r.phaseFrom(phasesAfterDequeue[i], when).End(when)
		}
	}
	r.phase, r.began, r.idle, r.actions, r.debug.inPhase = name, at, at, 0, 0
	r.had[place(name)] = true
	r.span = r.phaseFrom(name, when)
}

// enter is called when a read (fetch) or a write (apply) begins: it finds the
// phase that this belongs to.
func (r *reconcile) enter(phase string, at time.Time) {
	r.decided = time.Time{}
	if r.manual || r.phase == phase || (phase == semconv.SpanFetch && r.writing > 0) {
		return
	}
	if phase == semconv.SpanApply {
		r.compute()
	}
	r.begin(phase, at)
}

// compute ends an inferred fetch: what followed its last read was computing.
func (r *reconcile) compute() {
	if !r.manual && r.phase == semconv.SpanFetch {
		r.begin(semconv.SpanCompute, r.idle)
	}
}

// decide notes when the controller told what comes next.
func (r *reconcile) decide(at time.Time, change func(*outcome)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done {
		return
	}
	if r.decided.IsZero() {
		r.decided = at
	}
	change(&r.outcome)
}

// settle ends an inferred phase that nothing has happened in for a while, so
// that a long computation is seen as one while it goes on.
func (r *reconcile) settle(now time.Time) {
	if r.heldAtFetch() {
		return // held before it has read anything, it does not compute
	}
	quiet := r.reading == 0 && r.writing == 0 && now.Sub(r.idle) >= announceAfter
	if quiet && !r.manual {
		r.compute()
	}
	if !r.decided.IsZero() && now.Sub(r.decided) >= announceAfter {
		r.toRequeue(now)
	}
}

// toRequeue begins the last phase at the time of the decision, or of the last
// write before it, or now when there was neither.
func (r *reconcile) toRequeue(now time.Time) {
	if r.phase == semconv.SpanRequeue {
		return
	}
	r.compute()
	at := r.decided
	if at.IsZero() {
		at = now
	}
	if !r.manual && r.phase == semconv.SpanApply && r.writing == 0 {
		at = r.idle
	}
	r.begin(semconv.SpanRequeue, at)
}

// finish ends the last phase and the root span.
func (r *reconcile) finish(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done {
		return
	}
	r.done = true
	r.timer.Stop()
	r.toRequeue(now)
	r.span.End(trace.WithTimestamp(later(now, r.began)))
	r.root.SetAttributes(r.outcome.attributes()...)
	if r.outcome.failed() {
		r.root.SetStatus(codes.Error, "")
	}
	r.root.End(trace.WithTimestamp(later(now, r.began)))
}

// hasRead tells whether that version of an object was read before. A write
// that answers with it changed nothing.
func (r *reconcile) hasRead(uid, version string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return uid != "" && r.read[uid] == version
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// auditID is the next id for a request of this reconcile.
func (r *reconcile) auditID() string {
	r.requests++
	return r.id + "-" + strconv.Itoa(r.requests)
}

func (o outcome) failed() bool { return o.err != nil || o.panicked }

// result is the word for what the reconcile came to.
func (o outcome) result() string {
	switch {
	case o.panicked:
		return semconv.ResultPanic
	case o.err == nil && o.requeue == "":
		return semconv.ResultSuccess
	case o.err == nil:
		return o.requeue
	}
	if failure, _ := spared(o.failure); failure != "" {
		return failure
	}
	if o.requeue == "" {
		return semconv.ResultTerminalError
	}
	return semconv.ResultError
}

// failure is the result that the error itself says, empty for none.
func (o outcome) failure() string {
	var t terminal
	switch {
	case errors.As(o.err, &t):
		return semconv.ResultTerminalError
	case errors.Is(o.err, context.DeadlineExceeded):
		return semconv.ResultTimeout
	}
	return ""
}

func (o outcome) attributes() []attribute.KeyValue {
	attrs := []attribute.KeyValue{attribute.String(semconv.AttrResult, o.result())}
	if o.requeue != "" {
		attrs = append(attrs, attribute.Int(semconv.AttrRequeueCount, o.count))
		if !o.unknown {
			attrs = append(attrs, attribute.Float64(semconv.AttrRequeueDelayMS, float64(o.delay)/float64(time.Millisecond)))
		}
	}
	if o.failed() {
		attrs = append(attrs, attribute.String(semconv.AttrErrorType, o.errorType()))
	}
	if d := o.ignored(); d > 0 {
		attrs = append(attrs, attribute.Float64(semconv.AttrRequeueIgnoredMS, float64(d)/float64(time.Millisecond)))
	}
	return attrs
}

// ignored is the delay that was asked for and is not taken, because the
// reconcile failed too and its back-off comes sooner; 0 for none.
func (o outcome) ignored() time.Duration {
	switch {
	case !o.failed() || o.unknown:
		return 0
	case o.asked > o.delay:
		return o.asked
	case o.limited > 0 && o.after > o.limited:
		return o.after
	}
	return 0
}

func (o outcome) errorType() string {
	if o.panicked {
		return semconv.ResultPanic
	}
	return errorType(o.err)
}
