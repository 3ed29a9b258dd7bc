package watch

import (
	"testing"
	"time"

	"github.com/reconcile-tracer/tracer/server/flow"
)

// clocked is a Hub whose clock stands at *now, and which sends two successful
// reconciles at once and ten a second.
func clocked() (h *Hub, now *time.Time) {
	at := time.Unix(1, 0)
	return ready(func(c *Config) {
		c.MaxRate, c.MaxBurst, c.Now = 10, 2, func() time.Time { return at }
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
	passes(h, 1, 0, 2)
	*now = now.Add(100 * time.Millisecond)
	passes(h, 2, 2, 4)
	*now = now.Add(time.Hour)
	passes(h, 3, 4, 7)
	c.read(t, v)
	if len(c.ended) != 5 || c.elided != 2 {
		t.Errorf("%d sent and %d elided, want 2, then 1 of 2, then 2 of 3", len(c.ended), c.elided)
	}
	if h.tick() != pressedTick {
		t.Errorf("a tick under pressure is %v", h.tick())
	}
	*now = now.Add(time.Second)
	passes(h, 4, 7, 8)
	if h.tick() != 16*time.Millisecond {
		t.Errorf("a tick after it is %v", h.tick())
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
