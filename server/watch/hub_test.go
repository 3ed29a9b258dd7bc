package watch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/reconcile-tracer/tracer/server/flow"
)

func TestStartThenRows(t *testing.T) {
	h := ready()
	publish(h, 1, reconcile(1, "success"))
	v, c := join(t, h, Filter{}, nil), newClient()
	c.read(t, v)
	publish(h, 2, reconcile(2, ""))
	publish(h, 3, reconcile(2, "error"), &flow.Item{Row: flow.RowItem, Key: "podset/shop/web-2"})
	h.Publish(4, []flow.Output{gone(flow.RowReconcile, reconcile(1, "").Key)})
	h.flush()
	c.read(t, v)
	if diff := cmp.Diff([]string{"snapshot start", "rows"}, c.types()); diff != "" {
		t.Errorf("frames (-want +got):\n%s", diff)
	}
	if f := c.frames[1]; f.Offset != 4 || len(f.Rows) != 2 || len(f.Gone) != 1 {
		t.Errorf("the frame is %+v, want offset 4 with 2 rows and 1 gone", f)
	}
	c.want(t, h, Filter{})
}

func TestResume(t *testing.T) {
	h := ready(func(c *Config) { c.RingFrames = 4 })
	for i := range 10 {
		publish(h, uint64(i+1), reconcile(i, "success"))
		h.flush()
	}
	filter := Filter{Results: []string{"error"}}
	for name, c := range map[string]struct {
		from   Position
		filter Filter
		want   []string
	}{
		"nothing missed":   {Position{testEpoch, 10}, Filter{}, []string{"bookmark"}},
		"one missed":       {Position{testEpoch, 9}, Filter{}, []string{"bookmark", "rows"}},
		"all of the ring":  {Position{testEpoch, 6}, Filter{}, []string{"bookmark", "rows", "rows", "rows", "rows"}},
		"too long ago":     {Position{testEpoch, 5}, Filter{}, []string{"snapshot lagged"}},
		"other history":    {Position{"kold", 9}, Filter{}, []string{"snapshot epoch"}},
		"in the future":    {Position{testEpoch, 11}, Filter{}, []string{"snapshot epoch"}},
		"another's filter": {Position{testEpoch, 9}, filter, []string{"snapshot filter"}},
	} {
		t.Run(name, func(t *testing.T) {
			v, cl := join(t, h, c.filter, &c.from), newClient()
			cl.read(t, v)
			if diff := cmp.Diff(c.want, cl.types()); diff != "" {
				t.Errorf("frames (-want +got):\n%s", diff)
			}
			if cl.position.Offset != 10 {
				t.Errorf("the viewer is at %d, want 10", cl.position.Offset)
			}
		})
	}
}

func TestRowThatLeavesTheFilterIsTakenBack(t *testing.T) {
	h := ready()
	f := Filter{Results: []string{"error"}}
	v, c := join(t, h, f, nil), newClient()
	c.read(t, v)
	publish(h, 1, reconcile(1, "error"), reconcile(2, "error"))
	h.flush()
	c.read(t, v)
	publish(h, 2, reconcile(1, "success"))
	h.flush()
	c.read(t, v)
	last := c.frames[len(c.frames)-1]
	if diff := cmp.Diff([]string{"reconcile/" + reconcile(1, "").Key}, last.Gone); diff != "" || len(last.Rows) > 0 {
		t.Errorf("gone (-want +got), and %d rows:\n%s", len(last.Rows), diff)
	}
	c.want(t, h, f)
}

func TestViewerWhoLagsGetsTheRestAsCounts(t *testing.T) {
	h := ready(func(c *Config) { c.RingFrames = 3 })
	v, c := join(t, h, Filter{Limit: 2}, nil), newClient()
	c.read(t, v)
	for i := range 10 {
		result := "success"
		if i == 3 {
			result = "error"
		}
		publish(h, uint64(i+1), reconcile(i, result))
		h.flush()
	}
	c.read(t, v)
	if diff := cmp.Diff([]string{"snapshot start", "snapshot lagged", "elided"}, c.types()); diff != "" {
		t.Fatalf("frames (-want +got):\n%s", diff)
	}
	e := c.frames[2]
	if diff := cmp.Diff(map[string]int64{"success": 7, "error": 1}, e.By); diff != "" || e.From != 0 || e.To != 10 || e.Reconciles != 8 {
		t.Errorf("elided is %+v, want 8 from 0 to 10:\n%s", e, diff)
	}
}

