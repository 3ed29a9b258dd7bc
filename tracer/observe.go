package tracer

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// objectAttributes are those of the object that a reconcile observes, nil for
// what is no object.
func (d *digests) objectAttributes(obj any) []attribute.KeyValue {
	if v := reflect.ValueOf(obj); !v.IsValid() || (v.Kind() == reflect.Pointer && v.IsNil()) {
		return nil
	}
	o := metadata(obj)
	if o == nil {
		return nil
	}
	found, observed := observe(obj)
	found.fields = append(found.fields, d.changed(string(o.GetUID()), o.GetGeneration(), part(obj, "spec"))...)
	attrs := []attribute.KeyValue{
		attribute.String(semconv.AttrObjectUID, string(o.GetUID())),
		attribute.Int64(semconv.AttrObjectGeneration, o.GetGeneration()),
		attribute.String(semconv.AttrObjectResourceVersion, o.GetResourceVersion()),
		attribute.Bool(semconv.AttrObjectDeleting, o.GetDeletionTimestamp() != nil),
	}
	if observed > 0 {
		attrs = append(attrs, attribute.Int64(semconv.AttrObjectObservedGen, observed))
	}
	if names := holders(o); len(names) > 0 {
		attrs = append(attrs, attribute.StringSlice(semconv.AttrObjectFinalizers, names))
	}
	if len(found.fields) > 0 {
		attrs = append(attrs, attribute.StringSlice(semconv.AttrObjectFields, sortedFields(found.fields)))
	}
	return attrs
}

// maxFinalizers is how many finalizers of an object are named.
const maxFinalizers = 16

// holders are the finalizers that hold an object which is being deleted, nil for
// any other.
func holders(o metav1.Object) []string {
	if o.GetDeletionTimestamp() == nil {
		return nil
	}
	var names []string
	for _, name := range o.GetFinalizers() {
		if word(name) != "" && len(names) < maxFinalizers {
			names = append(names, name)
		}
	}
	return names
}

// observe takes the allow-listed fields of an object, which is a struct with
// Spec and Status or an unstructured one.
func observe(obj any) (found scanned, observed int64) {
	spec, status := part(obj, "spec"), part(obj, "status")
	for _, name := range specScalars {
		if text, ok := scalarText(spec.member(name)); ok {
			found.field("spec."+name, text)
		}
	}
	status.each(func(name string, value node) {
		switch name {
		case "conditions":
			value.elements(func(c node) { found.condition(conditionOf(c)) })
		case "phase":
			found.field("status.phase", value.member("").text())
		default:
			if text, ok := scalarText(value); ok {
				found.field("status."+name, text)
			}
		}
	})
	if text, ok := scalarText(status.member("observedGeneration")); ok {
		observed, _ = strconv.ParseInt(text, 10, 64)
	}
	return found, observed
}

func conditionOf(c node) condition {
	return condition{kind: c.member("type").text(), status: c.member("status").text(), reason: c.member("reason").text()}
}

// node is a value in an object: of a struct with JSON names or of a map.
type node struct{ v reflect.Value }

// part is a member of the object itself.
func part(obj any, name string) node { return root(obj).member(name) }

// root is the object itself.
func root(obj any) node {
	if u, ok := obj.(runtime.Unstructured); ok {
		return node{reflect.ValueOf(u.UnstructuredContent())}
	}
	return node{reflect.ValueOf(obj)}
}

// plain is the value below pointers and interfaces, invalid for nil.
func (n node) plain() reflect.Value {
	v := n.v
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	return v
}

// member is the member of that JSON name, the value itself for "".
func (n node) member(name string) node {
	v := n.plain()
	switch {
	case name == "":
		return node{v}
	case v.Kind() == reflect.Map && v.Type().Key().Kind() == reflect.String:
		return node{v.MapIndex(reflect.ValueOf(name).Convert(v.Type().Key()))}
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if jsonName(v.Type().Field(i)) == name {
				return node{v.Field(i)}
			}
		}
	}
	return node{}
}

// each visits the members in the order of their names.
func (n node) each(visit func(name string, value node)) {
	v := n.plain()
	var names []string
	switch v.Kind() {
	case reflect.Map:
		for _, key := range v.MapKeys() {
			names = append(names, key.String())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			names = append(names, jsonName(v.Type().Field(i)))
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if name != "" {
			visit(name, n.member(name))
		}
	}
}

func (n node) elements(visit func(node)) {
	v := n.plain()
	if v.Kind() != reflect.Slice {
		return
	}
	for i := range v.Len() {
		visit(node{v.Index(i)})
	}
}

// text is a string's value, empty for anything else.
func (n node) text() string {
	if v := n.plain(); v.Kind() == reflect.String {
		return v.String()
	}
	return ""
}

// scalarText is the text of a whole number or a boolean.
func scalarText(n node) (string, bool) {
	v := n.plain()
	switch {
	case !v.IsValid():
		return "", false
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10), true
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10), true
	case v.Kind() == reflect.Bool:
		return strconv.FormatBool(v.Bool()), true
	}
	return "", false
}

// jsonName is the name of a struct's field in JSON, empty for one that has
// none.
func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if !f.IsExported() || name == "-" {
		return ""
	}
	return name
}
