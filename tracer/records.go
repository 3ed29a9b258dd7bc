package tracer

import (
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
)

// maxRecords is how many log records may wait for the hub.
const maxRecords = 8192

// record is one log record. It is not changed once it is put.
type record struct {
	at    time.Time
	event string
	trace trace.TraceID
	span  trace.SpanID
	attrs []attribute.KeyValue
}

// recordBuffer keeps the newest log record for each key until it is taken: all
// of them are level-based, so an older one of the same key is worth nothing.
type recordBuffer struct {
	wake chan struct{}

	mu      sync.Mutex
	order   []string
	newest  map[string]func() record
	dropped int64
}

func newRecordBuffer() *recordBuffer {
	return &recordBuffer{wake: make(chan struct{}, 1), newest: map[string]func() record{}}
}

// put keeps r, which makes the record when it is about to be sent, as the
// newest of its key. A new key that finds no room is dropped.
func (b *recordBuffer) put(key string, r func() record) {
	b.mu.Lock()
	_, known := b.newest[key]
	switch {
	case known:
		b.newest[key] = r
	case len(b.order) < maxRecords:
		b.order = append(b.order, key)
		b.newest[key] = r
	default:
		b.dropped++
	}
	b.mu.Unlock()
	signal(b.wake)
}

// take removes the records that have waited longest, if there are any.
func (b *recordBuffer) take() []record {
	makers := b.takeMakers()
	out := make([]record, len(makers))
	for i, r := range makers {
		out[i] = r()
	}
	return out
}

// takeMakers is take without making the records, which needs other locks.
func (b *recordBuffer) takeMakers() []func() record {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := min(len(b.order), batchSpans)
	out := make([]func() record, n)
	for i, key := range b.order[:n] {
		out[i] = b.newest[key]
		delete(b.newest, key)
	}
	b.order = append([]string(nil), b.order[n:]...)
	return out
}

func (b *recordBuffer) lose(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.dropped += int64(n)
}

func (b *recordBuffer) lost() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.dropped
}
