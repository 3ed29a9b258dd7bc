package otlp

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// stall begins a request over HTTP and sends no more than a part of its body.
func stall(t *testing.T, addr string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_, err = fmt.Fprintf(conn, "POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nAuthorization: Bearer %s\r\n"+
		"Content-Length: 100\r\n\r\nabc", typeProto, token)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// busy waits until n senders are being read from.
func busy(t *testing.T, r *Receiver, n int) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for len(r.readers) < n {
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatal("the senders are not there")
		}
	}
}

func TestStalledSendersDelayNobody(t *testing.T) {
	const stalled = 5
	r, store := newReceiver(func(c *Config) { c.MaxAtOnce, c.Stall = 1, time.Hour })
	s := httptest.NewServer(r.Handler(Traces))
	defer s.CloseClientConnections() // before Close, which waits for them
	t.Cleanup(s.Close)
	for range stalled {
		stall(t, s.Listener.Addr().String())
	}
	busy(t, r, stalled)
	if w := post(r, Traces, encoded(t, traces(plain))); w.Code != 200 || store.count() != 1 {
		t.Errorf("answer %d, %d stored; want 200, 1", w.Code, store.count())
	}
}

func TestStalledSenderIsLetGo(t *testing.T) {
	r, _ := newReceiver(func(c *Config) { c.Stall = 20 * time.Millisecond })
	s := httptest.NewServer(r.Handler(Traces))
	t.Cleanup(s.Close)
	answer, err := io.ReadAll(stall(t, s.Listener.Addr().String()))
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 503") {
		t.Errorf("answer %q (%v), want 503", answer, err)
	}
}

func TestStalledSendersOverGRPCDelayNobody(t *testing.T) {
	const stalled = 5
	r, store := newReceiver(func(c *Config) { c.MaxAtOnce, c.Stall = 1, time.Hour })
	conn := dial(t, r)
	ctx, cancel := context.WithCancel(withToken(t.Context(), token))
	defer cancel()
	for range stalled {
		openStream(ctx, t, conn)
	}
	busy(t, r, stalled)
	if _, err := ptraceotlp.NewGRPCClient(conn).Export(ctx, traces(plain)); err != nil || store.count() != 1 {
		t.Errorf("error %v, %d stored; want none, 1", err, store.count())
	}
}

func TestStalledSenderOverGRPCIsLetGo(t *testing.T) {
	r, _ := newReceiver(func(c *Config) { c.Stall = 20 * time.Millisecond })
	stream := openStream(withToken(t.Context(), token), t, dial(t, r))
	if err := stream.RecvMsg(&frame{}); status.Code(err) != codes.Unavailable {
		t.Errorf("error %v, want that its time is over", err)
	}
}

// openStream begins an export and sends no message.
func openStream(ctx context.Context, t *testing.T, conn *grpc.ClientConn) grpc.ClientStream {
	t.Helper()
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true},
		"/opentelemetry.proto.collector.trace.v1.TraceService/Export", grpc.ForceCodecV2(frameCodec{}))
	if err != nil {
		t.Fatal(err)
	}
	return stream
}
