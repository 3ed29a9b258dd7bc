package server

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/reconcile-tracer/tracer/server/classroom"
	"github.com/reconcile-tracer/tracer/server/watch"
)

// room keeps the classroom's Room for many goroutines, and tells the watch of
// each change.
type room struct {
	mu   sync.Mutex
	core *classroom.Room
	tell func(state []byte)
	// browsers counts the pages that watch in each browser.
	browsers map[string]int
	// guests counts who watches by the viewers' listener.
	guests atomic.Int64
}

func newRoom(tell func([]byte)) *room {
	k := &room{core: classroom.New(), tell: tell, browsers: map[string]int{}}
	_ = k.change(func(*classroom.Room) (bool, error) { return true, nil })
	return k
}

// change does something to the room, and tells if it changed.
func (k *room) change(do func(*classroom.Room) (changed bool, err error)) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	changed, err := do(k.core)
	if !changed {
		return err
	}
	state, bad := json.Marshal(k.core.State())
	if bad != nil {
		return errors.Join(err, fmt.Errorf("encoding the room: %w", bad))
	}
	k.tell(state)
	return err
}

// SetLesson shows the state of a lesson to everyone; nil is none. The room keeps
// it. It may be called from any goroutine.
func (k *room) SetLesson(lesson json.RawMessage) error {
	return k.change(func(r *classroom.Room) (bool, error) { return r.SetLesson(lesson), nil })
}

// join counts a page that watches, in a browser that has a name or "", until what
// it returns is called.
func (k *room) join(page, browser string, presents bool) (left func()) {
	_ = k.change(func(r *classroom.Room) (bool, error) {
		k.browsers[browser]++
		return r.Join(page, presents), nil
	})
	return func() {
		_ = k.change(func(r *classroom.Room) (bool, error) {
			if k.browsers[browser]--; k.browsers[browser] == 0 {
				delete(k.browsers, browser)
			}
			return r.Leave(page, presents), nil
		})
	}
}

// watches says whether somebody watches in a browser that has a name.
func (k *room) watches(browser string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return browser != "" && k.browsers[browser] > 0
}

// watchRoom lets a page watch what is live.
func (h *Hub) watchRoom(w http.ResponseWriter, r *http.Request) { h.watchIn(h.watch, w, r) }

// watchIn lets a page watch and counts it into the room. The parameter page is the
// name that the page has made up for itself.
func (h *Hub) watchIn(of *watch.Hub, w http.ResponseWriter, r *http.Request) {
	page := rand.Text()
	// What is wrong in the rest of the query, the watch says.
	if q, err := watch.ParseQuery(r.URL.RawQuery); err == nil && q.Has("page") {
		page = q.Get("page")
		if err := classroom.CheckPage(page); err != nil {
			fail(w, http.StatusBadRequest, "%v", err)
			return
		}
		q.Del("page")
		r.URL.RawQuery = q.Encode()
	}
	who := h.roleOf(r)
	full, left := h.admit(r)
	defer left()
	browser := h.knowWatching(w, r)
	joined := func() func() { return h.room.join(page, browser, who == presenter) }
	of.ServeGuest(w, r, watch.Guest{Full: full, Joined: joined, OfMany: shared(r)})
}

// admit counts who watches, live or a recording, by the viewers' listener until
// left is called, and says why there is no place; "" where there is one.
func (h *Hub) admit(r *http.Request) (full string, left func()) {
	if !shared(r) {
		return "", func() {}
	}
	if h.room.guests.Add(1) > int64(h.cfg.ShareViewers) {
		full = h.fullWords()
	}
	return full, func() { h.room.guests.Add(-1) }
}

// fullWords say why a viewer finds no place, and what helps.
func (h *Hub) fullWords() string {
	return fmt.Sprintf("The room is full: %d watch, the limit. Close a page that nobody looks at, or ask the presenter to start with --share-viewers %d",
		h.cfg.ShareViewers, 2*h.cfg.ShareViewers)
}

// isFull says whether a page that is opened now would find no place to watch. One
// that goes from one address to another has its own, which it gives up for it.
func (h *Hub) isFull(r *http.Request) bool {
	return shared(r) && h.room.guests.Load() >= int64(h.cfg.ShareViewers) && !h.room.watches(h.browserOf(r))
}

// present takes what the presenter's page shows.
func (h *Hub) present(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Page string `json:"page"`
		Take bool   `json:"take"`
		classroom.Meaning
	}
	if !h.readRoom(w, r, &asked) {
		return
	}
	if err := errors.Join(classroom.CheckPage(asked.Page), asked.Check(), h.canShow(asked.Recording)); err != nil {
		fail(w, http.StatusBadRequest, "%v", err)
		return
	}
	answerRoom(w, h.room.change(func(room *classroom.Room) (bool, error) {
		return room.Present(asked.Page, asked.Meaning, asked.Take)
	}))
}

// canShow says what is wrong with a recording that the presenter's page names, ""
// being what is live: viewers could not go there.
func (h *Hub) canShow(recording string) error {
	if recording == "" && h.cfg.Replay == "" {
		return nil
	}
	if _, err := h.recordings.named(recording); err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	return nil
}

// follow takes whether a viewer's page follows.
func (h *Hub) follow(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Page      string `json:"page"`
		Following bool   `json:"following"`
	}
	if !h.readRoom(w, r, &asked) {
		return
	}
	answerRoom(w, h.room.change(func(room *classroom.Room) (bool, error) {
		return room.Follow(asked.Page, asked.Following)
	}))
}

// callBack calls everyone back to the presenter.
func (h *Hub) callBack(w http.ResponseWriter, r *http.Request) {
	if !h.ownPage(w, r, "a call") {
		return
	}
	answerRoom(w, h.room.change(func(room *classroom.Room) (bool, error) {
		room.Call()
		return true, nil
	}))
}

// readRoom reads what a page says of itself; false when it has answered.
func (h *Hub) readRoom(w http.ResponseWriter, r *http.Request, into any) bool {
	data, ok := h.body(w, r, "what a page says of itself", readJSON)
	if !ok {
		return false
	}
	if err := json.Unmarshal(data, into); err != nil {
		fail(w, http.StatusBadRequest, "the body is not what a page says of itself: %s", mistyped(err))
		return false
	}
	return true
}

// mistyped says of an error of encoding/json what is there, without the names of
// Go's types.
func mistyped(err error) string {
	wrong, is := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case !is:
		return err.Error()
	case wrong.Field == "":
		return "it is JSON of the kind " + wrong.Value + ", and must be an object"
	}
	return wrong.Field + " cannot be " + wrong.Value
}

func answerRoom(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, classroom.ErrOther), errors.Is(err, classroom.ErrNotHere), errors.Is(err, classroom.ErrRefused):
		fail(w, http.StatusConflict, "%v", err)
	case err != nil:
		fail(w, http.StatusInternalServerError, "%v", err)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}
