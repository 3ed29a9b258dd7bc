package watch

import (
	"context"
	"fmt"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// BenchmarkFanout is the time from a changed row, after a quiet moment, until
// the last viewer has it, over loopback websockets.
func BenchmarkFanout(b *testing.B) {
	for _, viewers := range []int{1, 100} {
		b.Run(fmt.Sprintf("%dviewers", viewers), func(b *testing.B) {
			h := ready()
			ctx, cancel := context.WithCancel(b.Context())
			done := make(chan error, 1)
			go func() { done <- h.Run(ctx) }()
			web := httptest.NewServer(h)
			var got sync.WaitGroup
			for range viewers {
				readAll(b, web.URL, &got)
			}
			offset := uint64(0)
			for b.Loop() {
				b.StopTimer()
				time.Sleep(20 * time.Millisecond) // a tick, so that the frame need not wait for it
				b.StartTimer()
				offset++
				got.Add(viewers)
				publish(h, offset, reconcile(int(offset), "success"))
				got.Wait()
			}
			cancel()
			if err := <-done; err != nil {
				b.Error(err)
			}
			h.Wait()
			web.Close()
		})
	}
}

// readAll is a viewer that says Done for each frame of rows.
func readAll(b *testing.B, url string, got *sync.WaitGroup) {
	b.Helper()
	conn, _, err := websocket.Dial(b.Context(), url, &websocket.DialOptions{Subprotocols: []string{Subprotocol}})
	if err != nil {
		b.Fatal(err)
	}
	if _, _, err := conn.Read(b.Context()); err != nil { // the snapshot
		b.Fatal(err)
	}
	go func() {
		defer func() { _ = conn.CloseNow() }()
		for {
			_, data, err := conn.Read(context.Background())
			if err != nil {
				return
			}
			if decode(b, data).Type == "rows" {
				got.Done()
			}
		}
	}()
}
