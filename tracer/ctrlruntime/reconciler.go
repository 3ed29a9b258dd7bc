package ctrlruntime

import (
	"context"
	"encoding/hex"
	"errors"
	"strings"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"go.opentelemetry.io/otel/trace"

	"github.com/reconcile-tracer/tracer/tracer"
)

// reconciler runs a controller's reconciler as a pass that is traced.
type reconciler[T comparable] struct {
	next   reconcile.TypedReconciler[T]
	by     *controller
	key    func(T) (namespace, name string)
	follow atomic.Pointer[tracer.Follower[T]] // set when the queue is made
}

// passKey is the key under which a context holds its pass.
type passKey struct{}

// pass is one call of a reconciler.
type pass struct {
	tracer          *tracer.Tracer
	kind            schema.GroupVersionKind
	namespace, name string
}

// passOf is the pass of ctx, nil for none.
func passOf(ctx context.Context) *pass {
	p, _ := ctx.Value(passKey{}).(*pass)
	return p
}

// Reconcile reconciles a request.
func (r *reconciler[T]) Reconcile(ctx context.Context, request T) (result reconcile.Result, err error) {
	follow := r.follow.Load()
	if !follow.Enabled() {
		return r.next.Reconcile(ctx, request)
	}
	p := &pass{tracer: r.by.trace(), kind: r.by.kind()}
	p.namespace, p.name = r.key(request)
	ctx = context.WithValue(follow.Start(ctx, request, traceID(ctx)), passKey{}, p)
	// Whoever recovers a panic is to find it as it was, so it is not touched.
	panicked, told := true, error(nil)
	defer func() { follow.Return(request, told, panicked) }()
	run(ctx, func() { result, err = r.next.Reconcile(ctx, request) })
	panicked, told = false, outcome(ctx, err)
	if err != nil && result.RequeueAfter > 0 {
		tracer.AskedAfter(ctx, result.RequeueAfter)
	}
	return result, err
}

// traceID is the reconcileID as a trace id, zero when there is none.
func traceID(ctx context.Context) (id trace.TraceID) {
	digits := strings.ReplaceAll(string(ctrl.ReconcileIDFromContext(ctx)), "-", "")
	if b, err := hex.DecodeString(digits); err == nil && len(b) == len(id) {
		copy(id[:], b)
	}
	return id
}

// outcome is err in the tracer's words: terminal, or after the time ran out.
func outcome(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, reconcile.TerminalError(nil)):
		return tracer.Terminal(err)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return errors.Join(err, context.DeadlineExceeded)
	default:
		return err
	}
}
