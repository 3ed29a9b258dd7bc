package reconciler

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reconcile-tracer/tracer/internal/clustertest"
	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// trial is one run of the controller with a mistake, or without, in a namespace
// of its own.
type trial struct {
	*bench
	hub  *sink
	bug  string
	stop func() error
}

func newTrial(t *testing.T, bug string, change func(*Options)) *trial {
	b := newBench(t)
	tr := &trial{bench: b, hub: newSink(t), bug: bug}
	o := b.options()
	o.Bug = bug
	change(&o)
	b.traced(&o, tr.hub.server.URL)
	tr.stop = b.start(o)
	return tr
}

// as says what is wanted of the run, for messages.
func (tr *trial) as() string {
	if tr.bug == "" {
		return "without a mistake"
	}
	return "with " + tr.bug
}

// passes are those of the PodSet web.
func (tr *trial) passes() []pass { return tr.hub.of(tr.namespace + "/web") }

// quiet waits until the loop of web has nothing to do and nothing planned, by
// the newest record of its place in the queue.
func (tr *trial) quiet(since int) []pass {
	tr.Helper()
	clustertest.Eventually(tr, "web is at rest "+tr.as(), func(context.Context) bool {
		return len(tr.passes()) > since && tr.hub.atRest(tr.namespace+"/web")
	})
	return tr.passes()
}

// gone waits until web is not there any more.
func (tr *trial) gone() {
	tr.Helper()
	clustertest.Eventually(tr, "web is gone", func(ctx context.Context) bool {
		_, err := tr.sets.Get(ctx, "web", metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	})
}

func (tr *trial) get() *v1alpha1.PodSet {
	tr.Helper()
	set, err := tr.sets.Get(tr.Context(), "web", metav1.GetOptions{})
	if err != nil {
		tr.Fatal(err)
	}
	return set
}

// forbidPods makes the API server refuse new Pods, as a team's quota does.
func (tr *trial) forbidPods() (allow func()) {
	tr.Helper()
	quotas := tr.kube.CoreV1().ResourceQuotas(tr.namespace)
	quota := &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Name: "none"},
		Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{corev1.ResourcePods: resource.MustParse("0")}},
	}
	if _, err := quotas.Create(tr.Context(), quota, metav1.CreateOptions{}); err != nil {
		tr.Fatal(err)
	}
	tr.podsAllowed(false)
	return func() {
		if err := quotas.Delete(tr.Context(), "none", metav1.DeleteOptions{}); err != nil {
			tr.Fatal(err)
		}
		tr.podsAllowed(true)
	}
}

// podsAllowed waits until the API server says so of a Pod that it is not to make.
func (tr *trial) podsAllowed(want bool) {
	tr.Helper()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{GenerateName: "dry-"}}
	pod.Spec.Containers = []corev1.Container{{Name: "sleep", Image: "busybox:1.37"}}
	clustertest.Eventually(tr, "Pods are allowed: "+strconv.FormatBool(want), func(ctx context.Context) bool {
		_, err := tr.kube.CoreV1().Pods(tr.namespace).Create(ctx, pod, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return apierrors.IsForbidden(err) != want
	})
}

func (tr *trial) deletePod() {
	tr.Helper()
	zero := int64(0)
	name := tr.pods("web")[0].Name
	if err := tr.kube.CoreV1().Pods(tr.namespace).Delete(tr.Context(), name, metav1.DeleteOptions{GracePeriodSeconds: &zero}); err != nil {
		tr.Fatal(err)
	}
}

// found are the rules of the findings that a hub makes of the run so far, after
// a while in which nothing else happens.
func (tr *trial) found(after time.Duration) []string {
	var rules []string
	for _, f := range tr.hub.findings(tr, after) {
		if len(f.Evidence) == 0 || f.Controller != ControllerName || f.Item != tr.namespace+"/web" {
			tr.Errorf("a finding without evidence, or of another: %+v", f)
		}
		tr.Logf("%s: %s (%d of evidence)", f.Rule, f.Summary, len(f.Evidence))
		rules = append(rules, f.Rule)
	}
	slices.Sort(rules)
	return slices.Compact(rules)
}

