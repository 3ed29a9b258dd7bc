package reconciler

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reconcile-tracer/tracer/internal/clustertest"
	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// idle waits until the newest version of the PodSet has been a cause, and the
// newest pass came to nothing to do: then the loop is at rest.
func (b *bench) idle(s *sink, name string) []pass {
	b.Helper()
	var passes []pass
	clustertest.Eventually(b, "the loop of "+name+" is at rest", func(ctx context.Context) bool {
		set, err := b.sets.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false
		}
		passes = s.of(b.namespace + "/" + name)
		return slices.ContainsFunc(passes, func(p pass) bool { return p.has(set.ResourceVersion) }) &&
			slices.Contains(passes[len(passes)-1].plan, "nothing to do")
	})
	return passes
}

// has says whether the PodSet of that version is one of p's causes.
func (p pass) has(version string) bool {
	return slices.ContainsFunc(p.causes, func(c seenCause) bool { return c.kind == v1alpha1.Kind && c.version == version })
}

func TestScaleFromThreeToFiveIsOneReconcileThatCreatesTwoPods(t *testing.T) {
	b, hub := newBench(t), newSink(t)
	o := b.options()
	b.traced(&o, hub.server.URL)
	b.start(o)
	b.create("web", 3)
	b.settled("web", 3)
	settled := len(b.idle(hub, "web"))

	edit := b.scale("web", 5)
	b.settled("web", 5)
	passes := b.idle(hub, "web")[settled:]

	creating := planning(passes, "create 2 Pods")
	if len(creating) != 1 {
		t.Fatalf("%d reconciles plan to create 2 Pods, want 1: %+v", len(creating), passes)
	}
	first := creating[0]
	if c := first.causes[0]; c.what != semconv.CauseUpdate || c.by != semconv.ByOther || c.version != edit.ResourceVersion {
		t.Errorf("its first cause is %+v, want the update by other to %s", c, edit.ResourceVersion)
	}
	if got := phaseOrder(first); !cmp.Equal(got, allPhases) {
		t.Errorf("its phases are %v, want %v", got, allPhases)
	}
	noneFailed(t, passes)
	made := createdPods(first)
	if len(made) != 2 {
		t.Fatalf("%d Pods were created (201), want 2: %+v", len(made), first.writes)
	}
	for _, p := range passes {
		if n := len(createdPods(p)); p.id != first.id && n > 0 {
			t.Errorf("reconcile %s created %d more Pods: %+v", p.id, n, p)
		}
	}
	for _, w := range first.writes {
		causedBy(t, passes, w)
	}
}

var allPhases = []string{semconv.SpanDequeue, semconv.SpanFetch, semconv.SpanCompute, semconv.SpanApply, semconv.SpanRequeue}

// phaseOrder puts repeated phases together.
func phaseOrder(p pass) []string { return slices.Compact(slices.Clone(p.phases)) }

func createdPods(p pass) []seenWrite {
	return slices.DeleteFunc(slices.Clone(p.writes), func(w seenWrite) bool {
		return w.method != http.MethodPost || w.resource != "pods" || w.status != http.StatusCreated
	})
}

func noneFailed(t *testing.T, passes []pass) {
	t.Helper()
	for _, p := range passes {
		for _, w := range p.writes {
			if w.status >= 400 {
				t.Errorf("a write failed: %+v in %+v", w, p)
			}
		}
		if p.result != semconv.ResultSuccess {
			t.Errorf("a reconcile ended in %s (%s): %+v", p.result, p.errs, p)
		}
	}
}

// causedBy expects a pass that has w's own event as a cause, linked to w.
func causedBy(t *testing.T, passes []pass, w seenWrite) {
	t.Helper()
	for _, p := range passes {
		for _, c := range p.causes {
			if c.by == semconv.BySelf && c.version == w.after && c.write == w.span {
				return
			}
		}
	}
	t.Errorf("no reconcile has the event of %+v as a cause by self, linked to it: %+v", w, passes)
}

func TestFiveUpdatesWhileTheWorkerIsHeldAreOneReconcile(t *testing.T) {
	b, hub := newBench(t), newSink(t)
	o := b.options()
	o.Workers = 1
	hold := newGate()
	held := make(chan struct{}, 10)
	o.Config.Wrap(before(http.MethodPost, "/pods", func(r *http.Request) {
		held <- struct{}{}
		hold.wait(r.Context().Done())
	}))
	b.traced(&o, hub.server.URL)
	b.start(o)
	b.create("b", 1)
	b.settled("b", 1)
	<-held
	item := b.namespace + "/b"
	atRest := len(b.idle(hub, "b"))

	hold.shut()
	b.create("a", 1)
	<-held
	var want []string
	for i := range 5 {
		want = append(want, b.touch("b", fmt.Sprint(i)).ResourceVersion)
	}
	clustertest.Eventually(t, "the handler has seen all five", func(context.Context) bool { return hub.readyCauses(item) == 5 })
	hold.lift()
	b.settled("a", 1)

	passes := b.idle(hub, "b")[atRest:]
	if len(passes) != 1 {
		t.Fatalf("%d reconciles of b, want 1: %+v", len(passes), passes)
	}
	var got []string
	for _, c := range passes[0].causes {
		if c.what != semconv.CauseUpdate || c.by != semconv.ByOther {
			t.Errorf("a cause is %+v, want an update by other", c)
		}
		got = append(got, c.version)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("resourceVersions of its causes (-want +got):\n%s", diff)
	}
}

