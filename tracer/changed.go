package tracer

import (
	"bytes"
	"maps"
	"reflect"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Parts of an object that an update can change.
const (
	changedSpec     = "spec"
	changedStatus   = "status"
	changedMetadata = "metadata"
)

// changes tells which parts of an object an update changed: spec by its
// generation, metadata by comparing it. Where neither did and the kind counts
// generations, it was the status; a kind that does not count them leaves
// everything but metadata unknown.
func changes(old, obj metav1.Object) []string {
	var parts []string
	if old.GetGeneration() != obj.GetGeneration() {
		parts = append(parts, changedSpec)
	}
	if !sameMetadata(old, obj) {
		parts = append(parts, changedMetadata)
	}
	if len(parts) == 0 && obj.GetGeneration() != 0 {
		parts = append(parts, changedStatus)
	}
	return parts
}

func sameMetadata(a, b metav1.Object) bool {
	return maps.Equal(a.GetLabels(), b.GetLabels()) &&
		maps.Equal(a.GetAnnotations(), b.GetAnnotations()) &&
		slices.Equal(a.GetFinalizers(), b.GetFinalizers()) &&
		reflect.DeepEqual(a.GetOwnerReferences(), b.GetOwnerReferences()) &&
		a.GetDeletionTimestamp().Equal(b.GetDeletionTimestamp())
}

// changer is the field manager whose entry is new or other than in old, empty
// when that is nobody's or several managers'. Without old it is the only
// manager there is. A manager names itself, so only a plain word is taken.
func changer(old, obj metav1.Object) string {
	var before []metav1.ManagedFieldsEntry
	if old != nil {
		before = old.GetManagedFields()
	}
	name := ""
	for _, entry := range obj.GetManagedFields() {
		if slices.ContainsFunc(before, func(e metav1.ManagedFieldsEntry) bool { return sameEntry(e, entry) }) {
			continue
		}
		if name != "" && name != entry.Manager {
			return ""
		}
		name = entry.Manager
	}
	return word(name)
}

func sameEntry(a, b metav1.ManagedFieldsEntry) bool {
	return a.Manager == b.Manager && a.Operation == b.Operation && a.Subresource == b.Subresource &&
		a.Time.Equal(b.Time) && bytes.Equal(rawFields(a), rawFields(b))
}

func rawFields(e metav1.ManagedFieldsEntry) []byte {
	if e.FieldsV1 == nil {
		return nil
	}
	return e.FieldsV1.Raw
}
