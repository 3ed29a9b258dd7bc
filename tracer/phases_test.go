package tracer_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/reconcile-tracer/tracer/tracer"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
	"github.com/reconcile-tracer/tracer/tracer/tracertest"
)

func TestPhasesByHand(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	tr := start(t, rec)
	q, a := newQueue(t, tr), newAPI(t, tr, 200, object("a", 2))
	reconcileA(t, q, func(ctx context.Context) {
		tracer.Phase(ctx, semconv.SpanApply)
		tracer.Phase(ctx, semconv.SpanFetch)
		tracer.Phase(ctx, "no such phase")
		a.do(ctx, t, "PUT", podSets+"/a", "{}")
		tracer.Phase(ctx, semconv.SpanCompute)
		tracer.Plan(ctx, tracer.Action{Verb: "create", Kind: "Pod", Summary: "create 2 Pods"})
	})
	got := rec.WaitReconciles("default/a", 1)[0]
	want := []string{"dequeue", "fetch", "compute", "apply", "fetch", "compute", "requeue"}
	if !slices.Equal(got.PhaseNames(), want) {
		t.Errorf("phases %v, want %v", got.PhaseNames(), want)
	}
	if len(got.Phases) == 7 && (len(got.Phases[5].Events) != 1 || got.Writes[0].Parent != got.Phases[4].SpanID) {
		t.Errorf("the plan stands on %+v, the write below %s", got.Phases[5].Events, got.Writes[0].Parent)
	}
}

func TestThePlanStandsOnCompute(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	tr := start(t, rec)
	q, a := newQueue(t, tr), newAPI(t, tr, 201, object("a-1", 2))
	reconcileA(t, q, func(ctx context.Context) {
		tracer.Plan(ctx, tracer.Action{Verb: "create", Kind: "Pod", Name: "p", Summary: "create 2 Pods", Paths: []string{"spec"}})
		a.do(ctx, t, "POST", podSets, "{}")
	})
	got := rec.WaitReconciles("default/a", 1)[0]
	if !slices.Equal(got.PhaseNames(), []string{"dequeue", "fetch", "compute", "apply", "requeue"}) {
		t.Fatalf("phases %v", got.PhaseNames())
	}
	if e := got.Phases[2].Events; len(e) != 1 || e[0].Attrs.Text(semconv.AttrActionSummary) != "create 2 Pods" {
		t.Errorf("the events of compute: %+v", e)
	}
	for i, p := range got.Phases[1:] {
		if !p.From.Equal(got.Phases[i].To) {
			t.Errorf("%s begins %v after %s ends", p.Name, p.From.Sub(got.Phases[i].To), got.Phases[i].Name)
		}
	}
}

func TestResults(t *testing.T) {
	conflict := apierrors.NewConflict(schema.GroupResource{Resource: "pods"}, "canary", errors.New("canary"))
	for name, c := range map[string]struct {
		work         func(ctx context.Context, q *tracer.Queue[string])
		result, kind string
	}{
		"nothing": {func(context.Context, *tracer.Queue[string]) {}, semconv.ResultSuccess, ""},
		"forget":  {func(_ context.Context, q *tracer.Queue[string]) { q.Forget("default/a") }, semconv.ResultSuccess, ""},
		"no error": {func(ctx context.Context, q *tracer.Queue[string]) {
			tracer.Finish(ctx, nil)
		}, semconv.ResultSuccess, ""},
		"requeue": {func(_ context.Context, q *tracer.Queue[string]) { q.AddRateLimited("default/a") }, semconv.ResultRequeue, ""},
		"requeue_after": {func(_ context.Context, q *tracer.Queue[string]) {
			q.AddAfter("default/a", 1)
		}, semconv.ResultRequeueAfter, ""},
		"another's requeue": {func(_ context.Context, q *tracer.Queue[string]) { q.AddAfter("default/b", 1) }, semconv.ResultSuccess, ""},
		"error": {func(ctx context.Context, q *tracer.Queue[string]) {
			tracer.Finish(ctx, fmt.Errorf("writing: %w", conflict))
			tracer.Finish(ctx, errors.New("later"))
			q.AddRateLimited("default/a")
		}, semconv.ResultError, "Conflict"},
		"error, given up": {func(ctx context.Context, q *tracer.Queue[string]) {
			tracer.Finish(ctx, errors.New("canary"))
			q.Forget("default/a")
		}, semconv.ResultTerminalError, "error"},
		"terminal": {func(ctx context.Context, q *tracer.Queue[string]) {
			tracer.Finish(ctx, tracer.Terminal(conflict))
			q.AddRateLimited("default/a")
		}, semconv.ResultTerminalError, "Conflict"},
		"timeout": {func(ctx context.Context, q *tracer.Queue[string]) {
			tracer.Finish(ctx, fmt.Errorf("x: %w", context.DeadlineExceeded))
			q.AddRateLimited("default/a")
		}, semconv.ResultTimeout, "timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			rec := tracertest.NewRecorder(t)
			q := newQueue(t, start(t, rec))
			reconcileA(t, q, func(ctx context.Context) { c.work(ctx, q) })
			got := rec.WaitReconciles("default/a", 1)[0]
			if kind := got.Root.Attrs.Text(semconv.AttrErrorType); got.Result != c.result || kind != c.kind {
				t.Errorf("result %q %q, want %q %q", got.Result, kind, c.result, c.kind)
			}
			if got.Root.Failed != (c.kind != "") {
				t.Errorf("failed: %v", got.Root.Failed)
			}
		})
	}
}

