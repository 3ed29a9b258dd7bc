package ctrlruntime_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
	"github.com/reconcile-tracer/tracer/tracer/tracertest"
)

var errNotYet = errors.New("not yet")

// script is a reconciler whose nth call is its nth step; then all is well.
type script struct {
	steps []func(ctx context.Context) (reconcile.Result, error)
	calls atomic.Int64
}

func (s *script) Reconcile(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
	n := int(s.calls.Add(1)) - 1
	if n >= len(s.steps) {
		return reconcile.Result{}, nil
	}
	return s.steps[n](ctx)
}

// play runs a script on one ConfigMap and returns its passes.
func play(t *testing.T, options controller.Options, passes int, steps ...func(context.Context) (reconcile.Result, error)) []tracertest.Reconcile {
	t.Helper()
	w := newWorld(t)
	options.RateLimiter = workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](40*time.Millisecond, time.Second)
	if err := builder.ControllerManagedBy(w.mgr).For(&corev1.ConfigMap{}).WithOptions(options).Complete(&script{steps: steps}); err != nil {
		t.Fatal(err)
	}
	w.startSynced("ConfigMap")
	w.create(w.configMap("a"))
	return w.passes("a", passes)
}

func fails(context.Context) (reconcile.Result, error) { return reconcile.Result{}, errNotYet }

// delay is what a pass asked for, until the next one was ready.
func checkDelay(t *testing.T, before, after tracertest.Reconcile, want time.Duration) {
	t.Helper()
	if got := before.Root.Attrs.Float(semconv.AttrRequeueDelayMS); got != float64(want.Milliseconds()) {
		t.Errorf("delay %g ms, want %v", got, want)
	}
	if waited := after.Root.From.Sub(before.Root.To); waited < want-20*time.Millisecond || waited > want+5*time.Second {
		t.Errorf("the item was ready %v after the pass, want %v", waited, want)
	}
}

func TestErrorsBackOff(t *testing.T) {
	p := play(t, controller.Options{}, 3, fails, fails)
	for i, want := range []struct {
		result, cause string
		requeues      int64
	}{{semconv.ResultError, semconv.CauseAdd, 0}, {semconv.ResultError, semconv.CauseBackoff, 1}, {semconv.ResultSuccess, semconv.CauseBackoff, 2}} {
		got := p[i]
		if got.Result != want.result || got.Causes[0].What != want.cause || got.Phases[0].Attrs.Int(semconv.AttrQueueNumRequeues) != want.requeues {
			t.Errorf("pass %d: %s by %s after %d requeues, want %+v", i, got.Result, got.Causes[0].What, got.Phases[0].Attrs.Int(semconv.AttrQueueNumRequeues), want)
		}
	}
	if by := p[1].Causes[0].By; by != semconv.BySelf {
		t.Errorf("a back-off is by %s, want self", by)
	}
	checkDelay(t, p[0], p[1], 40*time.Millisecond)
	checkDelay(t, p[1], p[2], 80*time.Millisecond)
}

func TestRequeueAfter(t *testing.T) {
	p := play(t, controller.Options{}, 2, func(context.Context) (reconcile.Result, error) {
		return reconcile.Result{RequeueAfter: 120 * time.Millisecond}, nil
	})
	if p[0].Result != semconv.ResultRequeueAfter || p[1].Causes[0].What != semconv.CauseRequeueAfter {
		t.Errorf("%s, then %s, want requeue_after twice", p[0].Result, p[1].Causes[0].What)
	}
	checkDelay(t, p[0], p[1], 120*time.Millisecond)
}

func TestAnErrorIgnoresRequeueAfter(t *testing.T) {
	p := play(t, controller.Options{}, 2, func(context.Context) (reconcile.Result, error) {
		return reconcile.Result{RequeueAfter: time.Hour}, errNotYet
	})
	if p[0].Result != semconv.ResultError || p[1].Causes[0].What != semconv.CauseBackoff {
		t.Errorf("%s, then %s, want error and backoff", p[0].Result, p[1].Causes[0].What)
	}
	if ms := p[0].Root.Attrs.Float(semconv.AttrRequeueIgnoredMS); ms != 3_600_000 {
		t.Errorf("%v ms were ignored, want an hour", ms)
	}
	checkDelay(t, p[0], p[1], 40*time.Millisecond)
}

func TestTerminalErrorIsNotTriedAgain(t *testing.T) {
	p := play(t, controller.Options{}, 1, func(context.Context) (reconcile.Result, error) {
		return reconcile.Result{}, reconcile.TerminalError(errNotYet)
	})
	if p[0].Result != semconv.ResultTerminalError || !p[0].Root.Failed {
		t.Errorf("result %s, want terminal_error", p[0].Result)
	}
}

func TestPanicIsRecoveredAndTriedAgain(t *testing.T) {
	p := play(t, controller.Options{}, 2, func(context.Context) (reconcile.Result, error) { panic("ouch") })
	if p[0].Result != semconv.ResultPanic || p[1].Causes[0].What != semconv.CauseBackoff {
		t.Errorf("%s, then %s, want panic and backoff", p[0].Result, p[1].Causes[0].What)
	}
	checkDelay(t, p[0], p[1], 40*time.Millisecond)
}

func TestTimeout(t *testing.T) {
	p := play(t, controller.Options{ReconciliationTimeout: 30 * time.Millisecond}, 2, func(ctx context.Context) (reconcile.Result, error) {
		<-ctx.Done()
		return reconcile.Result{}, errNotYet
	})
	if p[0].Result != semconv.ResultTimeout {
		t.Errorf("result %s, want timeout", p[0].Result)
	}
}
