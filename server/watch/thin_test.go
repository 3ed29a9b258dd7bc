package watch

import (
	"testing"
	"time"

	"github.com/reconcile-tracer/tracer/server/flow"
)

// clocked is a Hub whose clock stands at *now, and which sends two successful
// reconciles at once and ten a second, or five of more.
func clocked() (h *Hub, now *time.Time) {
	at := time.Unix(1, 0)
	return ready(func(c *Config) {
		c.MaxRate, c.MaxBurst, c.SampleRate, c.Now = 10, 2, 5, func() time.Time { return at }
	}), &at
}

// passes publishes the successful reconciles from n to m, each with its stay.
func passes(h *Hub, offset uint64, n, m int) {
	var rows []flow.Row
	for ; n < m; n++ {
		rows = append(rows, stay(n), reconcile(n, "success"))
	}
	publish(h, offset, rows...)
	h.flush()
}

func (c *client) has(row flow.Row) bool {
	_, ok := c.rows[GoneName(flow.RowRef{Kind: row.Kind(), ID: row.ID()})]
	return ok
}

func TestAStayIsLeftOutWithItsReconcile(t *testing.T) {
	h, _ := clocked()
	v, c := join(t, h, Filter{}, nil), newClient()
	c.read(t, v)
	passes(h, 1, 0, 6)
	c.read(t, v)
	if c.elided != 4 || len(c.rows) != 4 {
		t.Errorf("%d rows and %d elided, want 2 reconciles with their stays and 4", len(c.rows), c.elided)
	}
	for n := range 6 {
		if c.has(stay(n)) != c.has(reconcile(n, "")) {
			t.Errorf("reconcile %d: stay %v, reconcile %v", n, c.has(stay(n)), c.has(reconcile(n, "")))
		}
	}
	if !c.has(reconcile(2, "")) || !c.has(reconcile(5, "")) {
		t.Errorf("what is sent of six is not every third: %v", c.rows)
	}
}

func TestAllowanceComesBackWithTime(t *testing.T) {
	h, now := clocked()
	v, c := join(t, h, Filter{}, nil), newClient()
	c.read(t, v)
	n := 0
	for i, step := range []struct {
		later      time.Duration
		come, sent int
	}{
		{0, 2, 2},
		{100 * time.Millisecond, 1, 1},
		{100 * time.Millisecond, 3, 1},      // from here on a sample is sent
		{100 * time.Millisecond, 1, 0},      // half of one has come back
		{100 * time.Millisecond, 4, 1},      //
		{600 * time.Millisecond, 3, 2},      // a second is over, in which 14 came
		{500 * time.Millisecond, 3, 2},      //
		{500 * time.Millisecond, 5, 2},      // another, in which 8 came: all are sent again
		{100 * time.Millisecond, 1, 1},      //
		{100 * time.Millisecond, 1, 1},      //
		{100 * time.Millisecond, 2, 1},      // and now there are too many
		{time.Hour, 3, 2},                   // no more than the burst, however long it was
		{time.Hour + time.Second/2, 1, 1},   //
		{time.Hour + time.Second/2, 100, 2}, //
	} {
		*now = now.Add(step.later)
		before := len(c.ended)
		passes(h, uint64(i+1), n, n+step.come)
		n += step.come
		c.read(t, v)
		if got := len(c.ended) - before; got != step.sent {
			t.Errorf("step %d: %d of %d sent, want %d", i, got, step.come, step.sent)
		}
		if want := step.sent < step.come; (h.tick() == pressedTick) != want {
			t.Errorf("step %d: a tick is %v", i, h.tick())
		}
	}
	if len(c.ended)+int(c.elided) != n {
		t.Errorf("%d sent and %d elided of %d", len(c.ended), c.elided, n)
	}
}

func TestARefusedWriteIsNeverLeftOut(t *testing.T) {
	h, _ := clocked()
	v, c := join(t, h, Filter{}, nil), newClient()
	c.read(t, v)
	refused := reconcile(0, "success")
	refused.FailedWrites = 1
	publish(h, 1, refused, reconcile(1, "success"), reconcile(2, "success"), reconcile(3, "success"))
	h.flush()
	c.read(t, v)
	if !c.has(refused) || c.elided != 1 {
		t.Errorf("refused %v, %d elided", c.has(refused), c.elided)
	}
}

func TestWhatNobodyHadGoesWithoutAWord(t *testing.T) {
	h, _ := clocked()
	v, c := join(t, h, Filter{}, nil), newClient()
	c.read(t, v)
	passes(h, 1, 0, 3) // leaves out the first
	publish(h, 2, reconcile(0, "success"), stay(0))
	h.Publish(3, []flow.Output{gone(flow.RowReconcile, reconcile(0, "").Key), gone(flow.RowWait, stay(0).Key)})
	h.flush()
	c.read(t, v)
	if got := c.types(); len(got) != 3 || got[2] != "elided" {
		t.Errorf("frames %v, want nothing after the elided", got)
	}
	if fd := h.feeds[Filter{}.key()]; len(fd.left) != 0 {
		t.Errorf("%v is remembered for ever", fd.left)
	}
}

func TestWhatASnapshotHadIsSaidToGo(t *testing.T) {
	h, now := clocked()
	v, early := join(t, h, Filter{}, nil), newClient()
	early.read(t, v)
	passes(h, 1, 0, 3)
	*now = now.Add(time.Second) // too late to share the first snapshot
	w, late := join(t, h, Filter{}, nil), newClient()
	late.read(t, w)
	if !late.has(reconcile(0, "")) {
		t.Fatal("the snapshot lacks what was left out of the frames")
	}
	h.Publish(2, []flow.Output{gone(flow.RowReconcile, reconcile(0, "").Key), gone(flow.RowWait, stay(0).Key)})
	h.flush()
	late.read(t, w)
	late.want(t, h, Filter{})
}
