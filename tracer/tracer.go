package tracer

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/reconcile-tracer/tracer/tracer/control"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// shutdownAtMost bounds a Shutdown whose ctx has no deadline.
const shutdownAtMost = 5 * time.Second

// live counts the tracers that are on, so that Phase and its like cost one
// atomic load when there is none.
var live atomic.Int32

// Tracer traces one controller. A nil one is off.
type Tracer struct {
	cfg      Config
	on       atomic.Bool
	provider *sdktrace.TracerProvider
	otel     trace.Tracer
	spans    *spanBuffer
	records  *recordBuffer
	writes   *ownWrites
	digests  *digests
	state    *controllerState
	drops    drops
	stop     chan struct{}
	abort    context.CancelFunc
	running  sync.WaitGroup
	client   *http.Client
	control  *control.Debugger // nil: no commands are taken
	detach   context.CancelFunc
	held     heldWorkers
	unread   sync.Once // see unreadable
}

// Start starts tracing. Without an endpoint it returns a Tracer that is off.
// An error says which setting is wrong. ctx bounds the start alone: tracing
// goes on until Shutdown.
func Start(ctx context.Context, cfg Config) (*Tracer, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	t := &Tracer{cfg: cfg, writes: newOwnWrites(), digests: newDigests(), state: newControllerState(cfg)}
	if cfg.Endpoint == "" {
		return t, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("starting the tracer: %w", err)
	}
	t.spans = newSpanBuffer(cfg.BufferSpans)
	t.records = newRecordBuffer()
	t.provider = newProvider(t.spans)
	t.otel = t.provider.Tracer(semconv.ScopeName, trace.WithInstrumentationVersion(semconv.Version))
	t.launch()
	return t, nil
}

// launch starts the goroutines and turns the tracer on.
func (t *Tracer) launch() {
	ctx, cancel := context.WithCancel(context.Background())
	t.abort, t.stop = cancel, make(chan struct{})
	id := identity{resource: newResource(t.cfg), epoch: randomHex(8)}
	t.client = newHubClient()
	spans := t.sender("/v1/traces", source{t.spans.wake, func(buf []byte) ([]byte, int) {
		batch, ok := t.spans.take()
		if !ok {
			return nil, 0
		}
		return id.encodeSpans(buf, batch), len(batch.spans)
	}, t.spans.lose, t.spans.lost})
	records := t.sender("/v1/logs", source{t.records.wake, func(buf []byte) ([]byte, int) {
		batch := t.records.take()
		if len(batch) == 0 {
			return nil, 0
		}
		return id.encodeRecords(buf, batch, t.spans.lost()), len(batch)
	}, t.records.lose, t.records.lost})
	t.running.Go(func() { spans.run(ctx) })
	t.running.Go(func() { records.run(ctx) })
	t.running.Go(func() { t.state.run(t.stop, t.put) })
	t.on.Store(true)
	live.Add(1)
	t.attach()
}

func (t *Tracer) sender(path string, src source) *sender {
	return &sender{
		url:     strings.TrimRight(t.cfg.Endpoint, "/") + path,
		headers: t.cfg.Headers,
		client:  t.client,
		log:     t.cfg.Logger,
		source:  src,
		stop:    t.stop,
		plain:   t.cfg.plain,
	}
}

// Shutdown sends what is buffered, for as long as ctx allows (5 s if it has no
// deadline), and stops. From then on the tracer is off. The error says that
// time ran out; what was left then counts as dropped.
func (t *Tracer) Shutdown(ctx context.Context) error {
	if t == nil || !t.on.CompareAndSwap(true, false) {
		return nil
	}
	live.Add(-1)
	t.detach() // first, so that nobody is held any more
	ctx, cancel := context.WithTimeoutCause(ctx, shutdownAtMost, context.DeadlineExceeded)
	defer cancel()
	// Spans that end from here on are nobody's: the provider makes no more.
	_ = t.provider.Shutdown(ctx)
	t.state.stop()
	t.put(semconv.LogControllerState, t.state.record)
	unhook := context.AfterFunc(ctx, t.abort)
	close(t.stop)
	t.running.Wait()
	late := !unhook()
	t.abort()
	t.client.CloseIdleConnections()
	if late {
		return fmt.Errorf("shutting the tracer down: sending what is buffered: %w", context.Cause(ctx))
	}
	return nil
}

