package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/reconcile-tracer/tracer/lessons"
)

// apart is how long nothing happens before a lesson is recorded: a recording
// also has what was going on, or was heard, in the second before its first beat.
const apart = 3 * time.Second

// recordLessons runs each lesson that is built in and writes its session into a
// folder. That what is written proves the lesson is a test of package lessons.
func recordLessons(ctx context.Context, folder, tracer, data string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, l := range lessons.All() {
		select {
		case <-time.After(apart):
		case <-ctx.Done():
			return ctx.Err()
		}
		cmd := exec.CommandContext(ctx, tracer, "lesson", "run", l.ID, "--data", data, "--record", filepath.Join(folder, l.ID+".jsonl.gz"))
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		cmd.WaitDelay = 20 * time.Second // it takes away what it has made
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("recording %s: %w", l.ID, err)
		}
	}
	return nil
}
