package reconciler

import (
	"io"
	"net/http"
	"strings"
	"sync"
)

// roundTripper is a function as a transport.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// gate lets through while it is open.
type gate struct {
	mu   sync.Mutex
	open chan struct{}
}

func newGate() *gate {
	g := &gate{open: make(chan struct{})}
	close(g.open)
	return g
}

func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open = make(chan struct{})
}

func (g *gate) lift() {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.open)
}

// wait returns when the gate is open or done ends.
func (g *gate) wait(done <-chan struct{}) {
	g.mu.Lock()
	open := g.open
	g.mu.Unlock()
	select {
	case <-open:
	case <-done:
	}
}

// holdWatches delays the events of a resource's watch while g is shut.
func holdWatches(resource string, g *gate) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			response, err := next.RoundTrip(r)
			if err == nil && r.URL.Query().Has("watch") && strings.HasSuffix(r.URL.Path, "/"+resource) {
				response.Body = gatedBody{response.Body, g, r.Context().Done()}
			}
			return response, err
		})
	}
}

// gatedBody reads first and waits then, so that an event that was on its way
// when the gate was shut is held too.
type gatedBody struct {
	io.ReadCloser
	gate *gate
	done <-chan struct{}
}

func (b gatedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.gate.wait(b.done)
	return n, err
}

// before calls hook with each request that has the method and a path that ends
// in suffix, before it is sent.
func before(method, suffix string, hook func(*http.Request)) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			if r.Method == method && strings.HasSuffix(r.URL.Path, suffix) {
				hook(r)
			}
			return next.RoundTrip(r)
		})
	}
}
