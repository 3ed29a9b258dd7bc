package tracer_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	"github.com/reconcile-tracer/tracer/tracer"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
	"github.com/reconcile-tracer/tracer/tracer/tracertest"
)

// thing is an object with nothing but metadata.
func thing(name string, version, generation int) *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Namespace: "default", Name: name, UID: types.UID("uid-" + name),
		ResourceVersion: strconv.Itoa(version), Generation: int64(generation),
	}}
}

func TestOneReconcileHasAllPhasesInOrder(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	q := newQueue(t, start(t, rec))
	adding(q).OnAdd(thing("a", 1, 1), true)
	pass(t, q, nil)
	got := rec.WaitReconciles("default/a", 1)[0]
	want := []string{"dequeue", "fetch", "compute", "apply", "requeue"}
	if !slices.Equal(got.PhaseNames(), want) {
		t.Errorf("phases %v, want %v", got.PhaseNames(), want)
	}
	if got.Result != semconv.ResultSuccess || len(got.Causes) != 1 || got.Causes[0].What != semconv.CauseInitialList {
		t.Errorf("result %q, causes %+v", got.Result, got.Causes)
	}
	if worker := got.Root.Attrs.Int(semconv.AttrWorker); worker != 1 {
		t.Errorf("worker %d, want 1", worker)
	}
	for i, p := range got.Phases[1:] {
		if p.From.Before(got.Phases[i].To) {
			t.Errorf("%s begins before %s ends", p.Name, got.Phases[i].Name)
		}
	}
}

// The only worker is held on a while the handler sees five updates of b.
func TestFiveUpdatesAreOneReconcileWithFiveCauses(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	q := newQueue(t, start(t, rec))
	h := adding(q)
	h.OnAdd(thing("a", 1, 1), false)
	pass(t, q, func(context.Context, string) {
		for v := 11; v <= 15; v++ {
			h.OnUpdate(thing("b", v-1, v-1), thing("b", v, v))
		}
	})
	pass(t, q, nil)
	if q.Len() != 0 {
		t.Fatalf("%d items are left in the queue", q.Len())
	}
	got := rec.WaitReconciles("default/b", 1)
	if len(got) != 1 {
		t.Fatalf("%d reconciles of b, want 1", len(got))
	}
	wantCauses(t, got[0], "update 11", "update 12", "update 13", "update 14", "update 15")
	if !slices.Equal(got[0].Counts, []string{"update=5"}) {
		t.Errorf("counts %v", got[0].Counts)
	}
}

func wantCauses(t *testing.T, r tracertest.Reconcile, want ...string) {
	t.Helper()
	var got []string
	for _, c := range r.Causes {
		s := c.What
		if c.ResourceVersion != "" {
			s += " " + c.ResourceVersion
		}
		got = append(got, s)
	}
	if !slices.Equal(got, want) {
		t.Errorf("causes %q, want %q", got, want)
	}
}

func TestCausesWhileProcessingGoToTheNextReconcile(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	q := newQueue(t, start(t, rec))
	h := adding(q)
	h.OnAdd(thing("a", 1, 1), false)
	pass(t, q, func(context.Context, string) {
		h.OnUpdate(thing("a", 1, 1), thing("a", 2, 1))
		h.OnUpdate(thing("a", 2, 1), thing("a", 3, 2))
	})
	pass(t, q, nil)
	got := rec.WaitReconciles("default/a", 2)
	wantCauses(t, got[0], "add 1")
	wantCauses(t, got[1], "update 2", "update 3")
	if c := got[1].Causes; !slices.Equal(c[0].Changed, []string{"status"}) || !slices.Equal(c[1].Changed, []string{"spec"}) {
		t.Errorf("changed %v and %v", c[0].Changed, c[1].Changed)
	}
}

func TestKindsOfCauses(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	q := newQueue(t, start(t, rec))
	h := adding(q)
	h.OnUpdate(thing("a", 7, 1), thing("a", 7, 1))
	h.OnDelete(thing("a", 8, 1))
	q.Add("default/a")
	q.Manual("default/a")
	pass(t, q, nil)
	wantCauses(t, rec.WaitReconciles("default/a", 1)[0], "resync 7", "delete 8", "generic", "manual")
}

