package tracer

import (
	"context"
	"net/http"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
)

// Tracer traces one controller. A nil one is off.
type Tracer struct{}

// Start starts tracing. Without an endpoint it returns a Tracer that is off.
// An error says which setting is wrong. ctx bounds the start alone: tracing
// goes on until Shutdown.
func Start(ctx context.Context, cfg Config) (*Tracer, error) {
	_, err := cfg.withDefaults()
	return &Tracer{}, err
}

// Shutdown sends what is buffered, for as long as ctx allows, and stops. From
// then on the tracer is off. The error says that ctx ended it.
func (t *Tracer) Shutdown(ctx context.Context) error { return nil }

// Enabled tells whether anything is recorded.
func (t *Tracer) Enabled() bool { return false }

// Dropped counts the spans and log records that could not be kept or sent.
func (t *Tracer) Dropped() int64 { return 0 }

// Transport wraps the transport of a client: rest.Config.Wrap(t.Transport).
// Requests whose context is a reconcile's become read and write spans; all
// others, watches and connections pass untouched.
func (t *Tracer) Transport(next http.RoundTripper) http.RoundTripper { return next }

// Indexer returns a view of an informer's indexer whose reads are recorded
// with ctx's reconcile. It lives as long as the reconcile and costs nothing
// to make; listers are built on it (listers.NewPodLister). A ctx without a
// reconcile gives indexer itself.
func (t *Tracer) Indexer(ctx context.Context, gvk schema.GroupVersionKind, indexer cache.Indexer) cache.Indexer {
	return indexer
}

// Workers tells how many workers the controller runs.
func (t *Tracer) Workers(n int) {}

// Lease tells about leader election: semconv.LeaseNone (the default),
// LeaseWaiting or LeaseLeading.
func (t *Tracer) Lease(state string) {}

// Stopping tells that the controller has begun to stop.
func (t *Tracer) Stopping() {}

// WatchSync makes the start of a kind's cache visible; hasSynced is an
// informer's HasSynced, which is polled until it is true.
func (t *Tracer) WatchSync(kind string, hasSynced func() bool) {}

// WatchErrorHandler wraps an informer's watch error handler (nil:
// cache.DefaultWatchErrorHandler) so that the error's type is shown for kind
// until its next event or for a minute:
// informer.SetWatchErrorHandler(t.WatchErrorHandler("Pod", nil)).
func (t *Tracer) WatchErrorHandler(kind string, next cache.WatchErrorHandler) cache.WatchErrorHandler {
	return next
}
