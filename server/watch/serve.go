package watch

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"
)

// Subprotocol is the websocket subprotocol that viewers must ask for.
const Subprotocol = "tracer.v1"

// errClosing is why a viewer is let go.
var errClosing = errors.New("the hub is closing")

// ServeGuest lets a viewer watch: it upgrades the request and returns when the
// viewer is gone, falls silent, or the hub closes. A query that is wrong is
// answered with 400 and its reason before the upgrade. Who may watch, and from
// which origin, the caller has checked already.
func (h *Hub) ServeGuest(w http.ResponseWriter, r *http.Request, guest Guest) {
	h.serving.Add(1)
	defer h.serving.Done()
	v, err := h.join(r.URL.RawQuery, guest)
	if err != nil {
		refuse(w, err)
		return
	}
	defer v.leave()
	if !Upgrades(r) {
		refuse(w, errNoUpgrade)
		return
	}
	keep := &hijacker{ResponseWriter: w}
	conn, err := websocket.Accept(keep, r, &websocket.AcceptOptions{
		Subprotocols: []string{Subprotocol},
		// The caller's check is stricter: it compares the scheme too.
		InsecureSkipVerify: true,
	})
	if err != nil {
		return // Accept has answered
	}
	link := &link{conn, keep.conn}
	defer link.drop()
	if conn.Subprotocol() != Subprotocol {
		link.end(websocket.StatusPolicyViolation, "ask for the subprotocol "+Subprotocol)
		return
	}
	if guest.Full != "" {
		h.dismiss(r.Context(), link, websocket.StatusTryAgainLater, "full", errors.New(guest.Full))
		return
	}
	if guest.Joined != nil {
		defer guest.Joined()()
	}
	h.serve(r.Context(), link, v)
}

// errNoUpgrade is for who asks for the watch as for a file.
var errNoUpgrade = errors.New("this is a websocket: open it as one, with the subprotocol " + Subprotocol)

// Upgrades says whether a request asks for a websocket.
func Upgrades(r *http.Request) bool { return strings.EqualFold(r.Header.Get("Upgrade"), "websocket") }

// refuse answers in JSON, as all of the API does.
func refuse(w http.ResponseWriter, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(statusOf(err))
	body := json.NewEncoder(w)
	body.SetEscapeHTML(false)
	_ = body.Encode(map[string]string{"error": err.Error()})
}

// hijacker keeps hold of the network connection under a websocket.
type hijacker struct {
	http.ResponseWriter
	conn net.Conn
}

// Hijack implements http.Hijacker.
func (h *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(h.ResponseWriter).Hijack()
	h.conn = conn
	return conn, rw, err
}

// link is a viewer's websocket.
type link struct {
	*websocket.Conn
	raw net.Conn
}

// goodbye is how long a viewer has to answer that it was let go.
const goodbye = time.Second

// end lets a viewer go with a word. The library waits for the answer for up to
// ten seconds, which is longer than a hub that stops may take.
func (l *link) end(code websocket.StatusCode, reason string) {
	late := time.AfterFunc(goodbye, func() { _ = l.raw.Close() })
	defer late.Stop()
	_ = l.Close(code, reason)
}

// drop closes the connection without a word. It may be closed already.
func (l *link) drop() { _ = l.CloseNow() }

func (h *Hub) join(query string, guest Guest) (*viewer, error) {
	q, err := ParseQuery(query)
	if err != nil {
		return nil, &queryError{err}
	}
	f, err := ParseFilter(q, h.cfg.Now(), "from")
	if err != nil {
		return nil, &queryError{err}
	}
	raw, err := single(q, "from")
	if err != nil {
		return nil, &queryError{err}
	}
	if raw == "" {
		return h.subscribeBelow(h.feedsFor(guest), f, nil)
	}
	from, err := ParsePosition(raw)
	if err != nil {
		return nil, &queryError{err}
	}
	return h.subscribeBelow(h.feedsFor(guest), f, &from)
}

// feedsFor is how many feeds there may be, for a guest who asks for one more. A
// quarter is kept from the many: each can ask for as many as it has connections.
func (h *Hub) feedsFor(guest Guest) int {
	if guest.OfMany {
		return h.cfg.MaxFeeds - h.cfg.MaxFeeds/4
	}
	return h.cfg.MaxFeeds
}

