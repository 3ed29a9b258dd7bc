package watch

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/reconcile-tracer/tracer/server/flow"
)

// Position is a place in the stream: which history, and how far in it.
type Position struct {
	Epoch  string
	Offset uint64
}

// String writes a position as ParsePosition reads it.
func (p Position) String() string { return p.Epoch + ":" + strconv.FormatUint(p.Offset, 10) }

// maxPosition bounds a position's text.
const maxPosition = 64

// ParsePosition reads <epoch>:<offset>.
func ParsePosition(s string) (Position, error) {
	epoch, offset, ok := strings.Cut(s, ":")
	n, err := strconv.ParseUint(offset, 10, 64)
	if !ok || err != nil || epoch == "" || len(s) > maxPosition || strings.Trim(epoch, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		return Position{}, fmt.Errorf("from=%s is not a position: use <epoch>:<offset> as the last frame had it, or leave it out", flow.Brief(s))
	}
	return Position{epoch, n}, nil
}

// Reasons for a snapshot.
const (
	reasonStart  = "start"
	reasonLagged = "lagged"
	reasonEpoch  = "epoch"
	reasonFilter = "filter"
)

// viewer is one who watches: a place in a feed's ring. One goroutine uses it.
type viewer struct {
	hub   *Hub
	feed  *feed
	limit int
	// next is the number of the frame that it gets next, offset how far it is,
	// totals the feed's counts there (nil when they are not known).
	next   int64
	offset uint64
	totals counts
	known  bool
	// reason is why it gets a snapshot first, "" when it does not.
	reason string
	// resume says that it is told first where it goes on.
	resume bool
	// room is the version of the room that it has had, 0 for none.
	room int64
	// pinned is the item that it has pinned, wanted says that it is to get all rows
	// of it. The Hub's lock guards both. told is told of it, and has room for one.
	pinned itemOf
	wanted bool
	told   chan struct{}
}

// subscribeBelow makes a viewer, who may add a filter only where there are fewer
// than most. leave must be called in the end.
func (h *Hub) subscribeBelow(most int, f Filter, from *Position) (*viewer, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.ready {
		return nil, ErrNotReady
	}
	if h.viewers >= h.cfg.MaxViewers {
		return nil, ErrTooMany
	}
	fd, fresh, err := h.feedFor(most, f)
	if err != nil {
		return nil, err
	}
	v := &viewer{hub: h, feed: fd, limit: f.Limit, told: make(chan struct{}, 1)}
	if v.limit == 0 {
		v.limit = h.cfg.Limit
	}
	v.seek(from, fresh)
	h.viewers++
	fd.viewers++
	return v, nil
}

func (h *Hub) feedFor(most int, f Filter) (fd *feed, fresh bool, err error) {
	key := f.key()
	if fd = h.feeds[key]; fd != nil {
		return fd, false, nil
	}
	if len(h.feeds) >= most && !h.forgetFeed() {
		return nil, false, ErrManyFilters
	}
	fd = h.newFeed(f)
	h.feeds[key] = fd
	return fd, true, nil
}

// forgetFeed makes room: of the feeds that nobody watches, the one that was left
// first goes. Who comes back to it gets a snapshot.
func (h *Hub) forgetFeed() bool {
	oldest := ""
	for key, f := range h.feeds {
		if f.viewers == 0 && key != (Filter{}).key() && (oldest == "" || f.leftAt.Before(h.feeds[oldest].leftAt)) {
			oldest = key
		}
	}
	delete(h.feeds, oldest)
	return oldest != ""
}

// seek decides between the missing frames and a snapshot.
func (v *viewer) seek(from *Position, fresh bool) {
	switch {
	case from == nil:
		v.reason = reasonStart
	case from.Epoch != v.hub.epoch || from.Offset > v.hub.offset:
		v.reason = reasonEpoch
	default:
		next, ok := v.feed.seek(from.Offset)
		if ok {
			v.next, v.offset, v.resume = next, from.Offset, true
			return
		}
		v.reason = reasonLagged
		if fresh {
			v.reason = reasonFilter
		}
	}
}

func (v *viewer) leave() {
	v.hub.mu.Lock()
	defer v.hub.mu.Unlock()
	_ = v.feed.pin(v.pinned, itemOf{}) // none is never refused
	v.hub.viewers--
	v.feed.viewers--
	v.feed.leftAt = v.hub.cfg.Now()
}

// message is one websocket message in parts, which viewers share.
type message [][]byte

// wait waits until there is something to send and returns it.
func (v *viewer) wait(ctx context.Context) ([]message, error) {
	if v.resume {
		v.resume = false
		return []message{{encodeBookmark(v.hub.epoch, v.offset, v.hub.stamp(v.hub.cfg.Now()))}}, nil
	}
	for v.reason == "" {
		msgs, notify := v.frames()
		if len(msgs) > 0 {
			return msgs, nil
		}
		if v.reason != "" {
			break
		}
		if msgs := v.pinnedRows(); len(msgs) > 0 {
			return msgs, nil
		}
		if v.reason != "" {
			break
		}
		room, changed := v.roomNow()
		if room != nil {
			return []message{room}, nil
		}
		select {
		case <-notify:
		case <-changed:
		case <-v.told:
		case <-v.hub.closed:
			return nil, errClosing
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	return v.snapshot(), nil
}

// maxAtOnce is how many frames a viewer holds outside of the ring, and the rest
// of a flush, which it takes whole: between its frames it has no position.
const maxAtOnce = 8

// frames returns the next frames of the ring and steps over them, or nothing
// and what to wait for. A viewer that has fallen off gets a reason instead.
func (v *viewer) frames() ([]message, <-chan struct{}) {
	v.hub.mu.Lock()
	defer v.hub.mu.Unlock()
	return v.step(maxAtOnce), v.feed.notify
}

// step is frames with the Hub's lock held, for so many frames at least.
func (v *viewer) step(n int) []message {
	f := v.feed
	if v.next < f.first {
		v.reason = reasonLagged
		v.hub.lagged.Add(1)
		return nil
	}
	var msgs []message
	for whole := true; v.next < f.end() && (!whole || len(msgs) < n); {
		fr := f.frames[v.next-f.first]
		v.next++
		whole = fr.last
		msgs = append(msgs, message{fr.data})
		if fr.last {
			v.offset, v.totals, v.known = fr.to, fr.totals, true
		}
	}
	return msgs
}

// snapshot gives the viewer the whole table, and what it has missed for good.
func (v *viewer) snapshot() []message {
	h := v.hub
	s := h.snapshot(v.feed, v.limit)
	now := h.stamp(h.cfg.Now())
	msgs := []message{{s.head(h.epoch, v.reason, now), s.rows, []byte("}")}}
	if v.reason == reasonLagged && v.known {
		missed := s.missed(v.offset, v.totals)
		if data := encodeElided(v.offset, s.offset, s.offset, now, missed); data != nil {
			msgs = append(msgs, message{data})
			for _, n := range missed {
				h.elided.Add(n)
			}
		}
	}
	v.reason = ""
	v.want()
	v.next, v.offset, v.totals, v.known = s.next, s.offset, s.totals, true
	return msgs
}
