package server

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// addressLimit counts the connections of each address. Those over the limit are
// answered, so that they hear of it, up to as many again; then they are closed.
type addressLimit struct {
	net.Listener
	most int

	mu   sync.Mutex
	open map[string]int
}

func newAddressLimit(l net.Listener, most int) *addressLimit {
	return &addressLimit{Listener: l, most: most, open: map[string]int{}}
}

// Accept implements net.Listener.
func (l *addressLimit) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		host := hostOf(conn.RemoteAddr().String())
		n := l.count(host, 1)
		counted := &countedConn{Conn: conn, over: n > l.most, left: sync.OnceFunc(func() { l.count(host, -1) })}
		if n <= 2*l.most {
			return counted, nil
		}
		_ = counted.Close()
	}
}

func (l *addressLimit) count(host string, by int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.open[host] + by
	if l.open[host] = n; n == 0 {
		delete(l.open, host)
	}
	return n
}

// countedConn is counted until it is closed, also by a websocket.
type countedConn struct {
	net.Conn
	over bool
	left func()
}

// Close implements net.Conn.
func (c *countedConn) Close() error {
	defer c.left()
	return c.Conn.Close()
}

// crowdedKey marks a connection that is over the limit of its address.
type crowdedKey struct{}

// markCrowded is a server's ConnContext. TLS may stand around the counted
// connection.
func markCrowded(ctx context.Context, conn net.Conn) context.Context {
	if over, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = over.NetConn()
	}
	if c, ok := conn.(*countedConn); ok && c.over {
		return context.WithValue(ctx, crowdedKey{}, true)
	}
	return ctx
}

func crowded(r *http.Request) bool { return r.Context().Value(crowdedKey{}) != nil }
