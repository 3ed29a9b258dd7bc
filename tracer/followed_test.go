package tracer

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/trace"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// newQuiet makes a tracer that keeps what it would send.
func newQuiet() *Tracer {
	cfg := Config{Controller: "c", BufferSpans: 1000}
	t := &Tracer{cfg: cfg, writes: newOwnWrites(), digests: newDigests(), state: newControllerState(cfg)}
	t.spans, t.records = newSpanBuffer(cfg.BufferSpans), newRecordBuffer()
	t.provider = newProvider(t.spans)
	t.otel = t.provider.Tracer(semconv.ScopeName)
	t.on.Store(true)
	return t
}

// model is a Follower whose queue is nothing: it is the test that takes.
type model struct {
	*Follower[string]
	t *testing.T
}

func newModel(t *testing.T) *model { return &model{Follow[string](newQuiet(), nil, nil), t} }

func (m *model) add(item string, a Addition) { m.Add(item, a, func() {}) }

// pass takes an item and runs it, and returns the kinds of its causes.
func (m *model) pass(item string, err error, then func()) []string {
	m.Take(item, 0)
	took := m.items[item].taken
	m.Start(context.Background(), item, trace.TraceID{})
	m.Return(item, err, false)
	if then != nil {
		then()
	}
	m.Done(item)
	var kinds []string
	for _, a := range took.causes.all() {
		kind := a.what
		if a.raced {
			kind += " raced"
		}
		kinds = append(kinds, kind)
	}
	return kinds
}

// state is what the item's record says, in short.
func (m *model) state(item string) string {
	var words []string
	for _, a := range m.record(item).attrs {
		switch string(a.Key) {
		case semconv.AttrItemReadySince:
			words = append(words, "ready")
		case semconv.AttrItemDelayedUntil:
			words = append(words, "delayed")
		case semconv.AttrItemActive:
			words = append(words, "active")
		case semconv.AttrItemDirty:
			words = append(words, "dirty")
		}
	}
	return strings.Join(words, " ")
}

func (m *model) expect(item, want string) {
	m.t.Helper()
	if got := m.state(item); got != want {
		m.t.Errorf("%s is %q, want %q", item, got, want)
	}
}

func expectCauses(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("causes %v, want %v", got, want)
	}
}

func TestFollowedDelayEndsByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newModel(t)
		m.add("a", Addition{After: time.Second})
		m.expect("a", "delayed")
		time.Sleep(time.Second)
		synctest.Wait()
		m.expect("a", "ready")
		if m.ready != 1 {
			t.Errorf("%d items wait, want 1", m.ready)
		}
	})
}

func TestFollowedEarlyAddEndsTheDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newModel(t)
		m.add("a", Addition{After: time.Hour})
		m.add("a", Addition{})
		m.expect("a", "ready")
		expectCauses(t, m.pass("a", nil, nil), "generic", "generic")
		m.expect("a", "")
	})
}

func TestFollowedEarlierDelayCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newModel(t)
		m.add("a", Addition{After: time.Minute})
		m.add("a", Addition{After: time.Second})
		m.add("a", Addition{After: time.Hour})
		time.Sleep(time.Second)
		synctest.Wait()
		m.expect("a", "ready")
	})
}

func TestFollowedDecisionsAreTheResult(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		name, cause string
		err         error
		a           Addition
	}{
		{"backoff", "backoff", broken, Addition{Limited: true, After: time.Second}},
		{"backoff at once", "backoff", broken, Addition{Limited: true}},
		{"requeue after", "requeue_after", nil, Addition{After: time.Second}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newModel(t)
				m.add("a", Addition{})
				m.pass("a", c.err, func() { m.add("a", c.a) })
				time.Sleep(c.a.After)
				synctest.Wait()
				m.expect("a", "ready")
				expectCauses(t, m.pass("a", nil, nil), c.cause)
			})
		})
	}
}

