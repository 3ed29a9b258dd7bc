package ctrlruntime

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"slices"
	"testing"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/reconcile-tracer/tracer/tracer"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
	"github.com/reconcile-tracer/tracer/tracer/tracertest"
)

// startTracer starts a tracer that ends with the test.
func startTracer(t *testing.T, rec *tracertest.Recorder) *tracer.Tracer {
	t.Helper()
	tr, err := tracer.Start(t.Context(), tracer.Config{
		Controller: "c", Endpoint: rec.URL(), Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = tr.Shutdown(ctx)
	})
	return tr
}

// slow is a rate limiter that has an item wait a millisecond longer each time.
func slow() workqueue.TypedRateLimiter[string] {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[string](time.Millisecond, time.Second)
}

// queues are the ways in which a controller may make its queue, whose first
// argument is a limiter of its own.
var queues = map[string]func(own workqueue.TypedRateLimiter[string]) newQueue[string]{
	"plain": func(workqueue.TypedRateLimiter[string]) newQueue[string] {
		return func(_ string, l workqueue.TypedRateLimiter[string]) workqueue.TypedRateLimitingInterface[string] {
			return workqueue.NewTypedRateLimitingQueue(l)
		}
	},
	"plain, a limiter of its own": func(own workqueue.TypedRateLimiter[string]) newQueue[string] {
		return func(string, workqueue.TypedRateLimiter[string]) workqueue.TypedRateLimitingInterface[string] {
			return workqueue.NewTypedRateLimitingQueue(own)
		}
	},
	"priorities": func(workqueue.TypedRateLimiter[string]) newQueue[string] {
		return func(name string, l workqueue.TypedRateLimiter[string]) workqueue.TypedRateLimitingInterface[string] {
			return priorityqueue.New(name, func(o *priorityqueue.Opts[string]) { o.RateLimiter = l })
		}
	},
	"priorities, a limiter of its own": func(own workqueue.TypedRateLimiter[string]) newQueue[string] {
		return func(name string, _ workqueue.TypedRateLimiter[string]) workqueue.TypedRateLimitingInterface[string] {
			return priorityqueue.New(name, func(o *priorityqueue.Opts[string]) { o.RateLimiter = own })
		}
	},
	"both limiters": func(own workqueue.TypedRateLimiter[string]) newQueue[string] {
		return func(_ string, l workqueue.TypedRateLimiter[string]) workqueue.TypedRateLimitingInterface[string] {
			return workqueue.NewTypedRateLimitingQueue(workqueue.NewTypedMaxOfRateLimiter(l, own))
		}
	},
}

// A limiter is asked as often, and forgets as well, as without tracing,
// whoever's it is.
func TestLimitersAreAskedAsTheQueueAsksThem(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(queues)) {
		t.Run(name, func(t *testing.T) {
			given, own := slow(), slow()
			rec := tracertest.NewRecorder(t)
			q, _ := followQueue(startTracer(t, rec), queues[name](own), "", given, func(s string) (string, string) { return "", s })
			defer q.ShutDown()
			for n := 1; n <= 3; n++ {
				q.AddRateLimited("a")
				if item, _ := q.Get(); item != "a" {
					t.Fatalf("got %q", item)
				}
				if got := max(given.NumRequeues("a"), own.NumRequeues("a")); got != n || q.NumRequeues("a") != n {
					t.Fatalf("%d requeues, and %d by the limiters, want %d", q.NumRequeues("a"), got, n)
				}
				q.Done("a")
			}
			q.Forget("a")
			if got := []int{q.NumRequeues("a"), given.NumRequeues("a"), own.NumRequeues("a")}; slices.Max(got) > 0 {
				t.Errorf("%v requeues after Forget", got)
			}
		})
	}
}

// Of a delay that nobody knows nothing is said.
func TestADelayThatIsNotKnown(t *testing.T) {
	for _, name := range []string{"priorities", "priorities, a limiter of its own"} {
		t.Run(name, func(t *testing.T) {
			rec := tracertest.NewRecorder(t)
			q, follow := followQueue(startTracer(t, rec), queues[name](slow()), "", slow(), func(s string) (string, string) { return "", s })
			defer q.ShutDown()
			q.Add("a")
			for range 2 {
				item, _ := q.Get()
				ctx := follow.Start(t.Context(), item, [16]byte{})
				tracer.AskedAfter(ctx, time.Minute)
				follow.Return(item, errTest, false)
				q.AddRateLimited(item)
				q.Done(item)
			}
			p := rec.WaitReconciles("a", 2)
			_, told := p[0].Root.Attrs[semconv.AttrRequeueDelayMS]
			if want := name == "priorities"; told != want {
				t.Errorf("a delay is told of: %v, want %v", told, want)
			}
			if p[0].Result != semconv.ResultError || p[1].Causes[0].What != semconv.CauseBackoff {
				t.Errorf("%s, then %s, want error and backoff", p[0].Result, p[1].Causes[0].What)
			}
			if from, to := p[1].Root.From, p[1].Root.To; to.Sub(from) > time.Minute || from.Before(p[0].Root.From) {
				t.Errorf("the second pass is from %v to %v", from, to)
			}
		})
	}
}

var errTest = errors.New("test")
