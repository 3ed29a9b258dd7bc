package otlp

import (
	"context"
	"net"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// dial serves a Receiver over gRPC and connects to it.
func dial(t *testing.T, r *Receiver) *grpc.ClientConn {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := r.GRPC()
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Serve(l) }()
	conn, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(); s.Stop(); <-done })
	return conn
}

func withToken(ctx context.Context, token string) context.Context {
	return metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token)
}

func TestGRPCStores(t *testing.T) {
	for name, opts := range map[string][]grpc.CallOption{"plain": nil, "gzip": {grpc.UseCompressor(gzip.Name)}} {
		t.Run(name, func(t *testing.T) {
			r, store := newReceiver()
			conn := dial(t, r)
			ctx := withToken(t.Context(), token)
			if _, err := ptraceotlp.NewGRPCClient(conn).Export(ctx, traces(plain), opts...); err != nil {
				t.Fatal(err)
			}
			if _, err := plogotlp.NewGRPCClient(conn).Export(ctx, logs(func(plog.LogRecord) {}), opts...); err != nil {
				t.Fatal(err)
			}
			if store.count() != 2 || len(store.all[0].batch.Spans) != 1 || len(store.all[1].batch.Logs) != 1 {
				t.Errorf("stored %+v, want one span and one record", store.all)
			}
		})
	}
}

func TestGRPCRefuses(t *testing.T) {
	large := func(s ptrace.Span) { s.Attributes().PutStr("a", strings.Repeat("x", 9<<20)) }
	for name, c := range map[string]struct {
		ctx  func(context.Context) context.Context
		fill func(ptrace.Span)
		err  error
		code codes.Code
	}{
		"no token":    {func(ctx context.Context) context.Context { return ctx }, plain, nil, codes.Unauthenticated},
		"wrong token": {func(ctx context.Context) context.Context { return withToken(ctx, "other") }, plain, nil, codes.Unauthenticated},
		"two tokens": {func(ctx context.Context) context.Context { return withToken(withToken(ctx, "other"), token) }, plain, nil,
			codes.Unauthenticated},
		"too large": {func(ctx context.Context) context.Context { return withToken(ctx, token) }, large, nil, codes.ResourceExhausted},
		"full":      {func(ctx context.Context) context.Context { return withToken(ctx, token) }, plain, ErrBusy, codes.ResourceExhausted},
	} {
		t.Run(name, func(t *testing.T) {
			r, store := newReceiver()
			store.err = c.err
			_, err := ptraceotlp.NewGRPCClient(dial(t, r)).Export(c.ctx(t.Context()), traces(c.fill), grpc.UseCompressor(gzip.Name))
			if status.Code(err) != c.code {
				t.Errorf("error %v, want code %v", err, c.code)
			}
			if c.err != nil && len(status.Convert(err).Details()) == 0 {
				t.Error("the refusal does not say when to try again")
			}
			if store.count() != 0 {
				t.Error("something was stored")
			}
		})
	}
}

func TestGRPCSaysWhatItLeftOut(t *testing.T) {
	r, _ := newReceiver()
	over := func(s ptrace.Span) { s.Attributes().PutStr("a", strings.Repeat("x", 17<<10)) }
	res, err := ptraceotlp.NewGRPCClient(dial(t, r)).Export(withToken(t.Context(), token), traces(plain, over))
	if err != nil || res.PartialSuccess().RejectedSpans() != 1 {
		t.Errorf("%d rejected (%v), want 1", res.PartialSuccess().RejectedSpans(), err)
	}
}
