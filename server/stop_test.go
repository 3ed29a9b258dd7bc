package server

import (
	"context"
	"log/slog"
	"sync"
	"testing"

	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/server/journal"
)

// The fold is so far behind that the journal's writer waits for it when the
// time to stop is up.
func TestStoppingUnderLoadEnds(t *testing.T) {
	h, err := New(t.Context(), Config{
		Listen: "127.0.0.1:0", Data: t.TempDir(), Token: testToken, IngestToken: testIngest, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	publish, release := h.fold.publish, make(chan struct{})
	h.fold.publish = func(offset uint64, out []flow.Output) {
		<-release
		publish(offset, out)
	}
	ready := make(chan struct{})
	h.cfg.OnReady = func() { close(ready) }
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- h.Run(ctx) }()
	<-ready

	var appends sync.WaitGroup
	defer appends.Wait()
	for range foldQueue + 30 {
		appends.Go(func() { // one block each; those that come too late are refused
			_ = h.journal.Append(context.Background(), journal.Record{Kind: journal.KindLogs, Payload: make([]byte, 256<<10)})
		})
	}
	(&client{t, h.URL()}).await("the writer to wait for the fold", func() bool {
		blocks, _ := h.journal.Written()
		return blocks >= foldQueue+2 && len(h.fold.queue) == foldQueue
	})
	cancel()
	<-h.fold.quit
	close(release)
	if err := <-ended; err == nil {
		t.Error("Run does not say that not all was stored in time")
	}
}

// The hub may be told to stop before it has begun to serve.
func TestRunEndedFromTheStartIsNoError(t *testing.T) {
	h, err := New(t.Context(), Config{
		Listen: "127.0.0.1:0", OTLPGRPC: "127.0.0.1:0", Data: t.TempDir(), Token: testToken, IngestToken: testIngest,
		Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	h.grpc.Stop() // as a stop does that overtakes the serving
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.Run(ctx); err != nil {
		t.Errorf("Run returned %v", err)
	}
}
