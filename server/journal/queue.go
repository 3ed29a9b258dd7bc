package journal

import "sync"

// entry is one Append that waits: its records, and where the answer goes.
type entry struct {
	records []Record
	bytes   int
	answer  chan error // room for one, so that the writer never waits
}

// queue holds the Appends that wait for the writer, bounded by bytes.
type queue struct {
	mu     sync.Mutex
	wake   chan struct{} // room for one
	list   []entry
	bytes  int
	limit  int
	closed bool
}

func (q *queue) init(limit int) {
	q.wake = make(chan struct{}, 1)
	q.limit = limit
}

func (q *queue) put(e entry) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return ErrClosed
	}
	// An empty queue takes anything: a limit below one record would else
	// refuse it for ever.
	if q.bytes > 0 && q.bytes+e.bytes > q.limit {
		return ErrFull
	}
	q.list = append(q.list, e)
	q.bytes += e.bytes
	q.signal()
	return nil
}

// take returns waiting entries of up to limit bytes, at least one if there is
// any, and whether the queue is closed.
func (q *queue) take(limit int) ([]entry, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	n, bytes := 0, 0
	for n < len(q.list) && (n == 0 || bytes+q.list[n].bytes <= limit) {
		bytes += q.list[n].bytes
		n++
	}
	taken := q.list[:n:n]
	q.list = q.list[n:]
	q.bytes -= bytes
	if len(q.list) > 0 {
		q.signal()
	}
	return taken, q.closed
}

func (q *queue) size() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.bytes
}

// shut lets no more in and wakes the writer.
func (q *queue) shut() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.signal()
}

func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}
