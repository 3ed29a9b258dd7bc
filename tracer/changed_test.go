package tracer

import (
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestChanges(t *testing.T) {
	for name, c := range map[string]struct {
		old, now metav1.ObjectMeta
		want     []string
	}{
		"spec":            {metav1.ObjectMeta{Generation: 1}, metav1.ObjectMeta{Generation: 2}, []string{"spec"}},
		"status":          {metav1.ObjectMeta{Generation: 1}, metav1.ObjectMeta{Generation: 1}, []string{"status"}},
		"label":           {metav1.ObjectMeta{Generation: 1}, metav1.ObjectMeta{Generation: 1, Labels: map[string]string{"a": "b"}}, []string{"metadata"}},
		"spec and owner":  {metav1.ObjectMeta{Generation: 1}, metav1.ObjectMeta{Generation: 2, OwnerReferences: []metav1.OwnerReference{{Name: "o"}}}, []string{"spec", "metadata"}},
		"deletion":        {metav1.ObjectMeta{}, metav1.ObjectMeta{DeletionTimestamp: &metav1.Time{Time: time.Unix(1, 0)}}, []string{"metadata"}},
		"finalizer":       {metav1.ObjectMeta{Finalizers: []string{"f"}}, metav1.ObjectMeta{}, []string{"metadata"}},
		"no generations":  {metav1.ObjectMeta{}, metav1.ObjectMeta{}, nil},
		"only the fields": {metav1.ObjectMeta{Generation: 1}, metav1.ObjectMeta{Generation: 1, ManagedFields: []metav1.ManagedFieldsEntry{{}}}, []string{"status"}},
	} {
		if got := changes(&c.old, &c.now); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
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
