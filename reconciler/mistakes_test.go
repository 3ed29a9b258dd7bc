package reconciler

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reconcile-tracer/tracer/internal/clustertest"
	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

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
				tr.idle(tr.hub, "web")
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
			before := len(tr.idle(tr.hub, "web"))
			allow := tr.forbidPods()
			tr.scale("web", 2)
			clustertest.Eventually(tr, "creates are refused", func(context.Context) bool { return len(refused(tr.passes()[before:])) >= 2 })
			if tr.bug != "" {
				tr.quiet(before)
			}
			allow()
			if tr.bug == "" {
				tr.settled("web", 2)
				tr.idle(tr.hub, "web")
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
			tr.idle(tr.hub, "web")
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
			before := len(tr.idle(tr.hub, "web"))
			h.set(sync.OnceFunc(h.events.shut))
			tr.scale("web", 3)
			clustertest.Eventually(tr, "a pass looks at a cache that lags", func(context.Context) bool {
				return slices.ContainsFunc(tr.passes()[before:], func(p pass) bool {
					return len(createdPods(p)) > 0 && staleRead(p) || len(waiting([]pass{p})) > 0
				})
			})
			h.set(func() {})
			h.events.lift()
			tr.settled("web", 3)
			tr.idle(tr.hub, "web")
		},
		shows: func(tr *trial) bool { return allCreated(tr.passes()) > 3 },
	},
	"requeue-after-with-error": {
		run: func(tr *trial, _ *trialHooks) {
			tr.create("web", 1)
			tr.settled("web", 1)
			before := len(tr.idle(tr.hub, "web"))
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
			tr.idle(tr.hub, "web")
			if err := tr.sets.Delete(tr.Context(), "web", metav1.DeleteOptions{}); err != nil {
				tr.Fatal(err)
			}
			clustertest.Eventually(tr, "a pass finds it gone", func(context.Context) bool {
				return len(planning(tr.passes(), "nothing to do: the PodSet is gone")) > 0
			})
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
			before := len(tr.idle(tr.hub, "web"))
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
			tr.idle(tr.hub, "web")
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
			before := len(tr.idle(tr.hub, "web"))
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
			tr.idle(tr.hub, "web")
			tr.scale("web", 2)
			clustertest.Eventually(tr, "both Pods are ready", func(context.Context) bool { return tr.get().Status.ReadyReplicas == 2 })
			tr.idle(tr.hub, "web")
		},
		shows: func(tr *trial) bool {
			set := tr.get()
			c := set.Status.Conditions[0]
			return set.Generation == 2 && set.Status.ObservedGeneration == 1 && c.Status == metav1.ConditionTrue && c.ObservedGeneration == 1
		},
	},
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
