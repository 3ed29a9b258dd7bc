package play

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/reconcile-tracer/tracer/server/flow"
)

// answers is a hub that answers the first who watches by the first handler, and
// so on; the last answers all that come after.
func answers(t *testing.T, handlers ...http.HandlerFunc) *Remote {
	t.Helper()
	n := 0
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler := handlers[min(n, len(handlers)-1)] // one connection at a time
		n++
		handler(w, r)
	}))
	t.Cleanup(web.Close)
	return &Remote{URL: web.URL, Client: web.Client()}
}

// frames sends frames, and ends the connection.
func frames(texts ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{protocol}})
		if err != nil {
			return
		}
		for _, text := range texts {
			_ = conn.Write(r.Context(), websocket.MessageText, []byte(text))
		}
		_ = conn.Close(websocket.StatusGoingAway, "")
	}
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// After a broken connection all rows come anew, and are said to be all; a hub
// that refuses then is heard.
func TestWatchGoesOnAndIsRefused(t *testing.T) {
	hub := answers(t, frames(`{"type":"snapshot","rows":[{"row":"item","key":"a"}]}`, `{"type":"rows","gone":["item/a"]}`),
		frames(`{"type":"snapshot","rows":[]}`), status(http.StatusUnauthorized))
	var got []Change
	err := hub.Watch(t.Context(), "ns", func(c Change) { got = append(got, c) })
	if err == nil || !strings.Contains(err.Error(), "it answered 401: give it the presenter's token") {
		t.Errorf("it ended with %v", err)
	}
	if len(got) != 3 || !got[0].All || len(got[0].Rows) != 1 || got[1].All || got[1].Gone[0].Kind != flow.RowItem || !got[2].All || len(got[2].Rows) != 0 {
		t.Errorf("it gave %+v", got)
	}
}

// The hub's clock is known by its frames: the one that came fastest tells most.
func TestLead(t *testing.T) {
	frame := func(ahead time.Duration) string {
		return fmt.Sprintf(`{"type":"bookmark","now":%d}`, time.Now().Add(ahead).UnixMicro())
	}
	hub := answers(t, func(w http.ResponseWriter, r *http.Request) {
		frames(frame(time.Hour-2*time.Minute), frame(time.Hour), frame(time.Hour-time.Minute), `{"type":"bookmark"}`)(w, r)
	}, status(http.StatusForbidden))
	if hub.Lead() != 0 {
		t.Errorf("before it has said anything it is ahead by %v", hub.Lead())
	}
	_ = hub.Watch(t.Context(), "ns", func(Change) {})
	if lead := hub.Lead(); lead > time.Hour || lead < time.Hour-within {
		t.Errorf("it is ahead by %v, want an hour, or a little less", lead)
	}
}

// A hub that does not come back is given up, with what it said last.
func TestWatchGivesUp(t *testing.T) {
	for want, hub := range map[string]*Remote{
		"it answered 503: see its log":                 answers(t, status(http.StatusServiceUnavailable)),
		"the hub has let the lesson go: no place left": answers(t, frames(`{"type":"error","code":"full","message":"no place left"}`)),
		"connection refused: see whether it runs":      {URL: nobody},
	} {
		hub.lostAfter = 1
		if err := hub.Watch(t.Context(), "ns", func(Change) {}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("it ended with %v, want %s", err, want)
		}
	}
}

// Who waits no longer for the first rows hears why there were none.
func TestWatchSaysWhyThereWasNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	again := func(w http.ResponseWriter, _ *http.Request) {
		cancel() // the second time
		<-ctx.Done()
		w.WriteHeader(http.StatusBadGateway)
	}
	hub := answers(t, status(http.StatusServiceUnavailable), again)
	if err := hub.Watch(ctx, "ns", func(Change) {}); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("it ended with %v, want what the hub answered", err)
	}
	hub = answers(t, func(w http.ResponseWriter, r *http.Request) {
		frames(`{"type":"snapshot","rows":[]}`)(w, r)
	})
	open, end := context.WithCancel(t.Context())
	if err := hub.Watch(open, "ns", func(Change) { end() }); err != nil {
		t.Errorf("what was ended in order ended with %v", err)
	}
}