func TestBackoffHasItsRealDelay(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	q := newQueue(t, start(t, rec))
	q.Add("default/a")
	again := func(ctx context.Context, item string) {
		tracer.Finish(ctx, errors.New("no luck"))
		q.AddRateLimited(item)
	}
	pass(t, q, again)
	pass(t, q, again)
	pass(t, q, func(_ context.Context, item string) { q.Forget(item) })
	got := rec.WaitReconciles("default/a", 3)
	for i, delay := range []int64{10, 20} {
		if got[i].Result != semconv.ResultError || got[i].Root.Attrs.Float(semconv.AttrRequeueDelayMS) != float64(delay) {
			t.Errorf("pass %d: %s after %g ms, want error after %d", i, got[i].Result, got[i].Root.Attrs.Float(semconv.AttrRequeueDelayMS), delay)
		}
		wait := got[i+1].Root.From.Sub(got[i].Phases[4].From)
		if wait < time.Duration(delay)*time.Millisecond {
			t.Errorf("pass %d was ready after %v, the back-off is %d ms", i+1, wait, delay)
		}
	}
	wantCauses(t, got[2], "backoff")
	if n := got[2].Phases[0].Attrs.Int(semconv.AttrQueueNumRequeues); n != 2 {
		t.Errorf("%d requeues, want 2", n)
	}
	if q.NumRequeues("default/a") != 0 {
		t.Error("Forget did not reset the limiter")
	}
}

// As in client-go an early Add does not cancel the delay.
func TestAddDuringADelayMakesTwoReconciles(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	q := newQueue(t, start(t, rec))
	q.AddAfter("default/a", 60*time.Millisecond)
	adding(q).OnAdd(thing("a", 1, 1), false)
	pass(t, q, nil)
	delayed := rec.WaitRecord(semconv.LogQueueItem, func(r tracertest.Record) bool {
		return r.Attrs.Text(semconv.AttrItemDelayedWhy) == semconv.CauseRequeueAfter
	})
	pass(t, q, nil)
	got := rec.WaitReconciles("default/a", 2)
	wantCauses(t, got[0], "add 1")
	wantCauses(t, got[1], "requeue_after")
	if at := got[1].Root.From.UnixMicro(); at < delayed.Attrs.Int(semconv.AttrItemDelayedUntil) {
		t.Error("it was ready before the time that was told")
	}
}

func TestManyAddAftersAreOneReconcile(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	q := newQueue(t, start(t, rec))
	for range 3 {
		q.AddAfter("default/a", 30*time.Millisecond)
	}
	q.AddAfter("default/b", 0)
	q.AddAfter("default/b", -time.Second)
	pass(t, q, nil)
	pass(t, q, nil)
	wantCauses(t, rec.WaitReconciles("default/a", 1)[0], "requeue_after", "requeue_after", "requeue_after")
	wantCauses(t, rec.WaitReconciles("default/b", 1)[0], "requeue_after", "requeue_after")
}

func TestTwoAddsInOneEventAreOneCause(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	q := newQueue(t, start(t, rec))
	h := q.Handler(podSet, func(q tracer.Adder[string]) cache.ResourceEventHandler {
		return cache.ResourceEventHandlerFuncs{AddFunc: func(any) {
			q.Add("default/x")
			q.Add("default/x")
			q.AddAfter("default/y", time.Millisecond)
		}}
	})
	h.OnAdd(thing("child", 5, 0), false)
	pass(t, q, nil)
	pass(t, q, nil)
	wantCauses(t, rec.WaitReconciles("default/x", 1)[0], "add 5")
	wantCauses(t, rec.WaitReconciles("default/y", 1)[0], "add 5")
}

func TestManyCausesKeepTheFirstTheLastAndExactCounts(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	q := newQueue(t, start(t, rec))
	h := adding(q)
	for v := 1; v <= 1000; v++ {
		h.OnUpdate(thing("a", v-1, 1), thing("a", v, 1))
	}
	pass(t, q, nil)
	got := rec.WaitReconciles("default/a", 1)[0]
	if len(got.Causes) != semconv.MaxCauses || !slices.Equal(got.Counts, []string{"update=1000"}) {
		t.Fatalf("%d causes, counts %v", len(got.Causes), got.Counts)
	}
	if first, last := got.Causes[31].ResourceVersion, got.Causes[32].ResourceVersion; first != "32" || last != "969" {
		t.Errorf("the kept ones end with %s and go on with %s, want 32 and 969", first, last)
	}
}