func TestFollowedAddWhileActiveIsAnotherPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newModel(t)
		m.add("a", Addition{})
		m.Take("a", 0)
		m.add("a", Addition{})
		m.expect("a", "active dirty")
		if m.ready != 0 {
			t.Errorf("%d items wait, want none: nobody can take it", m.ready)
		}
		m.Done("a")
		m.expect("a", "ready")
	})
}

// An Add can come when a worker has taken the item, and the model has not been
// told yet: its cause is then in both passes, raced in the second.
func TestFollowedAddThatCrossesATake(t *testing.T) {
	m := newModel(t)
	m.add("a", Addition{})
	m.add("a", Addition{Event: &Event{What: semconv.CauseUpdate, At: time.Now()}})
	expectCauses(t, m.pass("a", nil, nil), "generic", "update")
	expectCauses(t, m.pass("a", nil, nil), "update raced")
}

func TestFollowedOneEventIsOneCause(t *testing.T) {
	m := newModel(t)
	e := &Event{What: semconv.CauseUpdate, At: time.Now(), Object: &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}}}
	m.add("a", Addition{Event: e})
	m.add("a", Addition{Event: e})
	m.add("b", Addition{Event: e})
	expectCauses(t, m.pass("a", nil, nil), "update")
	expectCauses(t, m.pass("b", nil, nil), "update")
}

func TestFollowedPriorityRisesAndNeverFalls(t *testing.T) {
	m := newModel(t)
	m.add("a", Addition{Priority: -100})
	m.add("b", Addition{})
	m.add("a", Addition{Priority: 5})
	m.add("a", Addition{Priority: 1})
	a, b := m.items["a"].entry, m.items["b"].entry
	if a.priority != 5 || a.order < b.order {
		t.Errorf("priority %d and order %d, want 5 and one after %d", a.priority, a.order, b.order)
	}
}

func TestFollowedIdleItemsAreLetGo(t *testing.T) {
	m := newModel(t)
	for i := range 3 * keptIdle {
		item := string(rune('a'+i%26)) + strings.Repeat("x", i/26)
		m.add(item, Addition{})
		m.pass(item, nil, nil)
	}
	if len(m.items) != keptIdle {
		t.Errorf("%d items are kept, want %d", len(m.items), keptIdle)
	}
}

func TestFollowedShutDownForgetsWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newModel(t)
		m.add("a", Addition{After: time.Hour})
		m.add("b", Addition{})
		m.ShutDown()
		m.expect("a", "")
		m.expect("b", "")
	})
}

// Calls in an order that makes no sense do nothing, and panic least of all.
func TestFollowedMisuse(t *testing.T) {
	m := newModel(t)
	m.Done("a")
	m.Return("a", nil, true)
	m.Start(context.Background(), "a", trace.TraceID{})
	m.Take("a", 0)
	m.Take("a", 0)
	m.Done("a")
	m.Done("a")
	if slices.Contains(m.workers, true) {
		t.Error("a worker's number is not given back")
	}
	var none *Follower[string]
	none.Done("a")
	none.Take("a", 0)
	none.Return("a", nil, false)
	none.ShutDown()
	added := false
	none.Add("a", Addition{}, func() { added = true })
	if !added {
		t.Error("nothing was added")
	}
}

func TestGivenTraceID(t *testing.T) {
	m := newModel(t)
	want := trace.TraceID{1, 2, 3}
	m.add("a", Addition{})
	m.Take("a", 0)
	ctx := m.Start(context.Background(), "a", want)
	if r, _ := ctx.Value(reconcileKey{}).(*reconcile); r == nil || r.id != want.String() {
		t.Errorf("the trace is not %s", want)
	}
	m.Done("a")
}

func TestDropsAreCounted(t *testing.T) {
	tr := newQuiet()
	for range 3 {
		tr.Drop(&Event{What: semconv.CauseUpdate}, "generation")
	}
	records := tr.records.take()
	if len(records) != 1 {
		t.Fatalf("%d records, want the newest alone", len(records))
	}
	for _, a := range records[0].attrs {
		if string(a.Key) == semconv.AttrDropCount && a.Value.AsInt64() != 3 {
			t.Errorf("count %d, want 3", a.Value.AsInt64())
		}
	}
}
