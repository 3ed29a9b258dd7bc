package watch

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/reconcile-tracer/tracer/server/flow"
)

// Config holds what a Hub needs; the zero value of each is its default.
type Config struct {
	// MaxViewers is how many may watch at once. 0 is 10,000.
	MaxViewers int
	// MaxFeeds is how many different filters may be watched at once. 0 is 64.
	MaxFeeds int
	// Ping is how often a viewer must prove that it is there. 0 is 20 s.
	Ping time.Duration
	// WriteTimeout is how long one message to a viewer may take. 0 is 30 s.
	WriteTimeout time.Duration
	// RingFrames and RingBytes bound what is kept of each filter's frames for
	// viewers who are behind or come back. 0 is 1,024, and 8 MiB.
	RingFrames, RingBytes int
	// MaxRate is how many reconciles that end well a feed sends a second, MaxBurst
	// how many at once after there were fewer. Where there are more, SampleRate a
	// second are sent until they are fewer again; the others are elided. 0 is
	// 2,000, 4,000 and 400.
	MaxRate, MaxBurst, SampleRate int
	// Now is the clock of what viewers see. nil is time.Now.
	Now func() time.Time
	// At is the time that frames carry instead of now, in microseconds since
	// the epoch: the end of what is shown, where that is a recording. 0 is now.
	At int64
	// Limit is how many reconciles a snapshot holds for who does not say. 0 is
	// DefaultLimit.
	Limit int
	// Room is what viewers are told beside the rows. nil is one of its own.
	Room *Room
	// Log is where faults go. nil is slog.Default().
	Log *slog.Logger
}

func (c Config) withDefaults() Config {
	c.MaxViewers = cmp.Or(c.MaxViewers, 10_000)
	c.MaxFeeds = cmp.Or(c.MaxFeeds, 64)
	c.RingFrames = cmp.Or(c.RingFrames, 1024)
	c.RingBytes = cmp.Or(c.RingBytes, 8<<20)
	c.MaxRate = cmp.Or(c.MaxRate, 2_000)
	c.MaxBurst = cmp.Or(c.MaxBurst, 4_000)
	c.SampleRate = cmp.Or(c.SampleRate, 400)
	c.Limit = cmp.Or(c.Limit, DefaultLimit)
	c.Ping = cmp.Or(c.Ping, 20*time.Second)
	c.WriteTimeout = cmp.Or(c.WriteTimeout, 30*time.Second)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Room == nil {
		c.Room = NewRoom()
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return c
}

const (
	// bookmarkAfter is how long a feed says nothing while the offset goes on,
	// and quietAfter how long when it does not.
	bookmarkAfter = time.Second
	quietAfter    = 2 * time.Second
	// pressedTick is the time between frames while reconciles are elided: what
	// changes again within it is sent once.
	pressedTick = 100 * time.Millisecond
	// feedKept is how long a feed is kept without a viewer, for it to resume.
	feedKept = time.Minute
)

// Errors that Subscribe answers.
var (
	ErrNotReady    = errors.New("the hub is still reading its journal: try again in a moment")
	ErrTooMany     = errors.New("as many viewers as the hub takes are watching: close one")
	ErrManyFilters = errors.New("as many different filters as the hub takes are being watched: use one of them, or none")
)

// Hub holds the table and the viewers. One goroutine calls Publish, one runs
// Run; all else may be called from any goroutine.
type Hub struct {
	cfg  Config
	wake chan struct{} // room for one

	// making is held from taking a feed's changes to adding their frames, so
	// that frames stay in order. It is locked before mu. pressed says that the
	// last flush elided.
	making  sync.Mutex
	pressed atomic.Bool

	mu      sync.Mutex
	epoch   string
	ready   bool
	offset  uint64
	table   table
	feeds   map[string]*feed
	viewers int
	closed  chan struct{}  // closed when Run ends
	serving sync.WaitGroup // the viewers' handlers

	frames  atomic.Int64
	lagged  atomic.Int64
	elided  atomic.Int64
	written atomic.Int64
}

// New makes a Hub without rows.
func New(cfg Config) *Hub {
	return &Hub{
		cfg: cfg.withDefaults(), wake: make(chan struct{}, 1), table: table{}, feeds: map[string]*feed{},
		closed: make(chan struct{}),
	}
}

// Ready says that what the journal held has been published, and which history
// the offsets are of. Before it nobody can watch.
func (h *Hub) Ready(epoch string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.epoch, h.ready = epoch, true
	// Without a filter there is always a feed, so that a resume finds frames.
	h.feeds[Filter{}.key()] = h.newFeed(Filter{})
}

// Publish takes what a step of the fold put out. Rows are shared, not copied.
func (h *Hub) Publish(offset uint64, outputs []flow.Output) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.offset = max(h.offset, offset)
	for _, out := range outputs {
		if out.Row != nil {
			h.put(flow.RowRef{Kind: out.Row.Kind(), ID: out.Row.ID()}, out.Row)
		} else if out.Gone != nil {
			h.remove(*out.Gone)
		}
	}
	if len(outputs) > 0 {
		h.signal()
	}
}

