package tracer_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reconcile-tracer/tracer/tracer"
	"github.com/reconcile-tracer/tracer/tracer/control/presenter"
	"github.com/reconcile-tracer/tracer/tracer/control/wire"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
	"github.com/reconcile-tracer/tracer/tracer/tracertest"
)

// lesson is a tracer that takes commands.
type lesson struct {
	*testing.T
	*presenter.Presenter
	rec    *tracertest.Recorder
	tracer *tracer.Tracer
	queue  *tracer.Queue[string]
}

func newLesson(t *testing.T) *lesson {
	t.Helper()
	l := &lesson{T: t, Presenter: presenter.New(t), rec: tracertest.NewRecorder(t)}
	hub := serveHub(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == wire.Path {
			l.ServeHTTP(w, r)
			return
		}
		l.rec.ServeHTTP(w, r)
	})
	var err error
	l.tracer, err = tracer.Start(t.Context(), tracer.Config{
		Controller: "podset", For: podSet, Endpoint: hub, Control: true, ControlToken: presenter.Token, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.tracer.Shutdown(context.Background()) })
	l.queue = newQueue(t, l.tracer)
	l.WaitLinked()
	return l
}

func (l *lesson) command(c wire.Command) {
	l.Helper()
	c.Controller = "podset"
	if err := l.Do(c); err != nil {
		l.Fatalf("%+v: %v", c, err)
	}
}

// held waits until a worker is held at a phase, and returns the record.
func (l *lesson) held(phase string, after int) tracertest.Record {
	l.Helper()
	n := 0
	return l.rec.WaitRecord(semconv.LogHold, func(r tracertest.Record) bool {
		if r.Attrs.Int(semconv.AttrHoldSince) == 0 || r.Attrs.Text(semconv.AttrHoldPhase) != phase {
			return false
		}
		n++
		return n > after
	})
}

// background reconciles the item a as work does.
func (l *lesson) background(work func(ctx context.Context)) (done chan struct{}) {
	done = make(chan struct{})
	l.queue.Add("default/a")
	go func() {
		defer close(done)
		item, quit := l.queue.Get()
		if quit {
			return
		}
		defer l.queue.Done(item)
		work(l.queue.Context(l.Context(), item))
	}()
	return done
}

// A reconciler that marks no phases is stepped through all the same.
func TestInferredPhasesAreSteppedThrough(t *testing.T) {
	l := newLesson(t)
	a := newAPI(t, l.tracer, 201, object("a-x7k", 42))
	l.command(wire.Command{Command: wire.Pause})
	done := l.background(func(ctx context.Context) {
		a.do(ctx, t, "GET", podSets+"/a", "")
		a.do(ctx, t, "POST", podSets, "{}")
		tracer.Finish(ctx, nil)
	})
	l.held(semconv.SpanDequeue, 0)
	if reconciles := l.rec.Reconciles("default/a"); len(reconciles) != 0 {
		t.Error("it was handed out")
	}
	for _, phase := range []string{"fetch", "compute", "apply", "requeue"} {
		l.command(wire.Command{Command: wire.Step})
		l.held(phase, 0)
	}
	l.command(wire.Command{Command: wire.Resume})
	<-done
	got := l.rec.WaitReconciles("default/a", 1)[0]
	if !slices.Equal(got.PhaseNames(), []string{"dequeue", "fetch", "compute", "apply", "requeue"}) {
		t.Errorf("phases %v", got.PhaseNames())
	}
	l.rec.WaitRecord(semconv.LogHold, func(r tracertest.Record) bool { return r.Attrs.Int(semconv.AttrHoldSince) == 0 })
}

