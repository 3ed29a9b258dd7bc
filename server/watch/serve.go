package watch

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/coder/websocket"
)

// Subprotocol is the websocket subprotocol that viewers must ask for.
const Subprotocol = "tracer.v1"

var errClosing = errors.New("the hub is closing")

// ServeHTTP lets a viewer watch: it upgrades the request and returns when the
// viewer is gone, falls silent, or the hub closes. A query that is wrong is
// answered with 400 and its reason before the upgrade. Who may watch, and from
// which origin, the caller has checked already.
func (h *Hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.serving.Add(1)
	defer h.serving.Done()
	v, err := h.join(r.URL.Query())
	if err != nil {
		http.Error(w, err.Error(), statusOf(err))
		return
	}
	defer v.leave()
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		Subprotocols: []string{Subprotocol},
		// The caller's check is stricter: it compares the scheme too.
		InsecureSkipVerify: true,
	})
	if err != nil {
		return // Accept has answered
	}
	defer conn.CloseNow()
	if conn.Subprotocol() != Subprotocol {
		_ = conn.Close(websocket.StatusPolicyViolation, "ask for the subprotocol "+Subprotocol)
		return
	}
	h.serve(r.Context(), conn, v)
}

func (h *Hub) join(q url.Values) (*viewer, error) {
	f, err := ParseFilter(q, h.cfg.Now(), "from")
	if err != nil {
		return nil, &queryError{err}
	}
	raw, err := single(q, "from")
	if err != nil {
		return nil, &queryError{err}
	}
	if raw == "" {
		return h.subscribe(f, nil)
	}
	from, err := ParsePosition(raw)
	if err != nil {
		return nil, &queryError{err}
	}
	return h.subscribe(f, &from)
}

// queryError is a fault in what the viewer asked for.
type queryError struct{ error }

func (e *queryError) Unwrap() error { return e.error }

func statusOf(err error) int {
	if _, ok := errors.AsType[*queryError](err); ok {
		return http.StatusBadRequest
	}
	return http.StatusServiceUnavailable
}

func (h *Hub) serve(parent context.Context, conn *websocket.Conn, v *viewer) {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	// Viewers have nothing to say: CloseRead answers pings and closes, and ends
	// ctx when the viewer goes or sends anything.
	ctx = conn.CloseRead(ctx)
	keepAlive(ctx, conn, h.cfg.Ping, cancel)
	for {
		msgs, err := v.wait(ctx)
		if errors.Is(err, errClosing) {
			_ = conn.Close(websocket.StatusGoingAway, "the hub is closing")
		}
		if err != nil {
			return
		}
		for _, m := range msgs {
			if err := h.write(ctx, conn, m); err != nil {
				return
			}
		}
		h.written.Add(int64(len(msgs)))
	}
}

func (h *Hub) write(ctx context.Context, conn *websocket.Conn, m message) error {
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

// keepAlive finds viewers that are gone without a word. It has a goroutine only
// while it waits for an answer, since thousands of viewers have one each.
func keepAlive(ctx context.Context, conn *websocket.Conn, every time.Duration, gone context.CancelCauseFunc) {
	time.AfterFunc(every, func() {
		if ctx.Err() != nil {
			return
		}
		within, cancel := context.WithTimeout(ctx, every)
		defer cancel()
		if err := conn.Ping(within); err != nil {
			gone(err)
			return
		}
		keepAlive(ctx, conn, every, gone)
	})
}
