package journal

import (
	"context"
	"testing"
	"time"
)

func TestClock(t *testing.T) {
	const us = time.Microsecond
	began := time.Now()
	c := clock{now: began}
	if at := c.tick(began); at != began.UnixMicro() {
		t.Errorf("the first time is %d, want %d", at, began.UnixMicro())
	}
	if at := c.tick(began.Add(3 * us)); at != began.Add(3*us).UnixMicro() {
		t.Errorf("a clock that goes right gives %d, want %d", at, began.Add(3*us).UnixMicro())
	}
	// Without a monotonic reading, as after a jump, only the wall clock tells.
	c = clock{at: 100, now: time.UnixMicro(100)}
	for _, step := range []struct{ now, want int64 }{{150, 150}, {20, 150}, {44, 162}, {60, 170}, {500, 500}, {700, 700}} {
		if at := c.tick(time.UnixMicro(step.now)); at != step.want {
			t.Errorf("at %d on the wall the block's time is %d, want %d", step.now, at, step.want)
		}
	}
}

// The clock is set back while the hub is stopped: time goes on from where the
// newest block was.
func TestTimeGoesOnAfterARestart(t *testing.T) {
	dir := t.TempDir()
	wall := time.UnixMicro(1_000_000_000)
	times := func(j *Journal) (at []int64) {
		err := j.Replay(context.Background(), 0, func(b Block) error {
			at = append(at, b.At)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	j := open(t, dir, func(c *Config) { c.Now = func() time.Time { return wall } })
	add(t, j, "a")
	shut(t, j)

	wall = time.UnixMicro(500_000_000)
	j = open(t, dir, func(c *Config) { c.Now = func() time.Time { return wall } })
	wall = wall.Add(time.Second)
	add(t, j, "b")
	if at := times(j); len(at) != 2 || at[0] != 1_000_000_000 || at[1] != 1_000_500_000 {
		t.Errorf("the blocks' times are %v, want half a second between them", at)
	}
}