func TestPressureElidesSuccessesOnly(t *testing.T) {
	h := ready(func(c *Config) { c.MaxBurst = 7 })
	v, c := join(t, h, Filter{}, nil), newClient()
	c.read(t, v)
	publish(h, 1, reconcile(0, ""))
	h.flush()
	c.read(t, v)
	rows := []flow.Row{reconcile(0, "success"), &flow.Gap{Row: flow.RowGap, Key: "gap"}, reconcile(1, "error"), reconcile(2, "")}
	for i := range 26 {
		rows = append(rows, reconcile(i+3, "success"))
	}
	publish(h, 2, rows...)
	h.flush()
	c.read(t, v)
	last := c.frames[len(c.frames)-1]
	if last.Type != "elided" || last.Reconciles != 20 || last.By["success"] != 20 {
		t.Errorf("the last frame is %+v, want 20 successes elided", last)
	}
	for _, want := range []string{"gap/gap", "reconcile/" + reconcile(1, "").Key, "reconcile/" + reconcile(2, "").Key} {
		if _, ok := c.rows[want]; !ok {
			t.Errorf("%s was elided", want)
		}
	}
	if _, ok := c.rows["reconcile/"+reconcile(0, "").Key]; ok {
		t.Error("an elided reconcile is left running with the viewer")
	}
}

func TestLargeChangeComesInFramesOf100(t *testing.T) {
	h := ready()
	v, c := join(t, h, Filter{}, nil), newClient()
	c.read(t, v)
	var rows []flow.Row
	for i := range 220 {
		rows = append(rows, reconcile(i, "error"))
	}
	publish(h, 7, rows...)
	h.flush()
	c.read(t, v)
	var got []string
	for _, f := range c.frames[1:] {
		got = append(got, fmt.Sprint(f.Offset, " ", len(f.Rows)))
	}
	if diff := cmp.Diff([]string{"0 100", "0 100", "7 20"}, got); diff != "" {
		t.Errorf("offsets and rows (-want +got):\n%s", diff)
	}
	c.want(t, h, Filter{})
}

func TestSnapshotIsBounded(t *testing.T) {
	h := ready()
	var rows []flow.Row
	for i := range 3000 {
		rows = append(rows, reconcile(i, "success"), &flow.Wait{Row: flow.RowWait, Key: fmt.Sprint(i), From: int64(i), To: int64(i) + 1})
	}
	rows = append(rows, &flow.Gap{Row: flow.RowGap, Key: "old", From: 1, To: 2}, &flow.Controller{Row: flow.RowController, Key: "podset"},
		&flow.Wait{Row: flow.RowWait, Key: "open", From: 1})
	publish(h, 1, rows...)
	for limit, want := range map[int]int{0: DefaultLimit, 10: 10, 5000: 3000} {
		c := newClient()
		c.read(t, join(t, h, Filter{Limit: limit}, nil))
		n := map[string]int{}
		for key := range c.rows {
			kind, _, _ := strings.Cut(key, "/")
			n[kind]++
		}
		if n["reconcile"] != want || n["gap"] != 1 || n["controller"] != 1 || n["wait"] > want+1 {
			t.Errorf("limit %d gives %v, want %d reconciles, the gap and the controller", limit, n, want)
		}
		if _, ok := c.rows["reconcile/"+reconcile(2999, "").Key]; !ok {
			t.Errorf("limit %d leaves the newest out", limit)
		}
	}
}

// What goes on is counted, however much of it there is: a snapshot may leave out
// the past, not the present.
func TestSnapshotHoldsAllThatGoesOn(t *testing.T) {
	h := ready()
	const limit = 10
	want := map[string]bool{}
	for i := range int64(3 * limit) {
		key := fmt.Sprint("open", i)
		rows := []flow.Row{
			&flow.Reconcile{Row: flow.RowReconcile, Key: key, From: i + 1}, &flow.Wait{Row: flow.RowWait, Key: key, From: i + 1},
			&flow.Hold{Row: flow.RowHold, Key: key, From: i + 1}, &flow.Edge{Row: flow.RowEdge, Key: key, From: i + 1},
		}
		publish(h, uint64(i+1), rows...)
		for _, row := range rows {
			want[string(row.Kind())+"/"+key] = true
		}
		ended := fmt.Sprint("ended", i)
		publish(h, uint64(i+1), &flow.Wait{Row: flow.RowWait, Key: ended, From: 1000 + i, To: 1001 + i}, reconcile(1000+int(i), "success"))
	}
	c := newClient()
	c.read(t, join(t, h, Filter{Limit: limit}, nil))
	for name := range want {
		if c.rows[name] == "" {
			t.Errorf("%s goes on and is not in the snapshot", name)
		}
	}
	if ended := len(c.rows) - len(want); ended != 2*limit {
		t.Errorf("%d rows that have ended are in the snapshot, want %d of either kind", ended, limit)
	}
}

func TestViewersShareFramesAndSnapshots(t *testing.T) {
	h := ready()
	publish(h, 1, reconcile(1, "success"))
	a, b := join(t, h, Filter{}, nil), join(t, h, Filter{Limit: DefaultLimit}, nil)
	am, _ := a.wait(t.Context())
	bm, _ := b.wait(t.Context())
	if &am[0][1][0] != &bm[0][1][0] {
		t.Error("each viewer got a snapshot of its own")
	}
	publish(h, 2, reconcile(2, "success"))
	h.flush()
	am, _ = a.frames()
	bm, _ = b.frames()
	if &am[0][0][0] != &bm[0][0][0] {
		t.Error("each viewer got a frame of its own")
	}
}