// A failed reconcile does not get the RequeueAfter that it asks for, unless its
// back-off is longer; the trace says what was ignored.
func TestIgnoredRequeueAfter(t *testing.T) {
	for name, c := range map[string]struct {
		work func(ctx context.Context, q *tracer.Queue[string])
		want float64
	}{
		"asked and failed": {func(ctx context.Context, q *tracer.Queue[string]) {
			tracer.Finish(ctx, errors.New("no"))
			q.AddAfter("default/a", time.Hour)
			q.AddRateLimited("default/a")
		}, 3_600_000},
		"failed and asked": {func(ctx context.Context, q *tracer.Queue[string]) {
			tracer.Finish(ctx, errors.New("no"))
			q.AddRateLimited("default/a")
			q.AddAfter("default/a", time.Hour)
		}, 3_600_000},
		"told by another queue": {func(ctx context.Context, q *tracer.Queue[string]) {
			tracer.AskedAfter(ctx, time.Minute)
			tracer.Finish(ctx, errors.New("no"))
			q.AddRateLimited("default/a")
		}, 60_000},
		"sooner than the back-off": {func(ctx context.Context, q *tracer.Queue[string]) {
			tracer.Finish(ctx, errors.New("no"))
			q.AddAfter("default/a", time.Nanosecond)
			q.AddRateLimited("default/a")
		}, 0},
		"no error": {func(_ context.Context, q *tracer.Queue[string]) { q.AddAfter("default/a", time.Hour) }, 0},
		"an error": {func(ctx context.Context, q *tracer.Queue[string]) {
			tracer.Finish(ctx, errors.New("no"))
			q.AddRateLimited("default/a")
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			rec := tracertest.NewRecorder(t)
			q := newQueue(t, start(t, rec))
			reconcileA(t, q, func(ctx context.Context) { c.work(ctx, q) })
			root := rec.WaitReconciles("default/a", 1)[0].Root
			if got := root.Attrs.Float(semconv.AttrRequeueIgnoredMS); got != c.want {
				t.Errorf("%v ms were ignored, want %v", got, c.want)
			}
		})
	}
}

func TestAPanicIsRecordedAndGoesOn(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	q := newQueue(t, start(t, rec))
	q.Add("default/a")
	func() {
		defer func() {
			if p := recover(); p != "canary" {
				t.Errorf("the panic became %v", p)
			}
		}()
		item, _ := q.Get()
		defer q.Done(item)
		defer tracer.RecordPanic(q.Context(t.Context(), item))
		panic("canary")
	}()
	if got := rec.WaitReconciles("default/a", 1)[0].Result; got != semconv.ResultPanic {
		t.Errorf("result %q", got)
	}
}