// mistakeTests say for each bug how it is provoked, and whether the run shows
// it.
var mistakeTests = map[string]struct {
	options func(*trialHooks, *Options)
	run     func(*trial, *trialHooks)
	shows   func(*trial) bool
}{
	"hot-loop": {
		run: func(tr *trial, _ *trialHooks) {
			tr.create("web", 1)
			if tr.bug == "" {
				tr.settled("web", 1)
				tr.quiet(0)
				return
			}
			clustertest.Eventually(tr, "own writes alone cause 20 reconciles", func(context.Context) bool { return len(tr.selfMade()) >= 20 })
		},
		shows: func(tr *trial) bool { return len(tr.selfMade()) >= 20 },
	},
	"swallowed-error": {
		run: func(tr *trial, _ *trialHooks) {
			tr.create("web", 1)
			tr.settled("web", 1)
			before := len(tr.quiet(0))
			allow := tr.forbidPods()
			tr.scale("web", 2)
			clustertest.Eventually(tr, "a create is refused", func(context.Context) bool { return len(refused(tr.passes()[before:])) > 0 })
			if tr.bug != "" {
				tr.quiet(before)
			}
			allow()
			if tr.bug == "" {
				tr.settled("web", 2)
				tr.quiet(before)
			}
		},
		shows: func(tr *trial) bool {
			all := tr.passes()
			last := refused(all)[len(refused(all))-1]
			return last.result == semconv.ResultSuccess && tr.hub.atRest(tr.namespace+"/web") && len(tr.pods("web")) == 1
		},
	},
	"blind-update": {
		options: func(h *trialHooks, o *Options) {
			o.Config.Wrap(before(http.MethodPut, "/status", func(*http.Request) { h.call() }))
		},
		run: func(tr *trial, h *trialHooks) {
			// A second writer is faster, until the pass has failed.
			var edits atomic.Int32
			h.set(func() {
				if edits.Add(1) == 1 {
					tr.touch("web", "in between")
				}
			})
			tr.create("web", 1)
			tr.settled("web", 1)
			tr.quiet(0)
		},
		shows: func(tr *trial) bool {
			return slices.ContainsFunc(tr.passes(), func(p pass) bool { return len(conflicts(p)) == 5 && sameVersion(conflicts(p)) })
		},
	},
	"duplicate-create": {
		options: func(h *trialHooks, o *Options) {
			o.Config.Wrap(holdWatches("pods", h.events))
			o.Config.Wrap(before(http.MethodPost, "/pods", func(*http.Request) { h.call() }))
		},
		run: func(tr *trial, h *trialHooks) {
			tr.create("web", 1)
			tr.settled("web", 1)
			before := len(tr.quiet(0))
			h.set(sync.OnceFunc(h.events.shut))
			tr.scale("web", 3)
			clustertest.Eventually(tr, "a pass looks at a cache that lags", func(context.Context) bool {
				return slices.ContainsFunc(tr.passes()[before:], func(p pass) bool {
					return len(createdPods(p)) > 0 && staleRead(p) || len(waiting([]pass{p})) > 0
				})
			})
			h.most.Store(int32(len(tr.pods("web"))))
			h.set(func() {})
			h.events.lift()
			tr.settled("web", 3)
			tr.quiet(before)
		},
		shows: func(tr *trial) bool { return allCreated(tr.passes()) > 3 },
	},
	"requeue-after-with-error": {
		run: func(tr *trial, _ *trialHooks) {
			tr.create("web", 1)
			tr.settled("web", 1)
			before := len(tr.quiet(0))
			allow := tr.forbidPods()
			tr.scale("web", 2)
			clustertest.Eventually(tr, "four tries have failed", func(context.Context) bool { return len(refused(tr.passes()[before:])) >= 4 })
			allow()
			tr.settled("web", 2)
		},
		shows: func(tr *trial) bool {
			failed := refused(tr.passes())
			return slices.ContainsFunc(failed, func(p pass) bool { return p.ignoredMS == 30_000 && p.delayMS < 1000 })
		},
	},
	"no-owner-reference": {
		run: func(tr *trial, _ *trialHooks) {
			tr.create("web", 2)
			clustertest.Eventually(tr, "two Pods are there", func(context.Context) bool { return len(tr.pods("web")) == 2 })
			before := len(tr.quiet(0))
			if err := tr.sets.Delete(tr.Context(), "web", metav1.DeleteOptions{}); err != nil {
				tr.Fatal(err)
			}
			tr.gone()
			tr.quiet(before)
			if tr.bug == "" {
				clustertest.Eventually(tr, "the garbage collector has deleted the Pods", func(context.Context) bool { return len(tr.pods("web")) == 0 })
			}
		},
		// Without a reference there is nothing for the garbage collector to do.
		shows: func(tr *trial) bool {
			pods := tr.pods("web")
			return len(pods) == 2 && len(pods[0].OwnerReferences) == 0 && pods[0].DeletionTimestamp == nil
		},
	},
	"missing-watch": {
		run: func(tr *trial, _ *trialHooks) {
			tr.create("web", 2)
			clustertest.Eventually(tr, "two Pods are there", func(context.Context) bool { return len(tr.pods("web")) == 2 })
			tr.quiet(0)
			before := len(tr.passes())
			tr.deletePod()
			if tr.bug == "" {
				clustertest.Eventually(tr, "a Pod has taken its place", func(context.Context) bool { return len(tr.passes()) > before && len(tr.pods("web")) == 2 })
				tr.settled("web", 2)
				return
			}
			if got := len(tr.pods("web")); got != 1 || !tr.hub.atRest(tr.namespace+"/web") {
				tr.Errorf("%d Pods after one was deleted, want 1, and nobody to care", got)
			}
			tr.touch("web", "look")
			clustertest.Eventually(tr, "an edit of the PodSet brings the Pod back", func(context.Context) bool { return len(tr.pods("web")) == 2 })
			tr.quiet(before)
		},
		shows: func(tr *trial) bool {
			return !slices.ContainsFunc(tr.passes(), func(p pass) bool {
				return slices.ContainsFunc(p.causes, func(c seenCause) bool { return c.kind == "Pod" })
			})
		},
	},
	"finalizer-stuck": {
		run: func(tr *trial, _ *trialHooks) {
			tr.create("web", 1)
			tr.settled("web", 1)
			before := len(tr.quiet(0))
			if err := tr.sets.Delete(tr.Context(), "web", metav1.DeleteOptions{}); err != nil {
				tr.Fatal(err)
			}
			if tr.bug == "" {
				tr.gone()
			}
			tr.quiet(before)
		},
		shows: func(tr *trial) bool {
			set, err := tr.sets.Get(tr.Context(), "web", metav1.GetOptions{})
			if err != nil {
				return false
			}
			stuck := set.DeletionTimestamp != nil && slices.Contains(set.Finalizers, Finalizer)
			tr.patch("web", object{"metadata": object{"finalizers": nil}})
			return stuck
		},
	},
	"observed-generation": {
		run: func(tr *trial, _ *trialHooks) {
			tr.create("web", 1)
			tr.settled("web", 1)
			before := len(tr.quiet(0))
			tr.scale("web", 2)
			clustertest.Eventually(tr, "both Pods are ready", func(context.Context) bool { return tr.get().Status.ReadyReplicas == 2 })
			tr.quiet(before)
		},
		shows: func(tr *trial) bool {
			set := tr.get()
			c := set.Status.Conditions[0]
			return set.Generation == 2 && set.Status.ObservedGeneration == 1 && c.Status == metav1.ConditionTrue && c.ObservedGeneration == 1
		},
	},
}

