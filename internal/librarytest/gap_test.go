package librarytest

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/reconcile-tracer/tracer/internal/clustertest"
	"github.com/reconcile-tracer/tracer/server"
	"github.com/reconcile-tracer/tracer/server/flow"
)

// hub runs a real hub until the test ends.
func hub(t *testing.T) *server.Hub {
	t.Helper()
	h, err := server.New(t.Context(), server.Config{
		Listen: "127.0.0.1:0", Data: t.TempDir(), Token: "the-presenter-token", IngestToken: "the-emitters-token",
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- h.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the hub ended with %v", err)
		}
	})
	return h
}

// gaps are the hub's open gap rows.
func gaps(t *testing.T, hubURL string) (out []flow.Gap) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, hubURL+"/api/v1/rows?row=gap", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer the-presenter-token")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		var g flow.Gap
		if err := json.Unmarshal(lines.Bytes(), &g); err != nil {
			t.Fatalf("row %s: %v", lines.Text(), err)
		}
		if !g.Closed {
			out = append(out, g)
		}
	}
	return out
}

// The hub is away while the controller works; when it is back, every span that
// was dropped meanwhile is in a gap row.
func TestWhatWasDroppedIsAGapWhenTheHubIsBack(t *testing.T) {
	h := hub(t)
	back, err := url.Parse(h.URL())
	if err != nil {
		t.Fatal(err)
	}
	var up atomic.Bool
	proxy := httputil.NewSingleHostReverseProxy(back)
	proxy.Transport = &http.Transport{DisableKeepAlives: true}
	door := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !up.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(door.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "Authorization=Bearer%20the-emitters-token")
	r := newRigAt(t, nil, door.URL, asProtobuf)
	r.converge()
	// Records are conflated per item, so the drops are all spans.
	dropped := r.tracer.Dropped()
	if dropped == 0 {
		t.Fatal("nothing was dropped while the hub was away")
	}
	up.Store(true)
	r.pass("default/after", func(context.Context) {})
	var missing int64
	clustertest.Eventually(t, "the gaps to add up to what was dropped", func(context.Context) bool {
		missing = 0
		for _, g := range gaps(t, h.URL()) {
			missing += g.Count
		}
		return missing >= r.tracer.Dropped()
	})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := r.tracer.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	if missing != r.tracer.Dropped() {
		t.Errorf("%d spans are in gaps, %d were dropped", missing, r.tracer.Dropped())
	}
}
