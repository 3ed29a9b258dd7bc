package classroom

import (
	"encoding/json"
	"errors"
	"slices"
)

// Errors of a Room, for the page that asked.
var (
	// ErrOther says that another page presents already.
	ErrOther = errors.New("another page of the presenter is presenting: take over there, or close it")
	// ErrNotHere says that a page speaks which does not watch.
	ErrNotHere = errors.New("the page is not watching: open its watch first, with the same page=")
)

// State is what every page is to know of the room.
type State struct {
	// Viewers is how many pages of viewers watch, Following how many of them
	// follow the presenter.
	Viewers   int       `json:"viewers"`
	Following int       `json:"following"`
	Presenter Presenter `json:"presenter"`
	// Call rises each time the presenter calls everyone back.
	Call int `json:"call"`
	// Lesson is the state of the lesson that runs, null without one.
	Lesson json.RawMessage `json:"lesson"`
	// Poll is what was answered to the question of a recorded lesson, null without
	// one.
	Poll *Poll `json:"poll"`
}

// Presenter is who leads.
type Presenter struct {
	// Here says that the page that presents watches now. Page is its name, ""
	// while nobody has presented yet.
	Here bool   `json:"here"`
	Page string `json:"page"`
	Meaning
}

// page is one page that watches, over one connection or, while it reconnects,
// over two.
type page struct {
	connections int
	following   bool
}

// who is a page by its role and name. A name alone is nobody's: pages make theirs
// up, and everyone is told the presenter's.
type who struct {
	name      string
	presenter bool
}

// Room is one room. The zero value is not ready: use New.
type Room struct {
	pages map[who]*page
	state State
	// answers are the choices by voter; who that is, nobody is told.
	answers map[string]int
}

// New makes a room with nobody in it.
func New() *Room {
	return &Room{pages: map[who]*page{}, answers: map[string]int{}, state: State{Presenter: Presenter{Meaning: Live()}}}
}

// Join says that a page began to watch. A viewer follows until it says
// otherwise. Each Join needs its Leave.
func (r *Room) Join(name string, presenter bool) (changed bool) {
	p := r.pages[who{name, presenter}]
	if p == nil {
		p = &page{following: !presenter}
		r.pages[who{name, presenter}] = p
	}
	p.connections++
	return r.settle()
}

// Leave says that a connection of a page has ended.
func (r *Room) Leave(name string, presenter bool) (changed bool) {
	p := r.pages[who{name, presenter}]
	if p == nil {
		return false
	}
	if p.connections--; p.connections <= 0 {
		delete(r.pages, who{name, presenter})
	}
	return r.settle()
}

// Present takes what the presenter's page means to show. The first page that
// does it presents; another gets ErrOther while that one is here, unless it
// takes over.
func (r *Room) Present(name string, m Meaning, take bool) (changed bool, err error) {
	if r.pages[who{name, true}] == nil {
		return false, ErrNotHere
	}
	now := &r.state.Presenter
	if now.Here && now.Page != name && !take {
		return false, ErrOther
	}
	before := *now
	now.Page, now.Meaning = name, m
	r.asked(before.Meaning)
	return r.settle() || !before.same(*now), nil
}

// Follow says whether a viewer's page follows the presenter.
func (r *Room) Follow(name string, following bool) (changed bool, err error) {
	p := r.pages[who{name, false}]
	if p == nil {
		return false, ErrNotHere
	}
	p.following = following
	return r.settle(), nil
}

// Call calls everyone back.
func (r *Room) Call() { r.state.Call++ }

// SetLesson replaces the state of the lesson; nil is none. The room keeps it.
func (r *Room) SetLesson(lesson json.RawMessage) (changed bool) {
	changed = !slices.Equal(r.state.Lesson, lesson)
	r.state.Lesson = lesson
	return changed
}

// State is what everyone is to know now.
func (r *Room) State() State { return r.state }

// settle counts anew who is here, and says whether that has changed.
func (r *Room) settle() bool {
	viewers, following := 0, 0
	for who, p := range r.pages {
		if who.presenter {
			continue
		}
		viewers++
		if p.following {
			following++
		}
	}
	s := &r.state
	here := s.Presenter.Page != "" && r.pages[who{s.Presenter.Page, true}] != nil
	changed := viewers != s.Viewers || following != s.Following || here != s.Presenter.Here
	s.Viewers, s.Following, s.Presenter.Here = viewers, following, here
	return changed
}