// trialHooks are what a test does in the middle of a request.
type trialHooks struct {
	events *gate
	most   atomic.Int32 // Pods that were there at once
	mu     sync.Mutex
	hook   func()
}

func (h *trialHooks) set(hook func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hook = hook
}

func (h *trialHooks) call() {
	h.mu.Lock()
	hook := h.hook
	h.mu.Unlock()
	if hook != nil {
		hook()
	}
}

// selfMade are the passes that own writes of the PodSet alone have caused, and
// that have written it again.
func (tr *trial) selfMade() []pass {
	return slices.DeleteFunc(tr.passes(), func(p pass) bool {
		others := slices.ContainsFunc(p.causes, func(c seenCause) bool { return c.by != semconv.BySelf || c.kind != v1alpha1.Kind })
		return others || !slices.ContainsFunc(p.writes, func(w seenWrite) bool { return w.subresource == "status" && w.status == http.StatusOK })
	})
}

// refused are the passes in which the API server refused a Pod.
func refused(passes []pass) []pass {
	return slices.DeleteFunc(slices.Clone(passes), func(p pass) bool {
		return !slices.ContainsFunc(p.writes, func(w seenWrite) bool { return w.resource == "pods" && w.status == http.StatusForbidden })
	})
}

func conflicts(p pass) []seenWrite {
	return slices.DeleteFunc(slices.Clone(p.writes), func(w seenWrite) bool { return w.status != http.StatusConflict })
}

