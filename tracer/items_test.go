package tracer

import (
	"testing"
	"time"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

func updateOf(version string) *arrival {
	return &arrival{cause: cause{what: semconv.CauseUpdate, version: version}}
}

// A Pop took the cause before its Add took effect; the Add makes the item come
// again, and that pass carries the cause too.
func TestACauseThatWasTakenEarlyComesAgain(t *testing.T) {
	i := &item{}
	early := updateOf("5")
	i.pushed(time.Now(), 1)
	hooks := i.launch([]*arrival{early})
	i.popped(0)
	if got := i.taken.causes.all(); len(got) != 1 || got[0].raced {
		t.Fatalf("the first pass took %d causes", len(got))
	}
	i.land([]*arrival{early}, hooks)
	if !i.dirty {
		t.Error("the item is not dirty")
	}
	i.pushed(time.Now(), 2) // by Done
	i.done(1)
	i.popped(0)
	got := i.taken.causes.all()
	if len(got) != 1 || !got[0].raced || got[0].version != "5" {
		t.Fatalf("the second pass took %+v", got)
	}
	if early.raced {
		t.Error("the first pass's cause is marked as raced")
	}
}

// The Add took effect before the Pop, and only returned later.
func TestACauseThatLandedDoesNotComeAgain(t *testing.T) {
	i := &item{}
	a := updateOf("5")
	hooks := i.launch([]*arrival{a})
	i.pushed(time.Now(), 1)
	i.popped(0)
	i.land([]*arrival{a}, hooks)
	if i.dirty || len(i.raced) != 0 {
		t.Fatalf("dirty %v, raced %d", i.dirty, len(i.raced))
	}
	i.done(1)
	if !i.idle() {
		t.Error("something still holds")
	}
}

// Two Adds were under way, so it is not known whose Push it was; when the item
// does not come again, neither raced.
func TestDoubtfulCausesEndWithDone(t *testing.T) {
	i := &item{}
	a, b := updateOf("5"), updateOf("6")
	ha, hb := i.launch([]*arrival{a}), i.launch([]*arrival{b})
	i.pushed(time.Now(), 1)
	i.noticed()
	i.popped(0)
	i.land([]*arrival{a}, ha)
	i.land([]*arrival{b}, hb)
	i.done(1)
	if len(i.raced) != 0 {
		t.Errorf("%d causes are kept", len(i.raced))
	}
}

func TestAnAddAfterTheEndLeavesNothing(t *testing.T) {
	i := &item{}
	a := updateOf("5")
	i.land([]*arrival{a}, i.launch([]*arrival{a}))
	if !i.idle() || i.waiting.total != 0 {
		t.Errorf("idle %v, %d causes wait", i.idle(), i.waiting.total)
	}
}

// Another pass of the same item began before Done had returned.
func TestDoneLeavesTheNextPassAlone(t *testing.T) {
	i := &item{}
	i.pushed(time.Now(), 1)
	i.popped(0)
	i.pushed(time.Now(), 2)
	i.popped(0)
	i.done(1)
	if !i.active {
		t.Error("the second pass is not active")
	}
}

func TestADelayKeepsExactCounts(t *testing.T) {
	i, now := &item{}, time.Now()
	for range 200 {
		i.postpone(&arrival{cause: cause{what: semconv.CauseUpdate}, event: &event{}}, now, time.Second, 0)
	}
	due, more := i.due(now.Add(2 * time.Second))
	i.more(more)
	i.launch(due)
	i.pushed(now, 1)
	i.popped(0)
	if got := i.taken.causes.counts[semconv.CauseUpdate]; got != 200 {
		t.Errorf("%d causes are counted, want 200", got)
	}
	if kept := len(i.taken.causes.all()); kept != semconv.MaxCauses {
		t.Errorf("%d causes are kept, want %d", kept, semconv.MaxCauses)
	}
}
