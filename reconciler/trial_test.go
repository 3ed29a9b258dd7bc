package reconciler

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reconcile-tracer/tracer/internal/clustertest"
	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
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

// trialHooks are what a test does in the middle of a request.
type trialHooks struct {
	events *gate
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
