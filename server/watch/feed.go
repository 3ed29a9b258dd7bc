package watch

import (
	"time"

	"github.com/reconcile-tracer/tracer/server/flow"
)

// feed is what all viewers with one filter share: the frames. The Hub's lock
// guards it, except snap, which has its own.
type feed struct {
	filter Filter
	// offset is how far the frames reach, base where the oldest begins.
	offset, base uint64
	pending      map[flow.RowRef]*change
	order        []flow.RowRef
	frames       []frame // the ring; the first has the number first
	first        int64
	bytes        int
	maxFrames    int
	maxBytes     int
	totals       counts
	notify       chan struct{} // closed and replaced when frames are added
	viewers      int
	lastFrame    time.Time
	leftAt       time.Time // when the last viewer went
	snap         snapshots
	// left are the rows that were left out before any viewer had them: that
	// they change or go need not be said.
	left map[flow.RowRef]bool
	// thinned says that something has been left out.
	thinned bool
	// pins counts the viewers who have an item pinned. The map is never changed,
	// only replaced, so that who makes frames can read it without the lock.
	pins map[itemOf]int
	// allowed is guarded by Hub.making.
	allowed allowance
}

func (h *Hub) newFeed(f Filter) *feed {
	now := h.cfg.Now()
	return &feed{
		filter: f, offset: h.offset, base: h.offset, pending: map[flow.RowRef]*change{}, notify: make(chan struct{}),
		maxFrames: h.cfg.RingFrames, maxBytes: h.cfg.RingBytes, lastFrame: now, leftAt: now,
		allowed: allowance{left: float64(h.cfg.MaxBurst), at: now, since: now},
	}
}

// note takes down a change: the row before, and now (nil when it is gone).
func (f *feed) note(ref flow.RowRef, before flow.Row, now *encoded, ended bool) {
	had := before != nil && f.filter.Match(before)
	has := now != nil && f.filter.Match(now.row)
	if !had && !has || f.passesOver(ref, now, has) {
		return
	}
	c := &change{ref: ref, fresh: !had, ended: ended}
	if has {
		c.now = now
	}
	if waiting := f.pending[ref]; waiting != nil {
		c.fresh = waiting.fresh
		c.ended = ended || waiting.ended
	} else {
		f.order = append(f.order, ref)
	}
	f.pending[ref] = c
	if ended && has {
		f.totals = f.totals.plus(factsOf(now.row).result)
	}
}

// take empties pending and returns it in the order of first change.
func (f *feed) take() []*change {
	out := make([]*change, 0, len(f.order))
	for _, ref := range f.order {
		out = append(out, f.pending[ref])
	}
	clear(f.pending)
	f.order = f.order[:0]
	return out
}

// skip forgets the frames and what is pending: the feed goes on from offset.
func (f *feed) skip(offset uint64) {
	f.take()
	f.first, f.frames, f.bytes = f.end(), nil, 0
	f.offset, f.base = offset, offset
}

// end is the number that the next frame gets.
func (f *feed) end() int64 { return f.first + int64(len(f.frames)) }

// add appends a frame and drops the oldest that are over the ring's bounds.
func (f *feed) add(fr frame) {
	f.frames = append(f.frames, fr)
	f.bytes += len(fr.data)
	for len(f.frames) > f.maxFrames || f.bytes > f.maxBytes && len(f.frames) > 1 {
		old := f.frames[0]
		f.bytes -= len(old.data)
		f.base = old.to
		f.frames[0] = frame{}
		f.frames = f.frames[1:]
		f.first++
	}
	f.offset = fr.to
}

func (f *feed) wake() {
	close(f.notify)
	f.notify = make(chan struct{})
}

// seek returns the number of the first frame that a viewer at offset misses,
// and whether the ring reaches back that far.
func (f *feed) seek(offset uint64) (int64, bool) {
	if offset < f.base {
		return 0, false
	}
	for i, fr := range f.frames {
		if fr.to > offset {
			return f.first + int64(i), true
		}
	}
	return f.end(), true
}

// cut makes the frames of one flush, at least one: the changes that are kept,
// and the counts of those left out, nil when there are none.
func cut(j job, kept []*change, left counts, now int64) []frame {
	var frames []frame
	for len(kept) > 0 {
		n, offset := min(len(kept), maxRows), j.from
		if n == len(kept) && left == nil {
			offset = j.to
		}
		frames = append(frames, frame{data: encodeRows(offset, now, kept[:n])})
		kept = kept[n:]
	}
	if left != nil {
		frames = append(frames, frame{data: encodeElided(j.from, j.to, j.to, now, left)})
	}
	for i := range frames {
		frames[i].from, frames[i].to, frames[i].totals = j.from, j.to, j.totals
	}
	frames[len(frames)-1].last = true
	return frames
}
