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
// generation, where the kind counts them, the others by comparing them. Of an
// object whose status cannot be seen, metadata alone, it was the status when
// nothing else did and the kind counts generations. managedFields are none of
// the three. Other top-level fields, like a ConfigMap's data, go by their names.
// Where one of them cannot be compared nothing is known, and nothing is said.
func changes(old, obj metav1.Object) (parts []string, known bool) {
	var c comparison
	if !c.sameSpec(old, obj) {
		parts = append(parts, changedSpec)
	}
	if !c.sameStatus(old, obj) {
		parts = append(parts, changedStatus)
	}
	if !sameMetadata(old, obj) {
		parts = append(parts, changedMetadata)
	}
	parts = append(parts, c.changedOthers(old, obj)...)
	if c.unknown {
		return nil, false
	}
	return parts, true
}

// comparison is one of two states of an object.
type comparison struct{ unknown bool }

// sameSpec goes by the generation; a kind that counts none has its specs
// compared.
func (c *comparison) sameSpec(a, b metav1.Object) bool {
	if a.GetGeneration() != 0 || b.GetGeneration() != 0 {
		return a.GetGeneration() == b.GetGeneration()
	}
	return c.samePart(part(a, changedSpec), part(b, changedSpec))
}

// samePart says that two values are equal, or neither is there.
func (c *comparison) samePart(a, b node) bool {
	before, after := a.plain(), b.plain()
	if !before.IsValid() || !after.IsValid() {
		return before.IsValid() == after.IsValid()
	}
	same, known := equal(before, after)
	c.unknown = c.unknown || !known
	return same
}

// maxOthers is how many other top-level fields are named.
const maxOthers = 16

// changedOthers names the top-level fields that differ and are no part of every
// kind, sorted. They are names of the kind's own schema and say no values.
func (c *comparison) changedOthers(old, obj metav1.Object) []string {
	var names []string
	seen := map[string]bool{"kind": true, "apiVersion": true, changedMetadata: true, changedSpec: true, changedStatus: true}
	for _, o := range []metav1.Object{old, obj} {
		root(o).each(func(name string, _ node) {
			if seen[name] || word(name) == "" {
				return
			}
			seen[name] = true
			if !c.samePart(part(old, name), part(obj, name)) {
				names = append(names, name)
			}
		})
	}
	slices.Sort(names)
	return names[:min(len(names), maxOthers)]
}

// sameStatus compares what stands under status, by JSON name.
func (c *comparison) sameStatus(a, b metav1.Object) bool {
	before, after := part(a, changedStatus), part(b, changedStatus)
	if !before.plain().IsValid() && !after.plain().IsValid() {
		return a.GetGeneration() == 0 || a.GetGeneration() != b.GetGeneration() || !sameMetadata(a, b)
	}
	return c.samePart(before, after)
}

func sameMetadata(a, b metav1.Object) bool {
	return maps.Equal(a.GetLabels(), b.GetLabels()) &&
		maps.Equal(a.GetAnnotations(), b.GetAnnotations()) &&
		slices.Equal(a.GetFinalizers(), b.GetFinalizers()) &&
		reflect.DeepEqual(a.GetOwnerReferences(), b.GetOwnerReferences()) &&
		a.GetDeletionTimestamp().Equal(b.GetDeletionTimestamp())
}

// changer is the field manager of the newest entry that is new or other than in
// old, empty when there is none or several managers' are as new. Without old
// all entries are new. A manager names itself, so only a plain word is taken.
// changed are the parts of the object that the update changed.
func changer(old, obj metav1.Object, changed []string) string {
	var before []metav1.ManagedFieldsEntry
	if old != nil {
		before = old.GetManagedFields()
	}
	var fresh []metav1.ManagedFieldsEntry
	for _, entry := range obj.GetManagedFields() {
		if !slices.ContainsFunc(before, func(e metav1.ManagedFieldsEntry) bool { return sameEntry(e, entry) }) {
			fresh = append(fresh, entry)
		}
	}
	unmarked := len(fresh) == 0 && len(changed) > 0 && len(before) == len(obj.GetManagedFields())
	// Whoever deletes an object is never an entry.
	if unmarked && old.GetDeletionTimestamp().Equal(obj.GetDeletionTimestamp()) {
		fresh = mayHaveChanged(before, changed)
	}
	return newestManager(fresh)
}

// mayHaveChanged are the entries of managers that may have changed those parts
// and left all entries as they were. The times in them are whole seconds, so
// that is what a manager does who changes the fields he has changed before in
// the same second. No entry is newer than his.
func mayHaveChanged(entries []metav1.ManagedFieldsEntry, changed []string) []metav1.ManagedFieldsEntry {
	return slices.DeleteFunc(slices.Clone(entries), func(e metav1.ManagedFieldsEntry) bool {
		older := slices.ContainsFunc(entries, func(other metav1.ManagedFieldsEntry) bool { return e.Time.Before(other.Time) })
		fields := rawFields(e)
		return older || slices.ContainsFunc(changed, func(part string) bool { return !bytes.Contains(fields, []byte(`"f:`+part+`"`)) })
	})
}

// newestManager is the one manager of the newest entries.
func newestManager(entries []metav1.ManagedFieldsEntry) string {
	var newest *metav1.ManagedFieldsEntry
	doubt := false
	for _, entry := range entries {
		switch {
		case newest == nil || newest.Time.Before(entry.Time):
			newest, doubt = &entry, false
		case !entry.Time.Before(newest.Time) && entry.Manager != newest.Manager:
			doubt = true
		}
	}
	if newest == nil || doubt {
		return ""
	}
	return word(newest.Manager)
}

func sameEntry(a, b metav1.ManagedFieldsEntry) bool {
	return a.Manager == b.Manager && a.Operation == b.Operation && a.Subresource == b.Subresource &&
		a.Time.Equal(b.Time) && bytes.Equal(rawFields(a), rawFields(b))
}

// rawFields is the entry's field set as it came. MarshalJSON is the one way to
// it that old and new versions of apimachinery share.
func rawFields(e metav1.ManagedFieldsEntry) []byte {
	if e.FieldsV1 == nil {
		return nil
	}
	raw, err := e.FieldsV1.MarshalJSON()
	if err != nil {
		return nil
	}
	return raw
}
