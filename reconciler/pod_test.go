package reconciler

import (
	"testing"

	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
)

func TestNewPodIsOwnedAndLabelled(t *testing.T) {
	set := testSet(1)
	set.Spec.Template.Labels = map[string]string{"app": "web", v1alpha1.LabelPodSet: "somebody else's"}
	pod := newPod(set)
	if pod.Labels["app"] != "web" || pod.Labels[v1alpha1.LabelPodSet] != "web" {
		t.Errorf("labels = %v, want the template's, and the PodSet's name over them", pod.Labels)
	}
	owner := ownerOf(pod)
	if owner == nil || owner.UID != set.UID || !*owner.BlockOwnerDeletion {
		t.Errorf("owner = %+v, want the PodSet", owner)
	}
	if got := set.Spec.Template.Labels[v1alpha1.LabelPodSet]; got != "somebody else's" {
		t.Errorf("the template in the cache was changed: %s", got)
	}
}

func TestTemplateHash(t *testing.T) {
	a, b := testSet(1), testSet(9)
	if templateHash(a) != templateHash(b) {
		t.Error("the hash differs though only replicas do")
	}
	b.Spec.Template.Labels = map[string]string{"revision": "2"}
	if templateHash(a) == templateHash(b) {
		t.Error("the hash is the same though the template is not")
	}
}
