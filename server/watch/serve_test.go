package watch

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"weak"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"
)

// served is a Hub behind a web server, running until the test ends.
type served struct {
	*Hub
	t    *testing.T
	url  string
	stop func()
}

func serve(t *testing.T, change ...func(*Config)) *served {
	t.Helper()
	h := ready(change...)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- h.Run(ctx) }()
	web := httptest.NewServer(h)
	s := &served{Hub: h, t: t, url: web.URL}
	s.stop = func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		h.Wait()
	}
	t.Cleanup(func() { s.stop(); web.Close() })
	stopOnce := s.stop
	stopped := false
	s.stop = func() {
		if !stopped {
			stopped = true
			stopOnce()
		}
	}
	return s
}

// connect watches with a query.
func (s *served) connect(query string) *websocket.Conn {
	s.t.Helper()
	conn, res, err := websocket.Dial(s.t.Context(), s.url+query, &websocket.DialOptions{Subprotocols: []string{Subprotocol}})
	if err != nil {
		s.t.Fatalf("connecting: %v (%v)", err, res)
	}
	conn.SetReadLimit(64 << 20)
	s.t.Cleanup(func() { _ = conn.CloseNow() })
	return conn
}

func next(t *testing.T, conn *websocket.Conn) anyFrame {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	_, data, err := conn.Read(ctx)
	if err != nil {
		t.Fatalf("reading a frame: %v", err)
	}
	return decode(t, data)
}

// until reads frames into c up to the one that reaches an offset.
func until(t *testing.T, conn *websocket.Conn, c *client, offset uint64) {
	t.Helper()
	for c.position.Offset < offset {
		c.apply(next(t, conn))
	}
}

func TestWebsocketFollowsAndResumes(t *testing.T) {
	s := serve(t)
	publish(s.Hub, 1, reconcile(1, "success"))
	c := newClient()
	conn := s.connect("")
	c.apply(next(t, conn))
	publish(s.Hub, 2, reconcile(2, "success"))
	until(t, conn, c, 2)
	_ = conn.CloseNow()
	publish(s.Hub, 3, reconcile(3, "error"))

	conn = s.connect("?from=" + c.position.String())
	until(t, conn, c, 3)
	c.want(t, s.Hub, Filter{})
	for _, kind := range c.types()[1:] {
		if kind != "rows" && kind != "bookmark" {
			t.Errorf("the resume was answered by a %s", kind)
		}
	}
}

func TestWrongRequestsAreAnsweredBeforeTheUpgrade(t *testing.T) {
	s := serve(t)
	for query, says := range map[string]string{
		"?from=nonsense":     "<epoch>:<offset>",
		"?from=k:1&from=k:2": "give it once",
		"?row=pod":           "use reconcile",
		"?verbose=1":         "use row, controller, item, result, since, limit, from",
	} {
		_, res, err := websocket.Dial(t.Context(), s.url+query, &websocket.DialOptions{Subprotocols: []string{Subprotocol}})
		if err == nil || res == nil || res.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %v, %v; want 400", query, res, err)
			continue
		}
		body := make([]byte, 500)
		n, _ := res.Body.Read(body)
		if !strings.Contains(string(body[:n]), says) {
			t.Errorf("%s is answered with %q, want %q", query, body[:n], says)
		}
	}
}

func TestOtherSubprotocolsAreClosed(t *testing.T) {
	s := serve(t)
	conn, _, err := websocket.Dial(t.Context(), s.url, &websocket.DialOptions{Subprotocols: []string{"chat"}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.CloseNow() }()
	if _, _, err := conn.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
		t.Errorf("closed with %v, want policy violation", err)
	}
}

func TestViewersAreToldWhenTheHubCloses(t *testing.T) {
	s := serve(t)
	conn := s.connect("")
	next(t, conn)
	go s.stop()
	var last anyFrame
	for {
		_, data, err := conn.Read(t.Context())
		if err == nil {
			last = decode(t, data)
			continue
		}
		if last.Type != "error" || last.Code != "closing" {
			t.Errorf("the last frame is %+v, want an error that says why", last)
		}
		if websocket.CloseStatus(err) != websocket.StatusGoingAway {
			t.Errorf("closed with %v, want going away", err)
		}
		return
	}
}

// TestSlowViewerDelaysNobody has one viewer that reads nothing at all while
// another must get every frame in time.
func TestSlowViewerDelaysNobody(t *testing.T) {
	s := serve(t, func(c *Config) { c.RingFrames = 8 })
	slow := s.connect("")
	quick, c := s.connect(""), newClient()
	c.apply(next(t, quick))
	const frames = 150
	fat := strings.Repeat("x", 100<<10)
	var took []time.Duration
	for i := range frames {
		r := reconcile(i, "success")
		r.Error = fat
		publish(s.Hub, uint64(i+1), r)
		began := time.Now()
		until(t, quick, c, uint64(i+1))
		took = append(took, time.Since(began))
	}
	// A machine under load may be late with a few; a viewer that waits for
	// another is late with all of them.
	slices.Sort(took)
	if half, most := took[frames/2], took[frames*95/100]; half > 200*time.Millisecond || most > time.Second {
		t.Errorf("half of the frames took up to %s, 95 of 100 up to %s", half, most)
	}
	// The slow one has fallen off, and converges when it reads on.
	sc := newClient()
	until(t, slow, sc, frames)
	sc.want(t, s.Hub, Filter{})
	if s.Stats().Lagged == 0 {
		t.Error("the slow viewer did not fall off the ring: the test shows nothing")
	}
}

// The viewer's machine is gone: nothing that it is sent is answered, and nothing
// is closed.
func TestViewerThatIsGoneWithoutAWordIsFound(t *testing.T) {
	s := serve(t, func(c *Config) { c.Ping = 20 * time.Millisecond })
	raw, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = raw.Close() }()
	_, err = raw.Write([]byte("GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: " + Subprotocol + "\r\n\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	_ = raw.SetReadDeadline(time.Now().Add(20 * time.Second))
	buf := make([]byte, 4096)
	for { // pings come, no pong goes
		if _, err := raw.Read(buf); err != nil {
			break
		}
	}
	left := make(chan struct{})
	go func() {
		defer close(left)
		s.Wait()
	}()
	select {
	case <-left:
	case <-time.After(10 * time.Second):
		t.Fatal("the viewer is still served")
	}
	if diff := cmp.Diff(0, s.Stats().Viewers); diff != "" {
		t.Errorf("viewers (-want +got):\n%s", diff)
	}
}

func TestViewerWhoDoesNotAnswerIsLetGoInTime(t *testing.T) {
	s := serve(t)
	conn := s.connect("")
	next(t, conn) // and reads no more, so that it does not see the close
	began := time.Now()
	s.stop()
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("the hub took %s to stop", took)
	}
}

// Thousands of viewers may come and go within the time of one ping; what waits
// for it must not keep hold of their connections.
func TestViewersWhoAreGoneLeaveNoTimerBehind(t *testing.T) {
	held := func() weak.Pointer[link] {
		l := &link{raw: &net.TCPConn{}}
		keepAlive(t.Context(), l, time.Hour, func(error) {})()
		return weak.Make(l)
	}()
	// The runtime lets go of a stopped timer when it next looks at its timers.
	for deadline := time.Now().Add(10 * time.Second); held.Value() != nil; runtime.GC() {
		if time.Now().After(deadline) {
			t.Fatal("the connection is held after its viewer is gone")
		}
		<-time.After(time.Millisecond)
	}
}
