package journal

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"
)

// The writer may be in OnBlock when the time to close is up. Close must not
// come back before it, or it would be called when its owner is gone.
func TestCloseWaitsForTheWriterBeyondItsTime(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	within := make(chan struct{})
	var after atomic.Bool
	j := open(t, t.TempDir(), func(c *Config) {
		c.OnBlock = func(Block) {
			close(within)
			<-ctx.Done()
			<-time.After(50 * time.Millisecond) // longer than a Close that does not wait takes
			after.Store(true)
		}
	})
	appended := make(chan error, 1)
	go func() { appended <- j.Append(context.Background(), Record{Kind: KindTraces, Payload: []byte("a")}) }()
	<-within
	cancel()
	if err := j.Close(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Close answers %v, want that its time was up", err)
	}
	if !after.Load() {
		t.Error("Close came back while the writer was in OnBlock")
	}
	if err := <-appended; err != nil {
		t.Errorf("the record that was durable is answered with %v", err)
	}
}

// What the embedded server has to say of a start that went well is no warning.
func TestOpenWarnsOfNothing(t *testing.T) {
	var buf bytes.Buffer
	j := open(t, t.TempDir(), func(c *Config) {
		c.Log = slog.New(slog.NewTextHandler(&buf, &slog.HandlerOptions{Level: slog.LevelWarn}))
	})
	shut(t, j)
	if buf.Len() > 0 {
		t.Errorf("opening and closing logged:\n%s", &buf)
	}
}
