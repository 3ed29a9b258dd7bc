package main

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/reconcile-tracer/tracer/server/journal"
)

// keptFolder is the hub's folder of a usual demo, with a token and a history.
func keptFolder(t *testing.T) string {
	t.Helper()
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	demo, err := dataFolder("demo")
	if err != nil {
		t.Fatal(err)
	}
	hub := filepath.Join(demo, "hub")
	if err := os.MkdirAll(hub, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"token", "head"} {
		if err := os.WriteFile(filepath.Join(hub, name), []byte("the-token-that-is-kept\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return hub
}

// lockHub takes a hub's folder, as a hub that runs there does.
func lockHub(t *testing.T, folder string) {
	t.Helper()
	j, err := journal.Open(t.Context(), journal.Config{Dir: folder, OnBlock: func(journal.Block) {}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close(t.Context()) })
}

// stranger notes the credentials that it gets.
func stranger(t *testing.T) (url string, got *atomic.Value) {
	t.Helper()
	got = &atomic.Value{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got.Store(r.Header.Get("Authorization"))
		w.WriteHeader(http.StatusTeapot)
	}))
	t.Cleanup(s.Close)
	return s.URL, got
}

// A token that is kept goes to the hub that runs in its folder, at the address
// that this hub has written, and to nobody else.
func TestAKeptTokenIsForItsHubAlone(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(t *testing.T, folder, url string)
		change  func(o *exportOptions, folder, url string)
		says    string
	}{
		"another address": {
			func(t *testing.T, folder, _ string) { sayAddress(t, folder, "http://127.0.0.1:1") },
			func(o *exportOptions, _, url string) { o.hub = url }, "no kept token is sent there (give its presenter's token",
		},
		"another address than a running hub's": {
			func(t *testing.T, folder, _ string) { lockHub(t, folder); sayAddress(t, folder, "http://127.0.0.1:1") },
			func(o *exportOptions, folder, url string) { o.hub, o.data = url, folder }, "no kept token is sent there (give its presenter's token",
		},
		"the address of a hub that has ended": {
			sayAddress, func(o *exportOptions, _, url string) { o.hub = url }, "name the folder of a hub that runs with --data",
		},
		"the address of the hub before": {
			func(t *testing.T, folder, url string) {
				sayAddress(t, folder, url)
				long := time.Now().Add(-time.Hour)
				if err := os.Chtimes(addressFile(folder), long, long); err != nil {
					t.Fatal(err)
				}
				lockHub(t, folder)
			},
			func(o *exportOptions, folder, _ string) { o.data = folder }, "does not say where: name its address with --hub, and give its presenter's token",
		},
		"nobody": {
			func(*testing.T, string, string) {}, func(*exportOptions, string, string) {}, "it has no journal",
		},
	} {
		t.Run(name, func(t *testing.T) {
			folder := keptFolder(t)
			url, got := stranger(t)
			c.prepare(t, folder, url)
			said := &strings.Builder{}
			o := exportOptions{out: filepath.Join(t.TempDir(), "out.jsonl"), io: streams{err: said}}
			c.change(&o, folder, url)
			if err := o.run(t.Context()); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("export ended with %v, want an error with %q", err, c.says)
			}
			if sent := got.Load(); sent != nil {
				t.Errorf("a stranger got %q", sent)
			}
			if strings.Contains(said.String(), defaultHub) {
				t.Errorf("whoever is at the default address was asked: %s", said)
			}
		})
	}
}

func TestAHubIsFoundByItsAddress(t *testing.T) {
	folder := keptFolder(t)
	lockHub(t, folder)
	sayAddress(t, folder, "http://127.0.0.1:7780")
	for hub, want := range map[string]bool{
		"": true, "http://127.0.0.1:7780": true, "http://127.0.0.1:7780/": true, "http://localhost:7780": true,
		"http://127.0.0.1:7781": false, "https://127.0.0.1:7780": false, "http://hub.example:7780": false, "http://127.0.0.1": false,
	} {
		o := exportOptions{hub: hub}
		s, err := o.findSource()
		if got := err == nil && s.url == "http://127.0.0.1:7780" && o.token == "the-token-that-is-kept"; got != want {
			t.Errorf("--hub %q: asked at %q (%v), found: %v, want %v", hub, s.url, err, got, want)
		}
	}
	o := exportOptions{hub: "http://hub.example/", token: "given"}
	if s, err := o.findSource(); err != nil || s.url != "http://hub.example" || o.token != "given" {
		t.Errorf("with a token the hub is %q (%v)", s.url, err)
	}
}

func sayAddress(t *testing.T, folder, url string) {
	t.Helper()
	if err := writeHubAddress(folder, url); err != nil {
		t.Fatal(err)
	}
}

// A hub that has died may have left its port to a stranger.
func TestADemoAsksItsHubAlone(t *testing.T) {
	folder := keptFolder(t)
	url, got := stranger(t)
	d := &crew{address: strings.TrimPrefix(url, "http://"), token: "the-token-that-is-kept", folder: &runFolder{path: filepath.Dir(folder)}}
	sayAddress(t, folder, url)
	d.attachedSince(t.Context(), time.Unix(1, 0))
	if sent := got.Load(); sent != nil {
		t.Errorf("a stranger got %q", sent)
	}
}
