package ctrlruntime

import (
	"reflect"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// Predicate is p under a name by which the events that it drops are counted:
// builder.WithPredicates(ctrlruntime.Predicate("generation", p)). With tracing
// off it is p and the cost of a look whether there is an event. A nil p lets
// every event pass.
func Predicate[object any](name string, p predicate.TypedPredicate[object]) predicate.TypedPredicate[object] {
	if p == nil {
		p = predicate.TypedFuncs[object]{}
	}
	return &named[object]{name, p}
}

type named[object any] struct {
	name string
	next predicate.TypedPredicate[object]
}

// Create asks about a new object.
func (n *named[object]) Create(e event.TypedCreateEvent[object]) bool {
	return n.note(n.next.Create(e))
}

// Update asks about a changed object.
func (n *named[object]) Update(e event.TypedUpdateEvent[object]) bool {
	return n.note(n.next.Update(e))
}

// Delete asks about an object that is gone.
func (n *named[object]) Delete(e event.TypedDeleteEvent[object]) bool {
	return n.note(n.next.Delete(e))
}

// Generic asks about an event that no informer sent.
func (n *named[object]) Generic(e event.TypedGenericEvent[object]) bool {
	return n.note(n.next.Generic(e))
}

func (n *named[object]) note(passes bool) bool {
	if !passes {
		if h := current(); h != nil {
			h.droppedBy.Store(&n.name)
		}
	}
	return passes
}

// typeName is the name of a predicate's type without package and type
// parameters, empty for one of Predicate's.
func typeName(v reflect.Value) string {
	if !v.IsValid() {
		return "predicate"
	}
	t := v.Type()
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.PkgPath() == reflect.TypeFor[handled]().PkgPath() {
		return ""
	}
	name, _, _ := strings.Cut(t.Name(), "[")
	if name == "" {
		return "predicate"
	}
	return name
}