// What is held before it has read anything has nothing to compute with.
func TestNoPhaseIsInferredWhileTheFetchIsHeld(t *testing.T) {
	l := newLesson(t)
	a := newAPI(t, l.tracer, 201, object("a-x7k", 42))
	l.command(wire.Command{Command: wire.Pause, Phase: "fetch"})
	done := l.background(func(ctx context.Context) {
		a.do(ctx, t, "GET", podSets+"/a", "")
		a.do(ctx, t, "POST", podSets, "{}")
		tracer.Finish(ctx, nil)
	})
	l.held(semconv.SpanFetch, 0)
	told := l.rec.WaitRecord(semconv.LogSpanStart, func(r tracertest.Record) bool {
		return slices.Contains([]string{semconv.SpanFetch, semconv.SpanCompute}, r.Attrs.Text(semconv.AttrSpanName))
	})
	if name := told.Attrs.Text(semconv.AttrSpanName); name != semconv.SpanFetch {
		t.Errorf("held before its fetch it is said to be in %s", name)
	}
	l.command(wire.Command{Command: wire.Resume})
	<-done
	if got := l.rec.WaitReconciles("default/a", 1)[0].PhaseNames(); !slices.Equal(got, []string{"dequeue", "fetch", "compute", "apply", "requeue"}) {
		t.Errorf("phases %v", got)
	}
}

// Who is held before apply is told what the reconcile is about to do.
func TestAPlanIsToldWhileItsApplyIsHeld(t *testing.T) {
	l := newLesson(t)
	a := newAPI(t, l.tracer, 201, object("a-x7k", 42))
	l.command(wire.Command{Command: wire.Pause, Phase: "apply"})
	done := l.background(func(ctx context.Context) {
		a.do(ctx, t, "GET", podSets+"/a", "")
		tracer.Plan(ctx, tracer.Action{Verb: "create", Kind: "Pod", Summary: "create 2 Pods"})
		a.do(ctx, t, "POST", podSets, "{}")
		tracer.Finish(ctx, nil)
	})
	l.held(semconv.SpanApply, 0)
	l.rec.WaitRecord(semconv.LogSpanStart, func(r tracertest.Record) bool {
		return r.Attrs.Text(semconv.AttrSpanName) == semconv.SpanCompute &&
			slices.Equal(r.Attrs.List(semconv.AttrPlan), []string{"create 2 Pods"})
	})
	l.command(wire.Command{Command: wire.Resume})
	<-done
}

func TestTheDequeueSpanLastsAsLongAsTheItemIsHeld(t *testing.T) {
	l := newLesson(t)
	l.command(wire.Command{Command: wire.Pause, Phase: "dequeue"})
	done := l.background(func(context.Context) {})
	since := time.UnixMicro(l.held("dequeue", 0).Attrs.Int(semconv.AttrHoldSince))
	l.command(wire.Command{Command: wire.Resume})
	<-done
	got := l.rec.WaitReconciles("default/a", 1)[0]
	if dequeue := got.Phases[0]; dequeue.To.Before(since) || got.Phases[1].From != dequeue.To {
		t.Errorf("it was held from %v, and dequeue ends at %v, fetch begins at %v", since, dequeue.To, got.Phases[1].From)
	}
}

func TestARequestThatIsNoReconcilesMeetsNoFault(t *testing.T) {
	l := newLesson(t)
	a := newAPI(t, l.tracer, 200, object("a", 2))
	l.command(wire.Command{Command: wire.Fault, Fault: wire.Fault500, Count: 2})
	if got := a.do(t.Context(), t, "PUT", podSets+"/a", "{}"); got != object("a", 2) {
		t.Errorf("a request of nobody's was answered with %q", got)
	}
	<-l.background(func(ctx context.Context) {
		if got := a.do(ctx, t, "PUT", podSets+"/a", "{}"); !strings.Contains(got, `"reason":"InternalError"`) {
			t.Errorf("a reconcile's was answered with %q", got)
		}
	})
	w := l.rec.WaitReconciles("default/a", 1)[0].Writes[0]
	if w.Attrs.Text(semconv.AttrWriteFault) != "500" || w.Attrs.Int(semconv.AttrHTTPStatus) != 500 || w.Attrs.Text(semconv.AttrErrorType) != "InternalError" {
		t.Errorf("the write is %v", w.Attrs)
	}
}

