package tracer

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
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
		if got, _ := changes(changed(func(*corev1.Pod) {}), changed(c.change)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestChangesOfKindsWithoutSpecAndStatus(t *testing.T) {
	config := func(change func(*corev1.ConfigMap)) *corev1.ConfigMap {
		c := &corev1.ConfigMap{
			TypeMeta: metav1.TypeMeta{Kind: "ConfigMap", APIVersion: "v1"}, ObjectMeta: metav1.ObjectMeta{Name: "c", ResourceVersion: "1"},
			Data: map[string]string{"key": "canary"},
		}
		change(c)
		return c
	}
	free := func(data any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"kind": "Free", "data": data, "no word!": data}}
	}
	for name, c := range map[string]struct {
		old, now metav1.Object
		want     []string
	}{
		"data":    {config(func(*corev1.ConfigMap) {}), config(func(c *corev1.ConfigMap) { c.Data = map[string]string{"key": "other"} }), []string{"data"}},
		"several": {config(func(*corev1.ConfigMap) {}), config(func(c *corev1.ConfigMap) { c.Data, c.Immutable = nil, new(bool) }), []string{"data", "immutable"}},
		"with a label": {config(func(*corev1.ConfigMap) {}), config(func(c *corev1.ConfigMap) {
			c.Labels, c.BinaryData = map[string]string{"a": "b"}, map[string][]byte{"k": {1}}
		}), []string{"metadata", "binaryData"}},
		"nothing":      {config(func(*corev1.ConfigMap) {}), config(func(c *corev1.ConfigMap) { c.ResourceVersion, c.APIVersion = "2", "v2" }), nil},
		"unstructured": {free("canary"), free("other"), []string{"data"}},
		"metadata alone is seen": {
			&metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "c"}},
			&metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "c"}}, nil,
		},
		"a spec without generations": {
			&corev1.Service{Spec: corev1.ServiceSpec{ClusterIP: "canary"}}, &corev1.Service{Spec: corev1.ServiceSpec{ClusterIP: "other"}}, []string{"spec"},
		},
	} {
		if got, _ := changes(c.old, c.now); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestDeleteTellsNoManager(t *testing.T) {
	obj := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "c", UID: "u", ManagedFields: []metav1.ManagedFieldsEntry{
		{Manager: "kubectl-edit", Time: &metav1.Time{Time: time.Unix(1, 0)}},
	}}}
	tr := &Tracer{writes: newOwnWrites()}
	for what, want := range map[string]string{semconv.CauseAdd: "kubectl-edit", semconv.CauseDelete: ""} {
		if got := tr.eventCause(what, corev1.SchemeGroupVersion.WithKind("ConfigMap"), nil, obj, time.Now()).manager; got != want {
			t.Errorf("manager of a cause %s is %q, want %q", what, got, want)
		}
	}
}

func TestChangesOfAnUnstructuredStatus(t *testing.T) {
	of := func(replicas int64) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"replicas": replicas}}}
	}
	if got, _ := changes(of(1), of(2)); !slices.Equal(got, []string{"status"}) {
		t.Errorf("another status: %v", got)
	}
	if got, _ := changes(of(1), of(1)); got != nil {
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
		if got := changer(&metav1.ObjectMeta{ManagedFields: c.old}, &metav1.ObjectMeta{ManagedFields: c.now}, nil); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Times in managedFields are whole seconds: a second change of the same fields
// within one leaves the entries as they were.
func TestChangerThatLeavesNoMark(t *testing.T) {
	entry := func(manager, subresource string, second int64, fields string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{
			Manager: manager, Subresource: subresource, Operation: metav1.ManagedFieldsOperationUpdate,
			Time: &metav1.Time{Time: time.Unix(second, 0)}, FieldsV1: fieldSet(t, fields),
		}
	}
	edit := entry("kubectl-edit", "", 2, `{"f:metadata":{"f:annotations":{"f:a":{}}},"f:spec":{"f:replicas":{}}}`)
	status := entry("podset", "status", 2, `{"f:status":{"f:replicas":{}}}`)
	label := entry("helm", "", 2, `{"f:metadata":{"f:labels":{"f:b":{}}}}`)
	for name, c := range map[string]struct {
		entries []metav1.ManagedFieldsEntry
		changed []string
		want    string
	}{
		"who has that part":             {[]metav1.ManagedFieldsEntry{edit, status}, []string{"metadata"}, "kubectl-edit"},
		"who has all parts":             {[]metav1.ManagedFieldsEntry{edit, label}, []string{"metadata", "spec"}, "kubectl-edit"},
		"who has the status":            {[]metav1.ManagedFieldsEntry{edit, status}, []string{"status"}, "podset"},
		"the newest of those who do":    {[]metav1.ManagedFieldsEntry{entry("old", "", 1, `{"f:spec":{}}`), edit}, []string{"spec"}, "kubectl-edit"},
		"it is not as new as others":    {[]metav1.ManagedFieldsEntry{entry("old", "", 1, `{"f:spec":{}}`), status}, []string{"spec"}, ""},
		"two that have it":              {[]metav1.ManagedFieldsEntry{edit, label}, []string{"metadata"}, ""},
		"nobody has it":                 {[]metav1.ManagedFieldsEntry{status}, []string{"spec"}, ""},
		"nothing changed that one sees": {[]metav1.ManagedFieldsEntry{edit}, nil, ""},
	} {
		both := &metav1.ObjectMeta{ManagedFields: c.entries}
		if got := changer(both, both, c.changed); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	entries := []metav1.ManagedFieldsEntry{edit}
	gone := &metav1.ObjectMeta{ManagedFields: entries, DeletionTimestamp: &metav1.Time{Time: time.Unix(3, 0)}}
	if got := changer(&metav1.ObjectMeta{ManagedFields: entries}, gone, []string{"metadata"}); got != "" {
		t.Errorf("who deletes is taken for %q, who changed it before", got)
	}
}