func TestLimitsOfViewersAndFilters(t *testing.T) {
	h := ready(func(c *Config) { c.MaxViewers, c.MaxFeeds = 2, 2 })
	join(t, h, Filter{Since: 1}, nil)
	if _, err := h.subscribe(Filter{Since: 2}, nil); !errors.Is(err, ErrManyFilters) {
		t.Errorf("a filter too many gives %v", err)
	}
	join(t, h, Filter{}, nil)
	if _, err := h.subscribe(Filter{}, nil); !errors.Is(err, ErrTooMany) {
		t.Errorf("a viewer too many gives %v", err)
	}
	if _, err := New(Config{}).subscribe(Filter{}, nil); !errors.Is(err, ErrNotReady) {
		t.Errorf("a hub that is not ready gives %v", err)
	}
}

// A filter that somebody has looked through and left must not keep others out.
func TestLeftFiltersMakeRoom(t *testing.T) {
	h := ready(func(c *Config) { c.MaxFeeds = 4 })
	watched := join(t, h, Filter{Items: []string{"watched"}}, nil)
	for i := range 20 {
		v, err := h.subscribe(Filter{Items: []string{fmt.Sprint("item-", i)}}, nil)
		if err != nil {
			t.Fatalf("filter %d: %v", i, err)
		}
		v.leave()
	}
	if h.feeds[watched.feed.filter.key()] != watched.feed || h.feeds[Filter{}.key()] == nil {
		t.Error("a feed that is watched, or the one without a filter, was forgotten")
	}
}

func TestTickGrowsWithTheViewers(t *testing.T) {
	h := ready()
	for n, want := range map[int]time.Duration{
		0: 16 * time.Millisecond, 100: 16 * time.Millisecond, 1000: 33 * time.Millisecond, 10_000: 100 * time.Millisecond,
	} {
		h.viewers = n
		if got := h.tick(); got != want {
			t.Errorf("with %d viewers the tick is %s, want %s", n, got, want)
		}
	}
}

func TestFirstChangeGoesAtOnceThenOneFrameATick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := ready()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- h.Run(ctx) }()
		v, err := h.subscribe(Filter{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer v.leave()
		_, _ = v.wait(ctx)
		began := time.Now()
		var at []time.Duration
		for i := range 40 { // one change a millisecond
			publish(h, uint64(i+1), reconcile(i, "success"))
			synctest.Wait()
			msgs, _ := v.frames()
			for range msgs {
				at = append(at, time.Since(began))
			}
			time.Sleep(time.Millisecond)
		}
		if diff := cmp.Diff([]time.Duration{0, 16 * time.Millisecond, 32 * time.Millisecond}, at); diff != "" {
			t.Errorf("frames came at (-want +got):\n%s", diff)
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func TestSilenceIsBrokenByBookmarks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := ready()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- h.Run(ctx) }()
		v, err := h.subscribe(Filter{Results: []string{"error"}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer v.leave()
		c := newClient()
		c.read(t, v)
		publish(h, 1, reconcile(1, "success"))
		time.Sleep(2500 * time.Millisecond)
		c.read(t, v)
		if c.position.Offset != 1 {
			t.Errorf("after 2.5 s the viewer is at %d, want 1", c.position.Offset)
		}
		// From then on a word every 2 s: a page that hears none for 5 s says so.
		time.Sleep(10 * time.Second)
		c.read(t, v)
		want := append([]string{"snapshot start"}, slices.Repeat([]string{"bookmark"}, 6)...)
		if diff := cmp.Diff(want, c.types()); diff != "" {
			t.Errorf("frames (-want +got):\n%s", diff)
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func TestFeedIsForgottenAfterAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := ready()
		v, err := h.subscribe(Filter{Since: 1}, nil)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * feedKept)
		h.bookmark()
		if len(h.feeds) != 2 {
			t.Error("a feed that is watched was forgotten")
		}
		v.leave()
		h.bookmark()
		if len(h.feeds) != 2 {
			t.Error("a feed was forgotten at once: nobody can come back")
		}
		time.Sleep(feedKept + time.Second)
		h.bookmark()
		if len(h.feeds) != 1 {
			t.Error("a feed that nobody came back to is kept")
		}
	})
}

func TestNothingIsEncodedForNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := ready()
		publish(h, 1, reconcile(1, "success"))
		h.flush()
		if h.Stats().Frames != 1 {
			t.Error("within the first minute somebody may come back")
		}
		time.Sleep(feedKept + time.Second)
		publish(h, 2, reconcile(2, "success"))
		h.flush()
		if h.Stats().Frames != 1 {
			t.Error("a frame was encoded though nobody has watched for a minute")
		}
		for from, want := range map[uint64]string{1: "snapshot lagged", 2: "bookmark"} {
			v, err := h.subscribe(Filter{}, &Position{testEpoch, from})
			if err != nil {
				t.Fatal(err)
			}
			c := newClient()
			c.read(t, v)
			if diff := cmp.Diff([]string{want}, c.types()); diff != "" {
				t.Errorf("from %d (-want +got):\n%s", from, diff)
			}
			v.leave()
		}
	})
}