// Enabled tells whether anything is recorded.
func (t *Tracer) Enabled() bool { return t != nil && t.on.Load() }

// Dropped counts the spans and log records that could not be kept or sent.
func (t *Tracer) Dropped() int64 {
	if t == nil || t.spans == nil {
		return 0
	}
	return t.spans.lost() + t.records.lost()
}

// put has a log record sent, the newest of its key.
func (t *Tracer) put(key string, r func() record) {
	if t.records != nil {
		t.records.put(key, r)
	}
}

// processor hands finished spans to the buffer.
type processor struct{ spans *spanBuffer }

// OnStart does nothing: what stays open is announced by its reconcile.
func (p processor) OnStart(context.Context, sdktrace.ReadWriteSpan) {}

// OnEnd numbers the span and keeps it until it is sent.
func (p processor) OnEnd(s sdktrace.ReadOnlySpan) { p.spans.put(s) }

// Shutdown does nothing: the Tracer's Shutdown sends what is buffered.
func (p processor) Shutdown(context.Context) error { return nil }

// ForceFlush does nothing: nothing waits for longer than 25 ms anyway.
func (p processor) ForceFlush(context.Context) error { return nil }

// maxText is the longest text of a span's attribute, in bytes: what is longer is
// cut there.
const maxText = 4096

// newProvider makes a provider of our own: a user's would bring its sampler,
// and with the default limits the 129th event pushes out the first. The limits
// are those that the hub takes: what a span has over them is let go here, the
// oldest events and links first, and never the whole span there.
func newProvider(spans *spanBuffer) *sdktrace.TracerProvider {
	return sdktrace.NewTracerProvider(
		sdktrace.WithSampler(sdktrace.AlwaysSample()),
		sdktrace.WithIDGenerator(ids{}),
		sdktrace.WithSpanProcessor(processor{spans}),
		sdktrace.WithRawSpanLimits(sdktrace.SpanLimits{
			AttributeValueLengthLimit:   maxText,
			AttributeCountLimit:         semconv.MaxAttributes - 1, // the span's number is one too
			EventCountLimit:             semconv.MaxEvents,
			LinkCountLimit:              semconv.MaxLinks,
			AttributePerEventCountLimit: 64,
			AttributePerLinkCountLimit:  16,
		}))
}

func newResource(cfg Config) []attribute.KeyValue {
	attrs := []attribute.KeyValue{
		attribute.String(semconv.AttrServiceName, cfg.ServiceName),
		attribute.String(semconv.AttrServiceInstanceID, randomUUID()),
	}
	if pod := podName(); pod != "" {
		attrs = append(attrs, attribute.String(semconv.AttrPodName, pod))
	}
	return attrs
}

// podName is the pod's name in a cluster, empty elsewhere.
func podName() string {
	if name := os.Getenv("POD_NAME"); name != "" {
		return name
	}
	if os.Getenv("KUBERNETES_SERVICE_HOST") == "" {
		return ""
	}
	return os.Getenv("HOSTNAME")
}

func randomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// randomUUID makes a version 4 UUID.
func randomUUID() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// newRoot starts the root span of a reconcile. Of ctx only a given trace id is
// used.
func (t *Tracer) newRoot(ctx context.Context, namespace, name string, worker int, since time.Time) trace.Span {
	_, root := t.otel.Start(ctx, semconv.SpanReconcilePrefix+t.cfg.Controller,
		trace.WithNewRoot(), trace.WithTimestamp(since), trace.WithAttributes(t.objectRef(namespace, name)...))
	root.SetAttributes(
		attribute.String(semconv.AttrController, t.cfg.Controller),
		attribute.String(semconv.AttrID, root.SpanContext().TraceID().String()),
		attribute.Int(semconv.AttrWorker, worker))
	return root
}

// objectRef names an object of the kind that is reconciled.
func (t *Tracer) objectRef(namespace, name string) []attribute.KeyValue {
	attrs := []attribute.KeyValue{attribute.String(semconv.AttrObjectName, name)}
	if namespace != "" {
		attrs = append(attrs, attribute.String(semconv.AttrNamespace, namespace))
	}
	if gvk := t.cfg.For; gvk.Kind != "" {
		attrs = append(attrs,
			attribute.String(semconv.AttrObjectKind, gvk.Kind),
			attribute.String(semconv.AttrObjectAPIVersion, gvk.GroupVersion().String()))
	}
	return attrs
}
