package watch

import (
	"bytes"
	"strconv"
	"sync"
)

// Guest is what the caller knows of who is about to watch. Its zero value is
// somebody of whom nothing is known.
type Guest struct {
	// Full is why there is no place, "" where there is one. Who is turned away
	// is told after the upgrade, since a page cannot read the answer before it.
	Full string
	// OfMany says that it is one of those of whom anybody can be: they may not
	// take up all the filters that can be watched at once.
	OfMany bool
	// Joined is called when the viewer watches, and what it returns when it does
	// no more. nil is nothing.
	Joined func() (left func())
}

// Room is what every viewer is told beside the rows, of one Hub or of several. It
// is no row: it is not journalled, belongs to no position, and passes every filter.
type Room struct {
	mu      sync.Mutex
	version int64
	data    []byte
	changed chan struct{} // closed and replaced with each version
}

// NewRoom makes a Room of which nothing is told yet.
func NewRoom() *Room { return &Room{changed: make(chan struct{})} }

// Set replaces what is told: the JSON of an object, which is kept. A viewer gets
// it after its first frames, and each time it differs from what it has; of changes
// that follow fast, only the last.
func (r *Room) Set(data []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if bytes.Equal(r.data, data) {
		return
	}
	r.version++
	r.data = data
	close(r.changed)
	r.changed = make(chan struct{})
}

// roomNow returns the room when the viewer has not had it yet, and what to wait
// for otherwise.
func (v *viewer) roomNow() (m message, changed <-chan struct{}) {
	r := v.hub.cfg.Room
	r.mu.Lock()
	defer r.mu.Unlock()
	if v.room == r.version {
		return nil, r.changed
	}
	v.room = r.version
	return encodeRoom(r.data, v.hub.cfg.Now().UnixMicro()), nil
}

// encodeRoom stamps the room with the time that it is, also where the other frames
// carry that of a recording.
func encodeRoom(data []byte, now int64) message {
	head := append([]byte(`{"type":"room","now":`), strconv.FormatInt(now, 10)...)
	return message{append(head, `,"room":`...), data, []byte("}")}
}
