package tracer

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestChanges(t *testing.T) {
	meta := metav1.ObjectMeta{Generation: 1}
	changed := func(change func(*corev1.Pod)) *corev1.Pod {
		pod := &corev1.Pod{ObjectMeta: *meta.DeepCopy(), Status: corev1.PodStatus{Phase: corev1.PodPending}}
		change(pod)
		return pod
	}
	label := func(p *corev1.Pod) { p.Labels = map[string]string{"a": "b"} }
	status := func(p *corev1.Pod) { p.Status.Phase = corev1.PodRunning }
	for name, c := range map[string]struct {
		change func(*corev1.Pod)
		want   []string
	}{
		"spec":             {func(p *corev1.Pod) { p.Generation = 2 }, []string{"spec"}},
		"status":           {status, []string{"status"}},
		"label":            {label, []string{"metadata"}},
		"status and label": {func(p *corev1.Pod) { status(p); label(p) }, []string{"status", "metadata"}},
		"spec and owner": {func(p *corev1.Pod) {
			p.Generation, p.OwnerReferences = 2, []metav1.OwnerReference{{Name: "o"}}
		}, []string{"spec", "metadata"}},
		"deletion":            {func(p *corev1.Pod) { p.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)} }, []string{"metadata"}},
		"finalizer":           {func(p *corev1.Pod) { p.Finalizers = []string{"f"} }, []string{"metadata"}},
		"managed fields only": {func(p *corev1.Pod) { p.ManagedFields = []metav1.ManagedFieldsEntry{{}} }, nil},
	} {
		if got := changes(changed(func(*corev1.Pod) {}), changed(c.change)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestChangesOfAnUnstructuredStatus(t *testing.T) {
	of := func(replicas int64) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"replicas": replicas}}}
	}
	if got := changes(of(1), of(2)); !slices.Equal(got, []string{"status"}) {
		t.Errorf("another status: %v", got)
	}
	if got := changes(of(1), of(1)); got != nil {
		t.Errorf("the same: %v", got)
	}
}

func TestChanger(t *testing.T) {
	entry := func(manager, subresource string, second int64, fields string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{
			Manager: manager, Subresource: subresource, Operation: metav1.ManagedFieldsOperationUpdate,
			Time: &metav1.Time{Time: time.Unix(second, 0)}, FieldsV1: fieldSet(t, fields),
		}
	}
	kubectl, podset := entry("kubectl", "", 1, `{"f:a":{}}`), entry("podset", "status", 1, `{"f:b":{}}`)
	for name, c := range map[string]struct {
		old, now []metav1.ManagedFieldsEntry
		want     string
	}{
		"a new object": {nil, []metav1.ManagedFieldsEntry{kubectl}, "kubectl"},
		"a new entry":  {[]metav1.ManagedFieldsEntry{kubectl}, []metav1.ManagedFieldsEntry{kubectl, podset}, "podset"},
		"a newer time": {[]metav1.ManagedFieldsEntry{kubectl, podset}, []metav1.ManagedFieldsEntry{entry("kubectl", "", 2, `{"f:a":{}}`), podset}, "kubectl"},
		"other fields": {[]metav1.ManagedFieldsEntry{kubectl, podset}, []metav1.ManagedFieldsEntry{entry("kubectl", "", 1, `{"f:c":{}}`), podset}, "kubectl"},
		"two at once":  {nil, []metav1.ManagedFieldsEntry{kubectl, podset}, ""},
		"one takes from another": {[]metav1.ManagedFieldsEntry{kubectl, podset}, []metav1.ManagedFieldsEntry{
			entry("kubectl", "", 1, `{}`), entry("podset", "status", 2, `{"f:a":{}}`),
		}, "podset"},
		"the newest of two":      {nil, []metav1.ManagedFieldsEntry{kubectl, entry("podset", "", 2, `{}`)}, "podset"},
		"nothing to go by":       {[]metav1.ManagedFieldsEntry{kubectl}, []metav1.ManagedFieldsEntry{kubectl}, ""},
		"stripped":               {nil, nil, ""},
		"a name that is no word": {nil, []metav1.ManagedFieldsEntry{entry("a b", "", 1, `{}`)}, ""},
	} {
		if got := changer(&metav1.ObjectMeta{ManagedFields: c.old}, &metav1.ObjectMeta{ManagedFields: c.now}); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