// queryError is a fault in what the viewer asked for.
type queryError struct{ error }

func (e *queryError) Unwrap() error { return e.error }

func statusOf(err error) int {
	if _, ok := errors.AsType[*queryError](err); ok {
		return http.StatusBadRequest
	}
	if errors.Is(err, errNoUpgrade) {
		return http.StatusUpgradeRequired
	}
	return http.StatusServiceUnavailable
}

func (h *Hub) serve(parent context.Context, conn *link, v *viewer) {
	ctx, lost := context.WithCancelCause(parent)
	defer lost(nil)
	listening := make(chan struct{})
	go func() {
		defer close(listening)
		// With parent, since the end of a reader's context ends the connection,
		// and a last word is to be said.
		lost(h.listen(parent, conn, v))
	}()
	stop := keepAlive(ctx, conn, h.cfg.Ping, lost)
	if errors.Is(h.feed(ctx, conn, v), errClosing) {
		h.dismiss(parent, conn, websocket.StatusGoingAway, "closing", errClosing)
	}
	lost(nil) // before stop, so that a ping under way sets no other timer
	stop()
	conn.drop()
	<-listening
}

// dismiss tells a viewer in a last frame why it is let go, and closes.
func (h *Hub) dismiss(ctx context.Context, conn *link, status websocket.StatusCode, code string, why error) {
	ctx, cancel := context.WithTimeout(ctx, goodbye)
	defer cancel()
	if err := conn.Write(ctx, websocket.MessageText, encodeError(code, why.Error(), h.stamp(h.cfg.Now()))); err != nil {
		return // it reads no more, and will not read the close either
	}
	conn.end(status, why.Error())
}

// listen answers pings and closes, which takes somebody who reads, and hears what
// the viewer pins. It returns when the viewer is gone. What is wrong is answered,
// and changes nothing.
func (h *Hub) listen(ctx context.Context, conn *link, v *viewer) error {
	for {
		kind, data, err := conn.Read(ctx)
		if err != nil {
			return err
		}
		it, wrong := parsePin(kind, data)
		if wrong == nil {
			wrong = v.pin(it)
		}
		if wrong == nil {
			continue
		}
		if err := h.write(ctx, conn, message{encodeError("pin", wrong.Error(), h.stamp(h.cfg.Now()))}); err != nil {
			return err
		}
	}
}

// feed sends a viewer what it is to get until ctx ends.
func (h *Hub) feed(ctx context.Context, conn *link, v *viewer) error {
	for {
		msgs, err := v.wait(ctx)
		if err != nil {
			return err
		}
		for _, m := range msgs {
			if err := h.write(ctx, conn, m); err != nil {
				return err
			}
		}
		h.written.Add(int64(len(msgs)))
	}
}

func (h *Hub) write(ctx context.Context, conn *link, m message) error {
	ctx, cancel := context.WithTimeout(ctx, h.cfg.WriteTimeout)
	defer cancel()
	if len(m) == 1 {
		return conn.Write(ctx, websocket.MessageText, m[0])
	}
	w, err := conn.Writer(ctx, websocket.MessageText)
	if err != nil {
		return err
	}
	for _, part := range m {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return w.Close()
}

// keepAlive finds viewers that are gone without a word, until stop is called or
// ctx ends. It has a goroutine only while it waits for an answer, since
// thousands of viewers have one each.
func keepAlive(ctx context.Context, conn *link, every time.Duration, gone context.CancelCauseFunc) (stop func()) {
	var timer *time.Timer
	set := make(chan struct{}) // closed when timer is there: it may fire at once
	timer = time.AfterFunc(every, func() {
		<-set
		if ctx.Err() != nil {
			return
		}
		within, cancel := context.WithTimeout(ctx, every)
		defer cancel()
		if err := conn.Ping(within); err != nil {
			gone(err)
			return
		}
		timer.Reset(every)
		if ctx.Err() != nil {
			timer.Stop() // it has ended meanwhile, and stop was called too early
		}
	})
	close(set)
	return func() { timer.Stop() }
}
