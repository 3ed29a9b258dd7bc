package tracer

import (
	"strconv"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

var things = schema.GroupResource{Resource: "things"}

// wrote is a table that knows one write of version 10 to u.
func wrote(gone bool) *ownWrites {
	o := newOwnWrites()
	w := &ownWrite{resource: things, name: "a", uid: "u", version: "10", began: time.Now(), answered: time.Now(), gone: gone}
	if gone {
		w.version = ""
	}
	o.start(w)
	o.succeeded(w, false)
	return o
}

func TestStalenessByObjects(t *testing.T) {
	for name, c := range map[string]struct {
		gone  bool
		found map[string]string
		want  string
	}{
		"older":                  {false, map[string]string{"u": "9"}, semconv.StaleYes},
		"the same":               {false, map[string]string{"u": "10"}, semconv.StaleNo},
		"newer, other length":    {false, map[string]string{"u": "100"}, semconv.StaleNo},
		"absent":                 {false, map[string]string{"v": "11"}, semconv.StaleUnknown},
		"no number":              {false, map[string]string{"u": "abc"}, semconv.StaleUnknown},
		"deleted, still present": {true, map[string]string{"u": "9"}, semconv.StaleYes},
		"deleted, absent":        {true, nil, semconv.StaleNo},
	} {
		if got := wrote(c.gone).ofObjects(things, c.found, everything); got.stale != c.want {
			t.Errorf("%s: %q, want %q", name, got.stale, c.want)
		}
	}
}

func TestStalenessByStore(t *testing.T) {
	for name, c := range map[string]struct{ before, after, want string }{
		"behind":           {"9", "9", semconv.StaleYes},
		"reached":          {"10", "10", semconv.StaleNo},
		"while it is read": {"9", "10", semconv.StaleUnknown},
		"no number":        {"x", "x", semconv.StaleUnknown},
	} {
		if got := wrote(false).ofStore(things, c.before, c.after); got.stale != c.want {
			t.Errorf("%s: %q, want %q", name, got.stale, c.want)
		}
	}
}

func TestAPendingWriteLeavesThingsUnknown(t *testing.T) {
	o := wrote(false)
	w := &ownWrite{resource: things, began: time.Now()}
	o.start(w)
	if got := o.ofStore(things, "10", "10"); got.stale != semconv.StaleUnknown {
		t.Errorf("under way: %q", got.stale)
	}
	w.began = w.began.Add(-2 * pendingFor)
	if got := o.ofStore(things, "10", "10"); got.stale != semconv.StaleNo {
		t.Errorf("too old: %q", got.stale)
	}
	if got := newOwnWrites().ofStore(things, "1", "1"); got.stale != "" {
		t.Errorf("nothing was written: %q", got.stale)
	}
}

func TestTheTableOfWritesIsBounded(t *testing.T) {
	o := newOwnWrites()
	for n := range keptWrites + 100 {
		w := &ownWrite{resource: things, uid: strconv.Itoa(n), version: "1"}
		o.start(w)
		o.succeeded(w, false)
	}
	if len(o.made) != keptWrites || len(o.of(things).unseen) != keptUnseen {
		t.Errorf("%d versions and %d unseen writes are kept", len(o.made), len(o.of(things).unseen))
	}
}