func sameVersion(writes []seenWrite) bool {
	return !slices.ContainsFunc(writes, func(w seenWrite) bool { return w.before == "" || w.before != writes[0].before })
}

func staleRead(p pass) bool {
	return slices.ContainsFunc(p.readsStale, func(stale string) bool { return stale == semconv.StaleYes })
}

// Each mistake really happens, a hub finds it, and nothing else; and the right
// controller under the same conditions neither makes it nor is suspected.
func TestMistakesHappenAndAreFound(t *testing.T) {
	for _, bug := range Bugs() {
		test, ok := mistakeTests[bug.Name]
		if !ok {
			t.Errorf("%s has no test", bug.Name)
			continue
		}
		for _, name := range []string{bug.Name, ""} {
			title := bug.Name
			if name == "" {
				title += " done right"
			}
			t.Run(title, func(t *testing.T) {
				hooks := &trialHooks{events: newGate()}
				tr := newTrial(t, name, func(o *Options) {
					if test.options != nil {
						test.options(hooks, o)
					}
				})
				test.run(tr, hooks)
				if got, want := test.shows(tr), name != ""; got != want {
					t.Errorf("it shows %s: %t, want %t; passes: %+v", tr.as(), got, want, tr.passes())
				}
				var want []string
				if name != "" {
					want = []string{name}
				}
				if got := tr.found(15 * time.Second); !slices.Equal(got, want) {
					t.Errorf("findings %s: %v, want %v", tr.as(), got, want)
				}
			})
		}
	}
}

func TestBugsAreTheRules(t *testing.T) {
	var names []string
	for _, b := range Bugs() {
		names = append(names, b.Name)
		if b.Wrong == "" || b.Look == "" || b.spoil == nil {
			t.Errorf("%s says too little", b.Name)
		}
	}
	if rules := flow.Rules(); !slices.Equal(names, rules) {
		t.Errorf("the bugs are %v, the rules of the hub %v", names, rules)
	}
	_, err := Options{Config: newBench(t).cluster.Config(), Bug: "hotloop"}.withDefaults()
	if err == nil || !strings.Contains(err.Error(), strings.Join(names, ", ")) {
		t.Errorf("an unknown bug: %v, want an error that names all", err)
	}
}
