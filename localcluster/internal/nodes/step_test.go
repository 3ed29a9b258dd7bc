package nodes

import (
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

const long = time.Hour

// pod makes a Pod and applies changes to it.
func pod(changes ...func(*v1.Pod)) *v1.Pod {
	p := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "ns", UID: "uid-1", Generation: 1},
		Spec:       v1.PodSpec{NodeName: "node-1", Containers: []v1.Container{{Name: "main", Image: "i"}}},
		Status:     v1.PodStatus{Phase: v1.PodPending},
	}
	for _, c := range changes {
		c(p)
	}
	return p
}

func created(p *v1.Pod) { creating(p, "192.0.2.1", metav1.Unix(1, 0)) }
func started(p *v1.Pod) { created(p); running(p, "10.244.1.1", metav1.Unix(2, 0)) }
func succeed(p *v1.Pod) { started(p); succeeded(p, metav1.Unix(3, 0)) }
func gated(p *v1.Pod)   { p.Spec.ReadinessGates = []v1.PodReadinessGate{{ConditionType: "x"}} }
func gateOpen(p *v1.Pod) {
	setCondition(&p.Status, v1.PodCondition{Type: "x", Status: v1.ConditionTrue}, metav1.Now())
}
func deleted(p *v1.Pod)    { p.DeletionTimestamp = ptr.To(metav1.Now()) }
func noGrace(p *v1.Pod)    { p.DeletionGracePeriodSeconds = ptr.To(int64(0)) }
func halfMinute(p *v1.Pod) { p.DeletionGracePeriodSeconds = ptr.To(int64(30)) }

func ofJob(p *v1.Pod) {
	p.OwnerReferences = []metav1.OwnerReference{{Kind: "Job", Name: "j", Controller: ptr.To(true)}}
}

func TestNextStep(t *testing.T) {
	for name, c := range map[string]struct {
		pod  *v1.Pod
		age  ages
		want step
	}{
		"new":                          {pod(), ages{}, create},
		"created, delay not over":      {pod(created), ages{alive: startMin - 1}, stay},
		"created, delay over":          {pod(created), ages{alive: startMax}, start},
		"running":                      {pod(started), ages{alive: long}, stay},
		"running, gate closed":         {pod(gated, started), ages{alive: long}, stay},
		"running, gate just opened":    {pod(gated, started, gateOpen), ages{alive: long}, start},
		"running, of a job":            {pod(started, ofJob), ages{alive: jobRuns}, finish},
		"running, of a job, not over":  {pod(started, ofJob), ages{alive: jobRuns - 1}, stay},
		"succeeded":                    {pod(succeed, ofJob), ages{alive: long}, stay},
		"deleted before it ran":        {pod(created, deleted, halfMinute), ages{}, remove},
		"deleted while running":        {pod(started, deleted, halfMinute), ages{alive: long}, stay},
		"deleted, its containers gone": {pod(started, deleted, halfMinute), ages{dying: endMax}, remove},
		"deleted without grace":        {pod(started, deleted, noGrace), ages{}, remove},
		"deleted when over":            {pod(succeed, deleted, halfMinute), ages{}, remove},
	} {
		t.Run(name, func(t *testing.T) {
			got, wait := nextStep(c.pod, c.age)
			if got != c.want {
				t.Errorf("next step is %q, want %q", got, c.want)
			}
			if wait > 0 && got != stay {
				t.Errorf("%q is to wait %s: a step that is due does not wait", got, wait)
			}
		})
	}
}

func TestWaitLeadsToTheStep(t *testing.T) {
	for name, p := range map[string]*v1.Pod{
		"start":  pod(created),
		"finish": pod(started, ofJob),
		"remove": pod(started, deleted, halfMinute),
	} {
		_, wait := nextStep(p, ages{})
		if wait <= 0 {
			t.Errorf("%s: no time to wait", name)
		}
		if got, again := nextStep(p, ages{alive: wait, dying: wait}); got == stay || again != 0 {
			t.Errorf("%s: after waiting %s the step is %q with %s more", name, wait, got, again)
		}
	}
}

func TestSpreadStaysInItsRangeAndDiffers(t *testing.T) {
	seen := map[time.Duration]bool{}
	for _, uid := range []types.UID{"a", "b", "c", "d"} {
		d := spread(uid, startMin, startMax)
		if d < startMin || d >= startMax {
			t.Errorf("%s is outside %s to %s", d, startMin, startMax)
		}
		seen[d] = true
	}
	if len(seen) < 2 {
		t.Errorf("all Pods get the same delay %v", seen)
	}
}