// A cache that lags must neither double a Pod nor have a status written over
// an old version. Held back from the moment of its own write of that resource,
// the controller sees the other resource's events, and looks again.
func TestLaggingCacheMakesNothingTwice(t *testing.T) {
	for resource, write := range map[string]struct{ method, suffix string }{
		"pods":    {http.MethodPost, "/pods"},
		"podsets": {http.MethodPut, "/status"},
	} {
		t.Run(resource, func(t *testing.T) {
			b, hub := newBench(t), newSink(t)
			o := b.options()
			events := newGate()
			o.Config.Wrap(holdWatches(resource, events))
			var armed atomic.Bool
			o.Config.Wrap(before(write.method, write.suffix, func(*http.Request) {
				if armed.CompareAndSwap(true, false) {
					events.shut()
				}
			}))
			b.traced(&o, hub.server.URL)
			b.start(o)
			item := b.namespace + "/web"
			b.create("web", 1)
			b.settled("web", 1)
			before := len(b.idle(hub, "web"))

			armed.Store(true)
			b.scale("web", 3)
			clustertest.Eventually(t, "a pass waits for the cache", func(context.Context) bool {
				return len(waiting(hub.of(item)[before:])) > 0
			})
			if got := len(b.pods("web")); got != 3 {
				t.Errorf("%d Pods while the cache lags, want 3", got)
			}
			events.lift()
			b.settled("web", 3)
			passes := b.idle(hub, "web")
			noneFailed(t, passes)
			if made := allCreated(passes); made != 3 {
				t.Errorf("%d Pods were created in all, want 3", made)
			}
		})
	}
}

func allCreated(passes []pass) int {
	n := 0
	for _, p := range passes {
		n += len(createdPods(p))
	}
	return n
}

// waiting returns the passes that planned to wait for the cache.
func waiting(passes []pass) []pass {
	return slices.DeleteFunc(slices.Clone(passes), func(p pass) bool {
		return !strings.HasPrefix(strings.Join(p.plan, ", "), "nothing to do yet: ")
	})
}

// Somebody changes the PodSet between the controller's read and its write.
func TestConflictIsTriedAgainAfterABackOff(t *testing.T) {
	b, hub := newBench(t), newSink(t)
	o := b.options()
	var once sync.Once
	o.Config.Wrap(before(http.MethodPut, "/status", func(*http.Request) {
		once.Do(func() { b.touch("web", "in between") })
	}))
	b.traced(&o, hub.server.URL)
	b.start(o)
	b.create("web", 2)
	b.settled("web", 2)
	passes := b.idle(hub, "web")

	failed := slices.IndexFunc(passes, func(p pass) bool { return p.result == semconv.ResultError })
	if failed < 0 || passes[failed].errs != "Conflict" {
		t.Fatalf("no reconcile ended in a Conflict: %+v", passes)
	}
	if w := passes[failed].writes[len(passes[failed].writes)-1]; w.status != http.StatusConflict || w.subresource != "status" {
		t.Errorf("its last write is %+v, want the status write answered 409", w)
	}
	retried := slices.ContainsFunc(passes[failed+1:], func(p pass) bool {
		return slices.ContainsFunc(p.causes, func(c seenCause) bool { return c.what == semconv.CauseBackoff })
	})
	if !retried {
		t.Errorf("no later reconcile is caused by the back-off: %+v", passes[failed+1:])
	}
}

func TestResyncLooksAgainThoughNothingChanged(t *testing.T) {
	b, hub := newBench(t), newSink(t)
	o := b.options()
	o.Resync = minResync
	b.traced(&o, hub.server.URL)
	b.start(o)
	b.create("web", 1)
	b.settled("web", 1)
	clustertest.Eventually(t, "a reconcile is caused by a resync alone", func(context.Context) bool {
		return slices.ContainsFunc(hub.of(b.namespace+"/web"), func(p pass) bool {
			return len(p.causes) == 1 && p.causes[0].what == semconv.CauseResync && slices.Contains(p.plan, "nothing to do")
		})
	})
}

// A controller that starts finds what is there in its first list.
func TestFirstListIsTheCauseAfterAStart(t *testing.T) {
	b, hub := newBench(t), newSink(t)
	b.create("web", 1)
	o := b.options()
	b.traced(&o, hub.server.URL)
	b.start(o)
	b.settled("web", 1)
	first := b.idle(hub, "web")[0]
	if c := first.causes[0]; c.what != semconv.CauseInitialList || c.kind != v1alpha1.Kind {
		t.Errorf("the first cause is %+v, want the PodSet's initial list", c)
	}
	if want := "create 1 Pod"; !slices.Contains(first.plan, want) {
		t.Errorf("the first plan is %v, want %q in it", first.plan, want)
	}
}
