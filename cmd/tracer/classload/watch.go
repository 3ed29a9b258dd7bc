//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// watcher notes when each frame came.
type watcher struct {
	conn *websocket.Conn // nil for a page, whose browser tells

	mu      sync.Mutex
	came    map[string]time.Time
	seen    map[string]int
	viewers int
	moment  int64
	rows    int
	wake    chan struct{}
}

func newWatcher() *watcher {
	return &watcher{came: map[string]time.Time{}, seen: map[string]int{}, wake: make(chan struct{}, 1)}
}

// watch watches as a page does.
func watch(ctx context.Context, hub, token, page string) (*watcher, error) {
	conn, _, err := websocket.Dial(ctx, hub+"/api/v1/watch?page="+page, &websocket.DialOptions{ //nolint:bodyclose // the library closes it
		HTTPHeader: http.Header{"Authorization": {"Bearer " + token}}, Subprotocols: []string{"tracer.v1"},
	})
	if err != nil {
		return nil, fmt.Errorf("watching as %s: %w", page, err)
	}
	conn.SetReadLimit(64 << 20)
	w := newWatcher()
	w.conn = conn
	go func() {
		for {
			_, data, err := conn.Read(ctx)
			if err != nil {
				return
			}
			w.hear(data, time.Now())
		}
	}()
	return w, nil
}

// hear notes a frame of rows by its offset and how many of that came before, and
// of the room the first that shows a moment: those are the same at everybody's.
func (w *watcher) hear(data []byte, at time.Time) {
	var f struct {
		Type   string
		Offset uint64
		Rows   []json.RawMessage
		Room   struct {
			Viewers   int
			Presenter struct{ T int64 }
		}
	}
	if json.Unmarshal(data, &f) != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	name := ""
	switch f.Type {
	case "rows":
		name = fmt.Sprintf("rows %d", f.Offset)
	case "room":
		if f.Room.Presenter.T > 0 && w.moment != f.Room.Presenter.T {
			name = fmt.Sprintf("room %d", f.Room.Presenter.T)
		}
	}
	if f.Type == "room" {
		w.viewers, w.moment = f.Room.Viewers, f.Room.Presenter.T
	}
	if f.Type == "rows" {
		w.rows += len(f.Rows)
	}
	if name != "" {
		name = fmt.Sprintf("%s #%d", name, w.seen[name])
		w.seen[name]++
		if _, again := w.came[name]; !again {
			w.came[name] = at
		}
	}
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// awaitViewers waits until the hub counts so many.
func (w *watcher) awaitViewers(ctx context.Context, n int) error {
	for {
		w.mu.Lock()
		viewers := w.viewers
		w.mu.Unlock()
		if viewers >= n {
			return nil
		}
		select {
		case <-w.wake:
		case <-ctx.Done():
			return fmt.Errorf("waiting for %d viewers, the hub counts %d: %w", n, viewers, ctx.Err())
		}
	}
}

// settle gives what is under way the time to come.
func settle(ctx context.Context) error {
	select {
	case <-time.After(2 * time.Second):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// behind are how long after another each frame came that both have had.
func (w *watcher) behind(other *watcher) []time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	other.mu.Lock()
	defer other.mu.Unlock()
	var late []time.Duration
	for name, at := range w.came {
		if first, ok := other.came[name]; ok {
			late = append(late, at.Sub(first))
		}
	}
	return late
}
