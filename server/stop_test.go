package server

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"net"
	"strings"
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

// halfAsked begins a request, sends half of its body, and returns once that is
// read. What it returns sends the other half and gives the answer's status line.
func halfAsked(t *testing.T, addr, method, path, token string) (finish func() string) {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_, err = fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
		"Content-Length: 2\r\nExpect: 100-continue\r\n\r\n", method, path, addr, token)
	in := bufio.NewReader(conn)
	if line, bad := in.ReadString('\n'); err != nil || bad != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("%s %s is answered %q: %v, %v", method, path, line, err, bad)
	}
	_, _ = in.ReadString('\n')
	_, _ = conn.Write([]byte("{"))
	return func() string {
		_, _ = conn.Write([]byte("}"))
		line, _ := in.ReadString('\n')
		return line
	}
}

// A viewer who takes all the time that there is must take it from nobody else.
func TestAllListenersStopAtOnce(t *testing.T) {
	h, _ := sharing(t)
	viewer := halfAsked(t, h.ShareAddr(), "PUT", "/api/v1/room/following", testViewer)
	emitter := halfAsked(t, h.Addr(), "POST", "/v1/traces", testIngest)
	h.cancel()
	for _, addr := range []string{h.Addr(), h.ShareAddr()} {
		h.client.await("nobody to be let in", func() bool {
			conn, err := net.Dial("tcp", addr)
			if err == nil {
				_ = conn.Close()
			}
			return err != nil
		})
	}
	if line := emitter(); !strings.Contains(line, "200") {
		t.Errorf("the emitter is answered %q", line)
	}
	if line := viewer(); !strings.Contains(line, "409") {
		t.Errorf("the viewer is answered %q", line)
	}
	h.stop()
}
