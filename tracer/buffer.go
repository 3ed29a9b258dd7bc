package tracer

import (
	"sync"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// batchSpans is how many spans go in one request at most.
const batchSpans = 512

// batchEvents is how many events go in one request, if it has more than one
// span: long plans would make it larger than a hub takes.
const batchEvents = 4096

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
// until they are taken. It never blocks for longer than copying a batch takes.
type spanBuffer struct {
	wake chan struct{}
	max  int

	mu      sync.Mutex
	seq     int64
	claimed int64 // the last number that a batch spoke of
	dropped int64
	ring    []numbered // of max places once there is a span
	head    int        // the oldest
	held    int
	taken   []numbered // of the newest batch, used again for the next
}

func newSpanBuffer(limit int) *spanBuffer {
	return &spanBuffer{wake: make(chan struct{}, 1), max: limit}
}

// put numbers a span and keeps it; the oldest has to go when there is no room.
func (b *spanBuffer) put(s sdktrace.ReadOnlySpan) {
	b.mu.Lock()
	if b.ring == nil {
		b.ring = make([]numbered, b.max)
	}
	b.seq++
	if b.held == b.max {
		b.head = (b.head + 1) % b.max
		b.held--
		b.dropped++
	}
	b.ring[(b.head+b.held)%b.max] = numbered{b.seq, s}
	b.held++
	b.mu.Unlock()
	signal(b.wake)
}

// take removes the oldest spans; ok is false when there are none. The batch is
// valid until the next take, so only one goroutine may take.
func (b *spanBuffer) take() (batch spanBatch, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.taken)
	n := min(b.held, batchSpans)
	if n == 0 {
		return spanBatch{}, false
	}
	b.taken = b.taken[:0]
	for events := 0; len(b.taken) < n; {
		events += len(b.ring[b.head].span.Events())
		if events > batchEvents && len(b.taken) > 0 {
			break
		}
		b.taken = append(b.taken, b.ring[b.head])
		b.ring[b.head] = numbered{}
		b.head = (b.head + 1) % b.max
	}
	n = len(b.taken)
	b.held -= n
	batch.spans = b.taken
	batch.first, batch.last = b.claimed+1, b.taken[n-1].seq
	b.claimed = batch.last
	batch.dropped = b.dropped
	return batch, true
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
