package supervise

import (
	"context"
	"fmt"
	"time"
)

// Keep runs the child until ctx ends and returns nil when the process is gone.
// A child that dies is started again; one that cannot be started, or has died
// quickly too often, ends Keep with an error (a *GaveUpError in the second
// case). Notify is called for each event of this child, one call at a time; it must not
// block. Keep may be called from several goroutines, for different children.
func Keep(ctx context.Context, c Child, notify func(Event)) error {
	c.Policy = c.Policy.withDefaults()
	if err := keepOldLog(c.Log); err != nil {
		return fmt.Errorf("starting %s: %w", c.Name, err)
	}
	for quick := 0; ; {
		begin := time.Now()
		p, err := start(c)
		if err != nil {
			return fmt.Errorf("starting %s: %w", c.Name, err)
		}
		death := p.follow(ctx, notify)
		if ctx.Err() != nil {
			notify(Event{Child: c.Name, Kind: Stopped, PID: p.pid(), After: time.Since(begin)})
			return nil //nolint:nilerr // however it ended, it was asked to
		}
		if quick++; time.Since(begin) >= c.Policy.Quick {
			quick = 1
		}
		if quick >= c.Policy.MaxQuick {
			return &GaveUpError{Child: c.Name, Deaths: quick, Last: death, Log: c.Log, Tail: tail(c.Log)}
		}
		delay := c.Policy.delay(quick)
		notify(Event{Child: c.Name, Kind: Died, PID: p.pid(), After: time.Since(begin), Err: death, Delay: delay})
		if !sleep(ctx, delay) {
			return nil
		}
	}
}

// sleep waits for d and reports whether ctx lasted that long.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// GaveUpError says that a child died quickly so many times in a row that it is
// not started again.
type GaveUpError struct {
	Child  string
	Deaths int
	// Last is how it died the last time.
	Last error
	// Log is the file of its output, Tail its last lines, indented.
	Log  string
	Tail string
}

func (e *GaveUpError) Error() string {
	return fmt.Sprintf("%s died %d times in a row, the last time with: %v; the end of its log %s:\n%s",
		e.Child, e.Deaths, e.Last, e.Log, e.Tail)
}

func (e *GaveUpError) Unwrap() error { return e.Last }
