package tracer

import (
	"strconv"
	"sync"
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
		if got := wrote(c.gone).ofObjects(things, "store", c.found, everything); got.stale != c.want {
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
		if got := wrote(false).ofStore(things, "store", c.before, c.after); got.stale != c.want {
			t.Errorf("%s: %q, want %q", name, got.stale, c.want)
		}
	}
}

func TestAPendingWriteLeavesThingsUnknown(t *testing.T) {
	o := wrote(false)
	w := &ownWrite{resource: things, began: time.Now()}
	o.start(w)
	if got := o.ofStore(things, "store", "10", "10"); got.stale != semconv.StaleUnknown {
		t.Errorf("under way: %q", got.stale)
	}
	w.began = w.began.Add(-2 * pendingFor)
	if got := o.ofStore(things, "store", "10", "10"); got.stale != semconv.StaleNo {
		t.Errorf("too old: %q", got.stale)
	}
	if got := newOwnWrites().ofStore(things, "store", "1", "1"); got.stale != "" {
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
	if len(o.made.entries) != keptWrites || len(o.of(things).unseen) != keptUnseen {
		t.Errorf("%d versions and %d unseen writes are kept", len(o.made.entries), len(o.of(things).unseen))
	}
}

func TestAVersionThatWasThereBeforeTheWriteIsNotItsOwn(t *testing.T) {
	now := time.Now()
	for name, c := range map[string]struct {
		eventAt time.Time
		noop    bool
		by      string
	}{
		"its event came before":                {now.Add(-time.Second), true, semconv.ByOther},
		"its event came while it was answered": {now.Add(time.Second), false, semconv.BySelf},
	} {
		o := newOwnWrites()
		o.begin(cause{what: semconv.CauseUpdate, uid: "u", version: "7", at: c.eventAt, resource: things})
		w := &ownWrite{resource: things, uid: "u", version: "7", began: now}
		o.start(w)
		if noop := o.succeeded(w, false); noop != c.noop {
			t.Errorf("%s: noop %v, want %v", name, noop, c.noop)
		}
		again := o.begin(cause{what: semconv.CauseUpdate, uid: "u", version: "7", at: now.Add(2 * time.Second), resource: things})
		if again.by != c.by {
			t.Errorf("%s: the event is by %s, want %s", name, again.by, c.by)
		}
	}
}

func TestWritesWithoutAnAnswerAreBounded(t *testing.T) {
	o, now := newOwnWrites(), time.Now()
	for n := range 100 * keptPending {
		o.start(&ownWrite{resource: things, began: now.Add(time.Duration(n) * time.Millisecond)})
	}
	if n := len(o.of(things).pending); n > keptPending {
		t.Errorf("%d writes are waited for, want %d at most", n, keptPending)
	}
}

func TestAnAnswerThatTellsNothingLeavesItsObjectUnknown(t *testing.T) {
	o, now := newOwnWrites(), time.Now()
	w := &ownWrite{resource: things, name: "evicted", began: now}
	o.start(w)
	if o.succeeded(w, false) {
		t.Error("it is told as a no-op")
	}
	for name, want := range map[string]string{"evicted": semconv.ByUnknown, "neighbour": semconv.ByOther} {
		c := o.begin(cause{what: semconv.CauseUpdate, name: name, uid: name, version: "8", at: now.Add(time.Millisecond), resource: things})
		if c.by != want {
			t.Errorf("the event of %s is by %s, want %s", name, c.by, want)
		}
	}
}

func TestADeletedCollectionIsJoinedObjectByObject(t *testing.T) {
	o := newOwnWrites()
	w := &ownWrite{resource: things, began: time.Now()}
	o.start(w)
	s := newJSONScanner()
	if _, err := s.Write([]byte(`{"kind":"ThingList","items":[{"metadata":{"uid":"a","resourceVersion":"5"}},{"metadata":{"uid":"b"},"spec":{"x":[1]}}]}`)); err != nil {
		t.Fatal(err)
	}
	found := s.result()
	if found.items != 2 {
		t.Fatalf("%d items are found, want 2", found.items)
	}
	o.collected(w, found.objects)
	for name, c := range map[string]cause{
		"told to go": {what: semconv.CauseUpdate, uid: "a", version: "5"},
		"gone":       {what: semconv.CauseDelete, uid: "b", version: "6"},
	} {
		c.resource, c.at = things, time.Now()
		if got := o.begin(c); got.by != semconv.BySelf {
			t.Errorf("%s: by %s, want self", name, got.by)
		}
	}
}

func TestASecondStoreLeavesStalenessUnknown(t *testing.T) {
	o := wrote(false)
	if got := o.ofStore(things, "a", "10", "10"); got.stale != semconv.StaleNo {
		t.Errorf("the only store: %q", got.stale)
	}
	for _, store := range []string{"b", "a"} {
		if got := o.ofStore(things, store, "9", "9"); got.stale != semconv.StaleUnknown {
			t.Errorf("store %s of two: %q", store, got.stale)
		}
	}
}

// The server names an object while events of its resource come in. Run with
// the race detector.
func TestAWriteIsNamedWhileEventsCome(t *testing.T) {
	o, w := newOwnWrites(), &ownWrite{began: time.Now()}
	o.start(w)
	var running sync.WaitGroup
	running.Go(func() {
		for range 100 {
			o.begin(cause{what: "add", uid: "u", name: "made", at: time.Now()})
		}
	})
	o.name(w, "made")
	o.name(w, "other")
	running.Wait()
	if w.name != "made" {
		t.Errorf("the name is %q, want the first one", w.name)
	}
}
