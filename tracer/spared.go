package tracer

import (
	"encoding/json"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/api/equality"
)

// spared is what look finds in what is the controller's: its objects, errors
// and functions. A panic of theirs would be the controller's end: then it finds
// nothing, and ok is false.
func spared[V any](look func() V) (found V, ok bool) {
	defer func() {
		if !ok {
			_ = recover()
		}
	}()
	return look(), true
}

// sparing is a queue's key for an item. Where the one it was given panics, it
// is the default one.
func sparing[T comparable](key func(T) (namespace, name string)) func(T) (namespace, name string) {
	return func(it T) (string, string) {
		type names struct{ namespace, name string }
		n, ok := spared(func() names { namespace, name := key(it); return names{namespace, name} })
		if !ok {
			return defaultKey(it)
		}
		return n.namespace, n.name
	}
}

// equal says whether two values are, as Kubernetes compares objects. That
// cannot look at fields that are not exported (a time.Time has some, and each
// protobuf message): values that have them are compared as the API server sees
// them, in JSON. known is false for what cannot be compared at all.
func equal(a, b reflect.Value) (same, known bool) {
	x, y := a.Interface(), b.Interface()
	if a.CanAddr() && b.CanAddr() { // what may not be copied is not
		x, y = a.Addr().Interface(), b.Addr().Interface()
	}
	if same, known = spared(func() bool { return equality.Semantic.DeepEqual(x, y) }); known {
		return same, true
	}
	before, ok1 := jsonOf(x)
	after, ok2 := jsonOf(y)
	return before == after, ok1 && ok2
}

// jsonOf is a value as JSON; ok is false for what cannot be made that.
func jsonOf(v any) (text string, ok bool) {
	text, ok = spared(func() string {
		b, err := json.Marshal(v)
		if err != nil {
			return ""
		}
		return string(b)
	})
	return text, ok && text != ""
}

// unreadable says, once, that an object could not be looked at.
func (t *Tracer) unreadable(obj any) {
	t.unread.Do(func() {
		t.cfg.Logger.Warn("an object cannot be looked at: what has changed in it is not shown", "type", fmt.Sprintf("%T", obj))
	})
}
