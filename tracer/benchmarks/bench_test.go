package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// startTraced is traced at a hub that takes everything, until the benchmark ends.
func startTraced(b *testing.B) (sides map[string]side) {
	b.Helper()
	hub := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	t, q, end, err := traced(hub.URL)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { end(); hub.Close() })
	sides = map[string]side{}
	for _, s := range callSides(reconciling(q), t, asProtobuf) {
		sides[s.name] = s
	}
	return sides
}

func benchSide(b *testing.B, name string) {
	b.Helper()
	s := startTraced(b)[name]
	b.ReportAllocs()
	for b.Loop() {
		s.run(1)
	}
}

// BenchmarkCallTracer is an API call through Tracer.Transport.
func BenchmarkCallTracer(b *testing.B) { benchSide(b, "tracer") }

// BenchmarkCallOtelhttp is the same call through otelhttp's transport.
func BenchmarkCallOtelhttp(b *testing.B) { benchSide(b, "otelhttp") }

// BenchmarkCallBare is the same call without any.
func BenchmarkCallBare(b *testing.B) { benchSide(b, "bare") }
