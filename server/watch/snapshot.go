package watch

import (
	"encoding/json"
	"strconv"
	"sync"
	"time"

	"github.com/reconcile-tracer/tracer/server/flow"
)

// snapshotShared is how long a snapshot is given to further viewers, which
// then get the frames since: a thousand that join at once cost one.
const snapshotShared = 250 * time.Millisecond

// snapshot is the table as one filter shows it, encoded.
type snapshot struct {
	offset uint64
	next   int64 // the feed's first frame after it
	limit  int
	made   time.Time
	totals counts
	rows   []byte // the JSON array
	ended  []endedAt
}

// endedAt says at which offset a reconcile in the snapshot was first seen with
// its end.
type endedAt struct {
	offset uint64
	result string
}

// snapshots keeps the newest snapshot of a feed. Its lock is held while one is
// encoded, so that only one viewer does it.
type snapshots struct {
	mu   sync.Mutex
	last *snapshot
}

func (h *Hub) snapshot(f *feed, limit int) *snapshot {
	f.snap.mu.Lock()
	defer f.snap.mu.Unlock()
	if s := f.snap.last; s != nil && s.limit == limit && h.usable(f, s) {
		return s
	}
	s, entries := h.capture(f)
	s.limit = limit
	s.fill(newest(entries, limit))
	f.snap.last = s
	return s
}

// capture takes the table, and makes a frame of what the feed holds first, so
// that a snapshot ends where a frame ends: what is after it has not been seen,
// what is before it is in it or counted.
func (h *Hub) capture(f *feed) (*snapshot, []entry) {
	h.making.Lock()
	defer h.making.Unlock()
	h.mu.Lock()
	s := &snapshot{offset: h.offset, made: h.cfg.Now(), totals: f.totals}
	entries := h.table.choose(f.filter)
	f.left = nil // from here on a viewer may have what others were not sent
	h.finishHeld(f)
	defer h.mu.Unlock()
	s.next = f.end()
	return s, entries
}

// finishHeld makes frames of what a feed holds, whose rows whoever calls it has
// taken from the table. making is held, and mu too, but for a while in between.
func (h *Hub) finishHeld(f *feed) {
	if len(f.order) == 0 {
		return
	}
	j := h.job(f)
	j.captured = true
	h.mu.Unlock()
	h.finish(j)
	h.mu.Lock()
}

func (h *Hub) usable(f *feed, s *snapshot) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return s.next >= f.first && (s.offset == h.offset || h.cfg.Now().Sub(s.made) < snapshotShared)
}

func (s *snapshot) fill(entries []entry) {
	s.rows = append(make([]byte, 0, 1024*len(entries)+2), '[')
	for _, e := range entries {
		data, err := json.Marshal(e.row)
		if err != nil {
			continue
		}
		if len(s.rows) > 1 {
			s.rows = append(s.rows, ',')
		}
		s.rows = append(s.rows, data...)
		if e.done > 0 {
			s.ended = append(s.ended, endedAt{e.done, e.row.(*flow.Reconcile).Result})
		}
	}
	s.rows = append(s.rows, ']')
}

// head and tail are what stands around the rows; the rows themselves are
// shared.
func (s *snapshot) head(epoch, reason string, now int64) []byte {
	buf := appendHead(nil, "snapshot", s.offset, now)
	buf = append(buf, `,"epoch":`...)
	buf = strconv.AppendQuote(buf, epoch)
	buf = append(buf, `,"reason":`...)
	buf = strconv.AppendQuote(buf, reason)
	return append(buf, `,"rows":`...)
}

// missed counts exactly the reconciles that ended after a viewer's position,
// whose frames it did not get, and which the snapshot does not hold either.
func (s *snapshot) missed(from uint64, before counts) counts {
	left := counts{}
	for result, n := range s.totals {
		if n -= before[result]; n != 0 {
			left[result] = n
		}
	}
	for _, e := range s.ended {
		if e.offset > from && left[e.result] > 0 {
			left[e.result]--
		}
	}
	return left
}
