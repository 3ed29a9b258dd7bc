package otlp

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	_ "google.golang.org/grpc/encoding/gzip" // emitters compress with it
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/tap"
	"google.golang.org/protobuf/types/known/durationpb"
)

// GRPC makes a server for the trace and the log service. The caller serves and
// stops it. Bodies reach the handler undecoded, so that nothing is parsed for
// somebody who may not send.
func (r *Receiver) GRPC(opts ...grpc.ServerOption) *grpc.Server {
	opts = append([]grpc.ServerOption{
		grpc.ForceServerCodecV2(frameCodec{}),
		grpc.InTapHandle(r.tap),
		// The limit holds for the decompressed message too: gRPC stops
		// decompressing at it.
		grpc.MaxRecvMsgSize(int(r.cfg.MaxBody)),
		grpc.MaxHeaderListSize(16 << 10),
		grpc.MaxConcurrentStreams(64),
		grpc.ConnectionTimeout(10 * time.Second),
		grpc.KeepaliveParams(keepalive.ServerParameters{MaxConnectionIdle: 10 * time.Minute, Time: time.Minute}),
	}, opts...)
	s := grpc.NewServer(opts...)
	s.RegisterService(r.service("opentelemetry.proto.collector.trace.v1.TraceService", Traces), r)
	s.RegisterService(r.service("opentelemetry.proto.collector.logs.v1.LogsService", Logs), r)
	return s
}

func (r *Receiver) service(name string, kind Kind) *grpc.ServiceDesc {
	export := func(_ any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
		answer, err := r.export(ctx, kind, decode)
		if err != nil {
			r.refused.Add(1)
			return nil, statusError(err)
		}
		return &frame{answer}, nil
	}
	return &grpc.ServiceDesc{
		ServiceName: name,
		HandlerType: (*any)(nil),
		Methods:     []grpc.MethodDesc{{MethodName: "Export", Handler: export}},
	}
}

// tap turns away who may not send before a byte of the body is read or
// decompressed. The handler checks again: this one is only for the load.
func (r *Receiver) tap(ctx context.Context, info *tap.Info) (context.Context, error) {
	if values := info.Header.Get("authorization"); len(values) != 1 || !r.cfg.Authorize(Bearer(values[0])) {
		r.refused.Add(1)
		return nil, statusError(errNoToken)
	}
	return ctx, nil
}

var errNoToken = &refusal{codes.Unauthenticated, "the metadata must have authorization: Bearer <ingest token>"}

func (r *Receiver) export(ctx context.Context, kind Kind, decode func(any) error) ([]byte, error) {
	if !r.cfg.Authorize(metadataToken(ctx)) {
		return nil, errNoToken
	}
	body, err := r.receive(ctx, decode)
	if err != nil {
		return nil, err
	}
	leave, err := enter(ctx, r.slots)
	if err != nil {
		return nil, err
	}
	defer leave()
	return r.accept(ctx, kind, body, false)
}

// receive waits for the message, which decode reads from the network, but not
// for ever. Who returns before decode does ends the stream, and so decode.
func (r *Receiver) receive(ctx context.Context, decode func(any) error) ([]byte, error) {
	leave, err := enter(ctx, r.readers)
	if err != nil {
		return nil, err
	}
	defer leave()
	late := time.NewTimer(r.cfg.Stall)
	defer late.Stop()
	var body frame
	came := make(chan error, 1)
	go func() { came <- decode(&body) }()
	select {
	case err := <-came:
		if err != nil {
			return nil, &refusal{codes.InvalidArgument, fmt.Sprintf("reading the message: %v: nothing was stored", err)}
		}
		return body.data, nil
	case <-late.C:
		return nil, errSlow
	}
}

func metadataToken(ctx context.Context) string {
	if values := metadata.ValueFromIncomingContext(ctx, "authorization"); len(values) == 1 {
		return Bearer(values[0])
	}
	return ""
}

// statusError adds when to try again, which emitters heed, to those refusals
// that trying again can help.
func statusError(err error) error {
	ref := asRefusal(err)
	st := status.New(ref.code, legible(ref.reason))
	if ref.code == codes.ResourceExhausted || ref.code == codes.Unavailable {
		if with, err := st.WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(time.Second)}); err == nil {
			st = with
		}
	}
	return st.Err()
}

// frame is a message that is not decoded.
type frame struct{ data []byte }

// frameCodec passes messages through as they are on the wire.
type frameCodec struct{}

// Name is that of the encoding on the wire.
func (frameCodec) Name() string { return "proto" }

// Marshal implements encoding.CodecV2.
func (frameCodec) Marshal(v any) (mem.BufferSlice, error) {
	f, ok := v.(*frame)
	if !ok {
		return nil, fmt.Errorf("the message is a %T, not a frame", v)
	}
	return mem.BufferSlice{mem.SliceBuffer(f.data)}, nil
}

// Unmarshal implements encoding.CodecV2. Materialize copies: gRPC uses the
// buffers again.
func (frameCodec) Unmarshal(data mem.BufferSlice, v any) error {
	f, ok := v.(*frame)
	if !ok {
		return fmt.Errorf("the message is a %T, not a frame", v)
	}
	f.data = data.Materialize()
	return nil
}
