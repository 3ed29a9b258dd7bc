package server

import (
	"context"
	"net"
	"net/http"
	"strings"
	"sync"
)

// local is a listener inside of this process: what belongs to the hub calls
// its API like everybody else, without a port, a certificate or a token in
// somebody else's hands.
type local struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newLocal() *local { return &local{conns: make(chan net.Conn), closed: make(chan struct{})} }

// Accept implements net.Listener.
func (l *local) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *local) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr implements net.Listener.
func (l *local) Addr() net.Addr { return localAddr{} }

type localAddr struct{}

// Network implements net.Addr.
func (localAddr) Network() string { return "local" }

// String implements net.Addr.
func (localAddr) String() string { return "localhost" }

func (l *local) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case l.conns <- far:
		return near, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// LocalURL is where Local's client finds the hub.
const LocalURL = "http://localhost"

// Local returns a client that calls this hub, at LocalURL, from within the
// process, as presenter and as emitter. It works while Run does.
func (h *Hub) Local() *http.Client {
	return &http.Client{Transport: &localTransport{h, h.local.transport()}}
}

func (l *local) transport() *http.Transport {
	return &http.Transport{DialContext: l.dial, DisableKeepAlives: true}
}

// localTransport adds the token that a request needs.
type localTransport struct {
	hub  *Hub
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t *localTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	token := t.hub.token.value
	if strings.HasPrefix(r.URL.Path, "/v1/") {
		token = t.hub.ingest.value
	}
	own := r.Clone(r.Context())
	own.Header.Set("Authorization", "Bearer "+token)
	return t.next.RoundTrip(own)
}
