package ctrlruntime

import (
	"net/http"

	"github.com/reconcile-tracer/tracer/tracer"
)

// transport records the requests of a pass with the tracer of
// that pass, so that controllers can share one client.
type transport struct {
	next    http.RoundTripper
	watches *tracer.Watches
}

func (s *setup) newTransport(next http.RoundTripper) http.RoundTripper {
	if next == nil {
		next = http.DefaultTransport
	}
	return &transport{next, s.watches}
}

// WrappedRoundTripper returns the transport below, as client-go asks for.
func (t *transport) WrappedRoundTripper() http.RoundTripper { return t.next }

// RoundTrip sends a request.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, p := within(req.Context())
	if p == nil {
		return t.watches.RoundTrip(t.next, req)
	}
	return p.tracer.Transport(t.next).RoundTrip(req.WithContext(ctx))
}
