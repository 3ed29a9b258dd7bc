package tracer

import (
	"sync"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// batchSpans is how many spans go in one request at most.
const batchSpans = 512

// numbered is a finished span with its place in the emitter's count.
type numbered struct {
	seq  int64
	span sdktrace.ReadOnlySpan
}

// spanBatch is what goes in one request. First and last say which numbers were
// given out since the previous one; those without a span were dropped.
type spanBatch struct {
	spans       []numbered
	first, last int64
	dropped     int64
}

// spanBuffer numbers finished spans and keeps the newest of them, at most max,
// until they are taken. It never blocks for longer than a slice append.
type spanBuffer struct {
	wake chan struct{}
	max  int

	mu      sync.Mutex
	seq     int64
	claimed int64 // the last number that a batch spoke of
	dropped int64
	ring    []numbered
	head    int
}

func newSpanBuffer(limit int) *spanBuffer {
	return &spanBuffer{wake: make(chan struct{}, 1), max: limit}
}

// put numbers a span and keeps it; the oldest has to go when there is no room.
func (b *spanBuffer) put(s sdktrace.ReadOnlySpan) {
	b.mu.Lock()
	b.seq++
	n := numbered{b.seq, s}
	if len(b.ring) < b.max {
		b.ring = append(b.ring, n)
	} else {
		b.ring[b.head] = n
		b.head = (b.head + 1) % b.max
		b.dropped++
	}
	b.mu.Unlock()
	signal(b.wake)
}

// take removes the oldest spans; ok is false when there are none.
func (b *spanBuffer) take() (batch spanBatch, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := min(len(b.ring), batchSpans)
	if n == 0 {
		return spanBatch{}, false
	}
	batch.spans = b.pop(n)
	batch.first, batch.last = b.claimed+1, batch.spans[n-1].seq
	b.claimed = batch.last
	batch.dropped = b.dropped
	return batch, true
}

// pop removes n spans in their order. The ring is straightened first, which
// costs no more than the copying that removal needs anyway.
func (b *spanBuffer) pop(n int) []numbered {
	out := make([]numbered, 0, n)
	rest := make([]numbered, 0, len(b.ring)-n)
	for i := range b.ring {
		s := b.ring[(b.head+i)%len(b.ring)]
		if i < n {
			out = append(out, s)
		} else {
			rest = append(rest, s)
		}
	}
	b.ring, b.head = rest, 0
	return out
}

// lose counts spans that were taken and could not be sent.
func (b *spanBuffer) lose(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.dropped += int64(n)
}

func (b *spanBuffer) lost() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.dropped
}

// signal wakes whoever waits on c, a channel of capacity one.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
