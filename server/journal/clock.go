package journal

import "time"

// clock gives blocks their times: the machine's, or, when that was set back,
// times from the last one on that pass at half the pace until the machine's has
// caught up. Time must go on, as much waits for it, and must never go back.
type clock struct {
	at  int64     // of the last block
	now time.Time // when that was
}

// tick returns the time of a block that is made now.
func (c *clock) tick(now time.Time) int64 {
	// The difference is by the monotonic clock, which nobody sets.
	since := max(0, now.Sub(c.now).Microseconds())
	c.at, c.now = max(now.UnixMicro(), c.at+since/2), now
	return c.at
}
