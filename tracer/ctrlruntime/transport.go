package ctrlruntime

import "net/http"

// transport records the requests whose context is a pass's with the tracer of
// that pass, so that controllers can share one client.
type transport struct{ next http.RoundTripper }

func newTransport(next http.RoundTripper) http.RoundTripper {
	if next == nil {
		next = http.DefaultTransport
	}
	return &transport{next}
}

// WrappedRoundTripper returns the transport below, as client-go asks for.
func (t *transport) WrappedRoundTripper() http.RoundTripper { return t.next }

// RoundTrip sends a request.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if p := passOf(req.Context()); p != nil {
		return p.tracer.Transport(t.next).RoundTrip(req)
	}
	return t.next.RoundTrip(req)
}
