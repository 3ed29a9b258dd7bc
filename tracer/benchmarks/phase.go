package main

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"

	"github.com/reconcile-tracer/tracer/tracer"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

var widget = schema.GroupVersionKind{Version: "v1", Kind: "Pod"}

// ignore is a processor that keeps nothing.
type ignore struct{}

func (ignore) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (ignore) OnEnd(sdktrace.ReadOnlySpan)                     {}
func (ignore) Shutdown(context.Context) error                  { return nil }
func (ignore) ForceFlush(context.Context) error                { return nil }

// bareSDK is an SDK that makes every span and sends none.
func bareSDK() *sdktrace.TracerProvider {
	return sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.AlwaysSample()), sdktrace.WithSpanProcessor(ignore{}))
}

// traced is a tracer and a queue of its own; end stops both. An empty endpoint
// is off.
func traced(endpoint string) (t *tracer.Tracer, q *tracer.Queue[string], end func(), err error) {
	t, err = tracer.Start(context.Background(), tracer.Config{
		Controller: "bench", For: widget, Endpoint: endpoint, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, nil, nil, err
	}
	q = tracer.NewQueue[string](t, nil, tracer.QueueConfig[string]{})
	return t, q, func() {
		q.ShutDown()
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		// A hub that is gone by then is no reason to fail.
		_ = t.Shutdown(ctx)
	}, nil
}

// reconciling is a context of a reconcile under way.
func reconciling(q *tracer.Queue[string]) context.Context {
	q.Add("default/a")
	item, _ := q.Get()
	return q.Context(context.Background(), item)
}

// phases marks n phases.
func phases(ctx context.Context) func(n int) {
	names := [...]string{semconv.SpanFetch, semconv.SpanCompute, semconv.SpanApply}
	return func(n int) {
		for i := range n {
			tracer.Phase(ctx, names[i%len(names)])
		}
	}
}

// bareSpans makes n spans of the SDK below one root.
func bareSpans(t trace.Tracer, attrs ...attribute.KeyValue) func(n int) {
	ctx, _ := t.Start(context.Background(), "root")
	return func(n int) {
		for range n {
			_, span := t.Start(ctx, semconv.SpanCompute)
			if len(attrs) > 0 {
				span.SetAttributes(attrs...)
			}
			span.End()
		}
	}
}

// reads makes n cache reads through a reconcile's view of an indexer.
func reads(ctx context.Context, t *tracer.Tracer) func(n int) {
	store := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	_ = store.Add(&metav1.ObjectMeta{Namespace: "default", Name: "a", UID: "u", ResourceVersion: "1"}) // never fails
	view := t.Indexer(ctx, widget, store)
	return func(n int) {
		for range n {
			_, _, _ = view.GetByKey("default/a") // never fails
		}
	}
}

// readAttributes are those that a cache read's span carries.
var readAttributes = []attribute.KeyValue{
	attribute.String(semconv.AttrReadSource, semconv.ReadCache),
	attribute.String(semconv.AttrReadKind, "Pod"),
	attribute.Int(semconv.AttrReadCount, 1),
}

// canned is a transport that answers each request with the same Pod.
type canned struct {
	contentType string
	body        []byte
}

func (c canned) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		_ = req.Body.Close()
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {c.contentType}},
		Body: newBody(c.body), ContentLength: int64(len(c.body)), Request: req,
	}, nil
}
