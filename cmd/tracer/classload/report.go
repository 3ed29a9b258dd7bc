//go:build linux

package main

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// report prints how far behind everyone was, and fails over the goal.
func (c *class) report(o options) error {
	all, err := summary("viewers", c.viewers, c.presenter)
	if err != nil {
		return err
	}
	worst := all
	if len(c.pages) > 0 {
		inPages, err := summary("pages in Chromium", c.pages, c.presenter)
		if err != nil {
			return err
		}
		worst = max(worst, inPages)
	}
	c.presenter.mu.Lock()
	rows := c.presenter.rows
	c.presenter.mu.Unlock()
	fmt.Printf("%d rows in %s, %.0f/s; goal: p99 at most %s\n", rows, o.duration, float64(rows)/o.duration.Seconds(), goal)
	if worst > goal {
		return errors.New("that is over the goal")
	}
	return nil
}

func summary(who string, watchers []*watcher, presenter *watcher) (p99 time.Duration, err error) {
	var late []time.Duration
	for _, w := range watchers {
		own := w.behind(presenter)
		if len(own) == 0 {
			return 0, fmt.Errorf("one of the %s has had no frame that the presenter has had", who)
		}
		late = append(late, own...)
	}
	slices.Sort(late)
	at := func(share float64) time.Duration {
		return late[int(share*float64(len(late)-1))].Round(10 * time.Microsecond)
	}
	fmt.Printf("%d %s, %d frames: behind the presenter p50 %s, p99 %s, at most %s\n", len(watchers), who, len(late), at(0.5), at(0.99), at(1))
	return at(0.99), nil
}
