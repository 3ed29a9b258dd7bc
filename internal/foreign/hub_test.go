package foreign_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/reconcile-tracer/tracer/tracer/tracertest"
)

const (
	viewToken   = "presenter-token-of-the-test"
	ingestToken = "ingest-token-of-the-test"
)

// hub is the real thing: bin/tracer serve.
type hub struct {
	url string

	mu   sync.Mutex
	sent bytes.Buffer // what has come, as OTLP JSON lines
}

// startHub runs a hub until the test ends.
func startHub(t *testing.T) *hub {
	t.Helper()
	cmd := exec.Command(tracerBinary(t), "serve", "--exit-with-parent", "--listen", "127.0.0.1:0", "--otlp-grpc", "off", "--data", t.TempDir())
	cmd.Env = append(os.Environ(), "TRACER_TOKEN="+viewToken, "TRACER_INGEST_TOKEN="+ingestToken)
	var log bytes.Buffer
	cmd.Stderr = &log
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close() // ends it
		if err := cmd.Wait(); err != nil {
			t.Errorf("the hub ended with: %v\n%s", err, &log)
		}
	})
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if link, ok := strings.CutPrefix(lines.Text(), "ready: "); ok {
			url, _, _ := strings.Cut(link, "/login")
			return &hub{url: url}
		}
	}
	t.Fatal("the hub has not said that it is ready")
	return nil
}

// tracerBinary is what TRACER_BIN names, else bin/tracer of the checkout.
func tracerBinary(t *testing.T) string {
	t.Helper()
	path := os.Getenv("TRACER_BIN")
	if path == "" {
		path = filepath.Join("..", "..", "bin", "tracer")
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("the program tracer is not built: run `make build` first (%v)", err)
	}
	return path
}

// relay is an endpoint that hands each request to the recorder and to the hub.
func (h *hub) relay(t *testing.T, rec *tracertest.Recorder) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if status := h.forward(r, body); status != http.StatusOK {
			t.Errorf("the hub answers %d to %s", status, r.URL.Path)
		}
		if err := h.keep(r, body); err != nil {
			t.Errorf("keeping a request: %v", err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		rec.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// forward sends a request on to the hub and returns the status, 0 for none.
func (h *hub) forward(r *http.Request, body []byte) int {
	req, err := http.NewRequestWithContext(r.Context(), http.MethodPost, h.url+r.URL.Path, bytes.NewReader(body))
	if err != nil {
		return 0
	}
	req.Header = r.Header.Clone()
	req.Header.Set("Authorization", "Bearer "+ingestToken)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0
	}
	defer res.Body.Close()
	return res.StatusCode
}

// row is what is asked of the hub's row of a reconcile.
type row struct {
	Key, Controller, Item, Result string
	Object                        struct{ Kind string }
	Causes                        []struct{ What, By string }
	Phases                        []struct{ Name string }
	ReadCount, WriteCount         int
}

// rows are the hub's reconciles of an item.
func (h *hub) rows(t *testing.T, item string) []row {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.url+"/api/v1/rows?row=reconcile&item="+item, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+viewToken)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Fatalf("asking the hub: %s", res.Status)
	}
	var out []row
	for d := json.NewDecoder(res.Body); d.More(); {
		var r row
		if err := d.Decode(&r); err != nil {
			t.Fatalf("reading the hub's rows: %v", err)
		}
		out = append(out, r)
	}
	return out
}
