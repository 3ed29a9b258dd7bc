package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reconcile-tracer/tracer/server"
	"github.com/reconcile-tracer/tracer/server/journal"
	"github.com/reconcile-tracer/tracer/server/recording"
)

// TestPlayIntoAHubLosesNothing plays the sample into a hub and exports that:
// request by request the same bytes.
func TestPlayIntoAHubLosesNothing(t *testing.T) {
	hub := runHub(t, t.TempDir())
	dir := t.TempDir()
	file := filepath.Join(dir, "sample.jsonl.gz")
	sample, err := recording.OpenSample()
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(sample)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	quiet := streams{in: bytes.NewReader(nil), out: io.Discard, err: io.Discard}
	into := replayOptions{file: file, into: hub.URL(), ingest: hub.IngestToken(), speed: "max", io: quiet}
	if err := into.playInto(t.Context()); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out.jsonl")
	export := exportOptions{out: out, hub: hub.URL(), token: "the-word-of-the-page", io: quiet}
	if err := export.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	want, got := requests(t, file), requests(t, out)
	if len(want) < 100 || len(got) != len(want) {
		t.Fatalf("%d requests arrived of %d", len(got), len(want))
	}
	for i := range want {
		if want[i].Kind != got[i].Kind || !bytes.Equal(want[i].Payload, got[i].Payload) {
			t.Fatalf("request %d is another", i)
		}
	}
}

func runHub(t *testing.T, data string) *server.Hub {
	t.Helper()
	ready := make(chan struct{})
	hub, err := server.New(t.Context(), server.Config{
		Listen: "127.0.0.1:0", Data: data, Token: "the-word-of-the-page", Log: slog.New(slog.DiscardHandler), Recordings: withLessons(), OnReady: func() { close(ready) },
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- hub.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the hub ended with %v", err)
		}
	})
	<-ready
	return hub
}

func requests(t *testing.T, path string) (all []journal.Record) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if _, err := recording.Read(file, func(b journal.Block) error {
		all = append(all, b.Records...)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestSpeedOfAReplay(t *testing.T) {
	for speed, want := range map[string]time.Duration{"1": 20 * time.Second, "10": 2 * time.Second, "0.5": 40 * time.Second, "max": 0} {
		synctest.Test(t, func(t *testing.T) {
			factor, err := parseSpeed(speed)
			if err != nil {
				t.Fatal(err)
			}
			p, began := &intoHub{speed: factor}, time.Now()
			for _, at := range []int64{5_000_000, 9_000_000, 25_000_000} {
				if err := p.wait(t.Context(), at); err != nil {
					t.Fatal(err)
				}
			}
			if took := time.Since(began); took != want {
				t.Errorf("at speed %s it took %s, want %s", speed, took, want)
			}
		})
	}
}

func TestNamesOfRecordings(t *testing.T) {
	for file, want := range map[string]string{
		"session.jsonl.gz": "session", "/a/b/My Traces (2).json": "my-traces-2", "-": "recording", "日本.gz": "recording",
	} {
		if got := recordingName(file); got != want {
			t.Errorf("the recording of %q is %q, want %q", file, got, want)
		}
	}
}