// Stamp sets what Config.At is, for who learns it only when all is published.
// It must not be called once Ready has been.
func (h *Hub) Stamp(at int64) { h.cfg.At = at }

// stamp is the time that a frame made at now carries.
func (h *Hub) stamp(now time.Time) int64 {
	if h.cfg.At != 0 {
		return h.cfg.At
	}
	return now.UnixMicro()
}

func (h *Hub) put(ref flow.RowRef, row flow.Row) {
	before, ended := h.table.put(ref, row, h.offset)
	now := &encoded{row: row}
	for _, f := range h.feeds {
		f.note(ref, before.row, now, ended)
	}
}

func (h *Hub) remove(ref flow.RowRef) {
	before := h.table[ref]
	delete(h.table, ref)
	for _, f := range h.feeds {
		f.note(ref, before.row, nil, false)
	}
}

func (h *Hub) signal() {
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// Rows returns the rows that a filter chooses, in order of kind and time, at
// most limit (f.Limit, if it is not 0) of a kind, and the position they are of.
func (h *Hub) Rows(f Filter) (rows []flow.Row, epoch string, offset uint64) {
	h.mu.Lock()
	entries := h.table.choose(f)
	epoch, offset = h.epoch, h.offset
	h.mu.Unlock()
	limit := f.Limit
	if limit == 0 {
		limit = len(entries)
	}
	for _, list := range byKind(entries) {
		for _, e := range tail(list, limit) {
			rows = append(rows, e.row)
		}
	}
	return rows, epoch, offset
}

// Wait returns when every viewer has been let go, which begins when Run ends.
func (h *Hub) Wait() { h.serving.Wait() }

// Stats are a Hub's numbers.
type Stats struct {
	Viewers, Feeds int
	// Rows counts the table's rows by kind.
	Rows map[flow.RowKind]int
	// Frames were encoded, Written were sent to viewers, Lagged counts viewers
	// that fell off the ring, Elided the reconciles left out.
	Frames, Written, Lagged, Elided int64
}

// Stats returns the numbers now.
func (h *Hub) Stats() Stats {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := Stats{Viewers: h.viewers, Feeds: len(h.feeds), Rows: map[flow.RowKind]int{}}
	for ref := range h.table {
		s.Rows[ref.Kind]++
	}
	s.Frames, s.Written, s.Lagged, s.Elided = h.frames.Load(), h.written.Load(), h.lagged.Load(), h.elided.Load()
	return s
}

// Run makes frames until ctx ends; then every viewer is told and let go.
func (h *Hub) Run(ctx context.Context) error {
	defer close(h.closed)
	quiet := time.NewTicker(bookmarkAfter)
	defer quiet.Stop()
	var last time.Time
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-quiet.C:
			h.bookmark()
			continue
		case <-h.wake:
		}
		// What comes within a tick of the last frame waits for the tick.
		if rest := h.tick() - time.Since(last); rest > 0 {
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(rest):
			}
		}
		last = time.Now()
		h.flush()
	}
}