func TestABreakpointOnTheResult(t *testing.T) {
	l := newLesson(t)
	l.command(wire.Command{Command: wire.Break, When: "result = error and error = error"})
	done := l.background(func(ctx context.Context) {
		tracer.Finish(ctx, errors.New("canary"))
		l.queue.AddRateLimited("default/a")
	})
	h := l.held("requeue", 0)
	if why := h.Attrs.Text(semconv.AttrHoldWhy); why != "break when result = error and error = error" {
		t.Errorf("it is held by %q", why)
	}
	l.command(wire.Command{Command: wire.Lift})
	<-done
}

func TestTheQueuesEndLetsAHeldWorkerGo(t *testing.T) {
	for name, end := range map[string]func(*tracer.Queue[string]){
		"shutdown": (*tracer.Queue[string]).ShutDown, "drain": (*tracer.Queue[string]).ShutDownWithDrain,
	} {
		t.Run(name, func(t *testing.T) {
			l := newLesson(t)
			l.command(wire.Command{Command: wire.Pause, Phase: "apply"})
			done := l.background(func(ctx context.Context) { tracer.Phase(ctx, semconv.SpanApply) })
			l.held("apply", 0)
			end(l.queue)
			<-done
		})
	}
}

func TestTheTracersEndLetsAHeldWorkerGo(t *testing.T) {
	l := newLesson(t)
	l.command(wire.Command{Command: wire.Pause, Phase: "apply"})
	done := l.background(func(ctx context.Context) { tracer.Phase(ctx, semconv.SpanApply) })
	l.held("apply", 0)
	if err := l.tracer.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	<-done
}

func TestTimeUnderAHoldDoesNotCount(t *testing.T) {
	const timeout = 200 * time.Millisecond
	l := newLesson(t)
	l.command(wire.Command{Command: wire.Pause, Phase: "apply"})
	done := l.background(func(ctx context.Context) {
		ctx, cancel := tracer.WithTimeout(ctx, timeout)
		defer cancel()
		child, end := context.WithCancel(ctx)
		defer end()
		tracer.Phase(ctx, semconv.SpanApply)
		if err := ctx.Err(); err != nil {
			t.Errorf("after the hold its context is over: %v", err)
		}
		<-ctx.Done()
		if err := ctx.Err(); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("when its time was over: %v", err)
		}
		<-child.Done()
		if err := child.Err(); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a child of it, when its time was over: %v", err)
		}
	})
	l.held("apply", 0)
	<-time.After(2 * timeout) // no condition to wait for: time is what is tested
	l.command(wire.Command{Command: wire.Resume})
	<-done
}

func TestWithoutADebuggerATimeoutIsOne(t *testing.T) {
	ctx, cancel := tracer.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	<-ctx.Done()
	if _, ok := ctx.Deadline(); !ok || !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		t.Errorf("%v", ctx.Err())
	}
}

func TestControlNeedsAToken(t *testing.T) {
	for i, c := range []struct {
		env  string
		cfg  tracer.Config
		want string
	}{
		{"", tracer.Config{Control: true}, "Control needs ControlToken (TRACER_CONTROL_TOKEN)"},
		{"1", tracer.Config{}, "Control needs ControlToken"},
		{"yes", tracer.Config{}, `TRACER_CONTROL is "yes": use 1 to take commands, or 0`},
		{"0", tracer.Config{Control: true}, ""},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Setenv("TRACER_CONTROL", c.env)
			t.Setenv("TRACER_CONTROL_TOKEN", "")
			c.cfg.Controller, c.cfg.Endpoint, c.cfg.Logger = "c", "http://127.0.0.1:1", slog.New(slog.DiscardHandler)
			on, err := c.cfg.Check()
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, %v, want %q", on, err, c.want)
			}
		})
	}
}
