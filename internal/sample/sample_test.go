package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"testing"

	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/server/recording"
)

// TestSampleShowsWhatItIsFor: what is built in is small, and has all that
// somebody is to see in it.
func TestSampleShowsWhatItIsFor(t *testing.T) {
	file, err := recording.OpenSample()
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	missing, err := missingIn(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, what := range missing {
		t.Errorf("the sample does not show %s: make sample", what)
	}
	rows, err := rowsOf(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if f, ok := row.(*flow.Finding); ok && f.Controller == "podset" {
			t.Errorf("the reference controller is found to make a mistake: %+v", f)
		}
	}
	for _, secret := range []string{"Bearer ", "ingest-token", "/home/", "/tmp/"} {
		if bytes.Contains(unzipped(t, data), []byte(secret)) {
			t.Errorf("the sample has %q in it", secret)
		}
	}
}

// TestMissingIsFound: a session that shows nothing lacks everything.
func TestMissingIsFound(t *testing.T) {
	nothing := []byte(`{"resourceSpans":[{"resource":{},"scopeSpans":[{"scope":{},"spans":[]}]}]}` + "\n")
	missing, err := missingIn(append(nothing, bytes.Repeat([]byte("\n"), maxSize)...))
	if err != nil {
		t.Fatal(err)
	}
	if want := len(wanted()) + 2; len(missing) != want {
		t.Errorf("%d things are missing, want all %d: %q", len(missing), want, missing)
	}
}

func unzipped(t *testing.T, data []byte) []byte {
	t.Helper()
	zip, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(zip)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}