// tick is the time between frames: 16 ms for up to 100 viewers, 33 ms for
// 1,000, 100 ms for 10,000, on straight lines between, and no less than
// pressedTick under pressure.
func (h *Hub) tick() time.Duration {
	if h.pressed.Load() {
		return max(pressedTick, h.viewersTick())
	}
	return h.viewersTick()
}

func (h *Hub) viewersTick() time.Duration {
	h.mu.Lock()
	n := time.Duration(h.viewers)
	h.mu.Unlock()
	switch {
	case n <= 100:
		return 16 * time.Millisecond
	case n <= 1000:
		return 16*time.Millisecond + (n-100)*17*time.Millisecond/900
	}
	return 33*time.Millisecond + (n-1000)*67*time.Millisecond/9000
}

// job is the changes of one feed, at least one, on their way to becoming frames.
type job struct {
	feed     *feed
	changes  []*change
	from, to uint64
	totals   counts
	pins     map[itemOf]int
	// captured says that a snapshot has these changes too.
	captured bool
}

// flush makes frames of what all feeds hold.
func (h *Hub) flush() {
	h.making.Lock()
	defer h.making.Unlock()
	pressed := false
	for _, j := range h.jobs() {
		pressed = h.finish(j) || pressed
	}
	h.pressed.Store(pressed)
}

// finish encodes a job outside of mu, adds its frames, and says whether it had
// to elide. making is held.
func (h *Hub) finish(j job) (elided bool) {
	now := h.cfg.Now()
	kept, left, unseen := j.thin(now, h.cfg)
	frames := cut(j, kept, left, h.stamp(now))
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, fr := range frames {
		j.feed.add(fr)
	}
	j.feed.thinned = j.feed.thinned || left != nil
	if !j.captured {
		j.feed.leave(unseen, h.table)
	}
	j.feed.lastFrame = now
	j.feed.wake()
	h.frames.Add(int64(len(frames)))
	return left != nil
}

func (h *Hub) jobs() []job {
	h.mu.Lock()
	defer h.mu.Unlock()
	var jobs []job
	for _, f := range h.feeds {
		switch {
		case len(f.order) == 0:
		case h.abandoned(f):
			f.skip(h.offset) // nobody is there to encode for
		default:
			jobs = append(jobs, h.job(f))
		}
	}
	return jobs
}

// abandoned says that nobody watches a feed, nor has for so long that nobody
// will come back to it.
func (h *Hub) abandoned(f *feed) bool {
	return f.viewers == 0 && h.cfg.Now().Sub(f.leftAt) > feedKept
}

func (h *Hub) job(f *feed) job {
	return job{feed: f, changes: f.take(), from: f.offset, to: h.offset, totals: f.totals, pins: f.pins}
}

// bookmark tells the viewers of a feed that is silent how far the hub is, so
// that their positions stay fresh, and drops feeds that nobody came back to.
func (h *Hub) bookmark() {
	h.making.Lock()
	defer h.making.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.cfg.Now()
	for key, f := range h.feeds {
		if h.abandoned(f) {
			if key != (Filter{}).key() {
				delete(h.feeds, key)
			}
			continue
		}
		silent := now.Sub(f.lastFrame)
		if len(f.order) > 0 || silent < bookmarkAfter || (h.offset == f.offset && silent < quietAfter) {
			continue
		}
		data := encodeBookmark(h.epoch, h.offset, h.stamp(now))
		f.add(frame{from: f.offset, to: h.offset, last: true, data: data, totals: f.totals})
		f.lastFrame = now
		f.wake()
	}
}