func TestSpansThatStayOpenAreAnnounced(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	tr := start(t, rec)
	q := newQueue(t, tr)
	started := func(name string) tracertest.Record {
		return rec.WaitRecord(semconv.LogSpanStart, func(r tracertest.Record) bool {
			return r.Attrs.Text(semconv.AttrSpanName) == name
		})
	}
	var root, phase, write tracertest.Record
	a := serve(t, tr, func(http.ResponseWriter, *http.Request) { write = started(semconv.SpanWrite) })
	reconcileA(t, q, func(ctx context.Context) {
		root, phase = started("reconcile podset"), started(semconv.SpanCompute)
		a.do(ctx, t, "PUT", podSets+"/a", "{}")
	})
	got := rec.WaitReconciles("default/a", 1)[0]
	if root.SpanID != got.Root.SpanID || root.Attrs.Text(semconv.AttrController) != "podset" {
		t.Errorf("the root was announced as %+v", root)
	}
	if phase.TraceID != got.Root.TraceID || phase.SpanID != got.Phases[2].SpanID || phase.Attrs.Text(semconv.AttrSpanParentID) != got.Root.SpanID {
		t.Errorf("compute was announced as %+v", phase)
	}
	if write.SpanID != got.Writes[0].SpanID || write.Attrs.Text(semconv.AttrWriteResource) != "podsets" {
		t.Errorf("the write was announced as %+v", write)
	}
}

func TestObserveNamesWhatHoldsADeletedObject(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	q := newQueue(t, start(t, rec))
	obj := &unstructured.Unstructured{Object: map[string]any{}}
	obj.SetUID("u")
	obj.SetFinalizers([]string{"demo.example/clean-up", "no word!"})
	reconcileA(t, q, func(ctx context.Context) { tracer.Observe(ctx, obj) })
	obj.SetDeletionTimestamp(&metav1.Time{Time: time.Now()})
	reconcileA(t, q, func(ctx context.Context) { tracer.Observe(ctx, obj) })
	got := rec.WaitReconciles("default/a", 2)
	if names := got[0].Root.Attrs.List(semconv.AttrObjectFinalizers); names != nil {
		t.Errorf("finalizers of an object that is not being deleted: %v", names)
	}
	if names := got[1].Root.Attrs.List(semconv.AttrObjectFinalizers); !slices.Equal(names, []string{"demo.example/clean-up"}) {
		t.Errorf("finalizers %v", names)
	}
}

func TestObserveTakesWhatIsAllowedAndTellsOtherChanges(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	q := newQueue(t, start(t, rec))
	obj := &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{
			"name": "a", "uid": "u", "resourceVersion": "7", "generation": int64(2),
			"annotations": map[string]any{"x": "canary"},
		},
		"spec": map[string]any{"replicas": int64(3), "password": "canary", "template": map[string]any{"env": "canary"}},
		"status": map[string]any{
			"observedGeneration": int64(1), "note": "canary",
			"conditions": []any{map[string]any{"type": "Ready", "status": "False", "reason": "TooFew", "message": "canary"}},
		},
	}}
	observe := func(ctx context.Context) { tracer.Observe(ctx, obj) }
	reconcileA(t, q, observe)
	obj.SetGeneration(3)
	obj.Object["spec"].(map[string]any)["password"] = "canary2"
	reconcileA(t, q, observe)
	got := rec.WaitReconciles("default/a", 2)
	wantAttrs(t, got[0].Root.Attrs, tracertest.Attrs{
		semconv.AttrObjectGeneration: int64(2), semconv.AttrObjectObservedGen: int64(1),
		semconv.AttrObjectResourceVersion: "7", semconv.AttrObjectDeleting: false, semconv.AttrObjectUID: "u",
	})
	fields := []string{
		"spec.replicas=3", "status.conditions.Ready.reason=TooFew", "status.conditions.Ready=False", "status.observedGeneration=1",
	}
	if list := got[0].Root.Attrs.List(semconv.AttrObjectFields); !slices.Equal(list, fields) {
		t.Errorf("fields %q, want %q", list, fields)
	}
	changed := slices.DeleteFunc(got[1].Root.Attrs.List(semconv.AttrObjectFields), func(f string) bool { return slices.Contains(fields, f) })
	if len(changed) != 1 || !strings.HasPrefix(changed[0], "spec.password=changed ") {
		t.Errorf("changed fields %q", changed)
	}
}