func TestShutdownDropsWhatIsAddedAndDrains(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	q := newQueue(t, start(t, rec))
	q.Add("default/a")
	q.AddAfter("default/late", time.Hour)
	item, _ := q.Get()
	drained := make(chan struct{})
	go func() { defer close(drained); q.ShutDownWithDrain() }()
	for !q.ShuttingDown() {
		select {
		case <-drained:
			t.Fatal("drained before Done")
		default:
		}
	}
	q.Add("default/b")
	q.AddRateLimited("default/b")
	q.Done(item)
	<-drained
	if _, quit := q.Get(); !quit {
		t.Error("Get gave an item after the end")
	}
	rec.WaitReconciles("default/a", 1)
	rec.WaitRecord(semconv.LogQueueItem, func(r tracertest.Record) bool {
		_, delayed := r.Attrs[semconv.AttrItemDelayedUntil]
		return r.Attrs.Text(semconv.AttrObjectName) == "late" && !delayed
	})
}

func TestWorkersHaveTheSmallestFreeNumber(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	q := newQueue(t, start(t, rec))
	for i := range 3 {
		q.Add(fmt.Sprint("i", i))
		q.Get()
	}
	q.Done("i1")
	q.Add("i3")
	q.Get()
	q.Done("i3")
	if got := rec.WaitReconciles("i3", 1)[0].Root.Attrs.Int(semconv.AttrWorker); got != 2 {
		t.Errorf("worker %d, want 2", got)
	}
	q.Done("i0")
	q.Done("i2")
}

func TestMisuseIsHarmless(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	q := newQueue(t, start(t, rec))
	q.Done("never")
	q.Forget("never")
	q.Add("a")
	pass(t, q, nil)
	q.Done("a")
	ctx := q.Context(t.Context(), "a")
	tracer.Phase(ctx, "fetch")
	tracer.Plan(ctx, tracer.Action{})
	tracer.Observe(ctx, nil)
	tracer.Finish(ctx, nil)
	tracer.Finish(nil, nil) //nolint:staticcheck // a nil context is what is tested
	var none *tracer.Tracer
	none.Workers(1)
	if err := none.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	plain := tracer.NewQueue[string](nil, nil, tracer.QueueConfig[string]{})
	plain.Add("x")
	if it, quit := plain.Get(); it != "x" || quit {
		t.Errorf("a plain queue gave %q, %v", it, quit)
	}
	plain.Done("x")
	plain.ShutDown()
}

func TestANilQueueIsHarmless(t *testing.T) {
	tr := start(t, tracertest.NewRecorder(t))
	for _, q := range []*tracer.Queue[string]{nil, new(tracer.Queue[string])} {
		q.Add("a")
		q.Manual("a")
		q.AddAfter("a", time.Second)
		q.AddRateLimited("a")
		q.Forget("a")
		q.Done("a")
		if _, quit := q.Get(); !quit || q.Len() != 0 || q.NumRequeues("a") != 0 || !q.ShuttingDown() {
			t.Error("a queue that is none does not look ended")
		}
		if q.Context(t.Context(), "a") != t.Context() {
			t.Error("it changes the context")
		}
		adding(q).OnAdd(thing("a", 1, 1), false)
		q.ShutDown()
		q.ShutDownWithDrain()
	}
	if newQueue(t, tr).Handler(podSet, nil) != nil {
		t.Error("no handler became one")
	}
}

// Two tracers of one name are two emitters: each has all of its own reconciles.
func TestTwoTracersOfOneController(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	one, two := newQueue(t, start(t, rec)), newQueue(t, start(t, rec))
	one.Add("a")
	two.Add("a")
	pass(t, one, func(ctx context.Context, item string) {
		tracer.Finish(ctx, errors.New("first"))
		tracer.Finish(ctx, nil)
		pass(t, two, nil)
		one.Done(item) // and once more when pass ends
	})
	results := map[string]int{}
	for _, r := range rec.WaitReconciles("a", 2) {
		results[r.Result]++
	}
	if results[semconv.ResultTerminalError] != 1 || results[semconv.ResultSuccess] != 1 {
		t.Errorf("results %v, want one of each tracer", results)
	}
}

// As in client-go a delay that is running ends when it was to end, whatever
// longer one is asked for meanwhile: the reconcile tells the real one.
func TestALongerDelayDoesNotPutOffTheOneThatRuns(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	q := newQueue(t, start(t, rec))
	q.Add("default/a")
	pass(t, q, func(_ context.Context, item string) {
		q.AddAfter(item, time.Minute)
		q.AddAfter(item, time.Hour)
	})
	got := rec.WaitReconciles("default/a", 1)[0].Root.Attrs.Float(semconv.AttrRequeueDelayMS)
	if minute := float64(time.Minute.Milliseconds()); got <= 0 || got > minute {
		t.Errorf("the delay is told as %g ms, want at most %g", got, minute)
	}
}
