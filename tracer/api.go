package tracer

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// Action is one action of a reconcile's plan, in words and in names. Paths
// name fields of the object, never their values.
type Action struct {
	// Verb is what is done: create, update, delete, patch, ….
	Verb string
	// Kind is the kind of what it is done to.
	Kind string
	// Name is the object's name, empty where there are several or none yet.
	Name string
	// Summary is the action in words: "create 2 Pods".
	Summary string
	// Paths are the fields that change: "spec.replicas".
	Paths []string
}

// Phase ends the current phase of ctx's reconcile and begins the named one, a
// semconv.SpanFetch, SpanCompute, SpanApply or SpanRequeue; other names and a
// ctx without a reconcile are ignored. From the first call on, nothing is
// inferred for this reconcile. Marking the phase that is under way changes
// nothing.
func Phase(ctx context.Context, name string) {
	if live.Load() != 0 { // apart, so that a caller inlines what is off
		mark(ctx, name)
	}
}

func mark(ctx context.Context, name string) {
	r := from(ctx)
	if r == nil || place(name) < 0 {
		return
	}
	r.before(ctx.Done(), name)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done {
		return
	}
	r.manual = true
	if r.phase != name {
		r.begin(name, time.Now())
	}
}

// Plan records the actions that ctx's reconcile is about to take. It belongs
// to the compute phase and, unless phases are marked by hand, begins it if
// that is still to come. Once apply has begun, the actions stand on the phase
// that is under way. A phase keeps the first semconv.MaxActions actions, and how
// many there were.
func Plan(ctx context.Context, actions ...Action) {
	r := from(ctx)
	if r == nil {
		return
	}
	r.beforePlan(ctx.Done())
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done {
		return
	}
	r.compute()
	for _, a := range actions {
		r.plan(a)
	}
	r.tellAgain(r.span)
}

// plan adds an action to the phase under way; of those that are too many only
// their number is told.
func (r *reconcile) plan(a Action) {
	r.actions++
	if r.actions > semconv.MaxActions {
		r.span.SetAttributes(attribute.Int(semconv.AttrPlanCount, r.actions))
		return
	}
	r.span.AddEvent(semconv.EventPlanAction, trace.WithAttributes(a.attributes()...))
}

func (a Action) attributes() []attribute.KeyValue {
	attrs := []attribute.KeyValue{
		attribute.String(semconv.AttrActionVerb, a.Verb),
		attribute.String(semconv.AttrActionKind, a.Kind),
		attribute.String(semconv.AttrActionSummary, cutText(a.Summary, maxText)),
	}
	if a.Name != "" {
		attrs = append(attrs, attribute.String(semconv.AttrActionName, a.Name))
	}
	if len(a.Paths) > 0 {
		attrs = append(attrs, attribute.StringSlice(semconv.AttrActionPaths, a.Paths))
	}
	return attrs
}

// Observe records what ctx's reconcile sees of the object it reconciles: its
// generation, observed generation, resourceVersion, whether it is being
// deleted, allow-listed fields, and which other fields of its spec have changed
// since it was observed last, without their values. The object is read only, and only until
// Observe returns. Nil and objects without metadata are ignored.
func Observe(ctx context.Context, obj any) {
	r := from(ctx)
	if r == nil {
		return
	}
	attrs, ok := spared(func() []attribute.KeyValue { return r.t.digests.objectAttributes(obj) })
	if !ok {
		r.t.unreadable(obj)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done || attrs == nil {
		return
	}
	r.root.SetAttributes(attrs...)
	r.tellAgain(r.root)
}

// Finish tells what ctx's reconcile came to: nil for good, otherwise the
// error, of which only the type is kept, never the message. Call it before the
// item is requeued or forgotten; without it results are inferred, and an
// error looks like a requeue. The first error wins.
func Finish(ctx context.Context, err error) {
	r := from(ctx)
	if r == nil {
		return
	}
	r.before(ctx.Done(), semconv.SpanRequeue)
	r.decide(time.Now(), func(o *outcome) {
		if o.err == nil {
			o.err = err
		}
	})
}

// AskedAfter tells that ctx's reconcile asked to be reconciled again after d,
// for a queue that the library does not build. Nothing is done with it unless
// the reconcile fails: then its back-off comes instead, and the trace says what
// was ignored. A Queue tells it by itself.
func AskedAfter(ctx context.Context, d time.Duration) {
	r := from(ctx)
	if r == nil {
		return
	}
	r.decide(time.Now(), func(o *outcome) { o.asked = max(o.asked, d) })
}

// RecordPanic is to be deferred directly, after Done is: a panic that passes
// through it makes the reconcile's result panic, and goes on.
func RecordPanic(ctx context.Context) {
	r := from(ctx)
	if r == nil {
		return
	}
	if p := recover(); p != nil {
		r.decide(time.Now(), func(o *outcome) { o.panicked = true })
		panic(p)
	}
}
