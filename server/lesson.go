package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/go-chi/chi/v5"
)

// Lessons plays lessons for the page. Its errors may have a method
// HTTPStatus() int, which chooses the answer's status; 500 otherwise. Their
// text is shown to the user. It may be called concurrently.
type Lessons interface {
	// List returns the lessons that there are, as encoding/json takes them.
	List() any
	// StartAt begins a lesson at a beat, from 1, and returns before it is ready.
	StartAt(id string, beat int) error
	// DoAt gives a command: next, previous, restart or stop. Beat, from 1, and
	// state are where the lesson was for who gave it: where it is elsewhere by now,
	// nothing is done but a stop. Beat 0 is wherever it is.
	DoAt(ctx context.Context, command string, beat int, state string) error
	// Answer takes a viewer's answer to the question of a beat. Viewer tells
	// viewers apart, and nothing else about them.
	Answer(ctx context.Context, viewer string, beat, choice int) error
	// State returns the lesson as it is now, as encoding/json takes it; nil
	// when none is played.
	State() any
	// Mine returns what a viewer has answered to the question that is shown.
	Mine(viewer string) (choice int, ok bool)
}

// ShowLesson shows the state of a lesson to everyone in the room; a nil one, of
// whatever type, is none. It may be called from any goroutine once New has
// returned.
func (h *Hub) ShowLesson(state any) {
	text, err := json.Marshal(state)
	if err == nil {
		err = h.room.SetLesson(text)
	}
	if err != nil {
		h.cfg.Log.Error("a lesson was not shown", "error", err)
	}
}

// lessonRoutes are the presenter's.
func (h *Hub) lessonRoutes(r chi.Router) {
	r.Get("/lessons", h.listLessons)
	r.Post("/lessons/{id}/start", h.withLessons(h.startLesson))
	for _, command := range []string{"next", "previous", "restart", "stop"} {
		r.Post("/lesson/"+command, h.withLessons(func(w http.ResponseWriter, r *http.Request) {
			h.commandLesson(w, r, command)
		}))
	}
}

// lessonViewerRoutes are what of a lesson everyone in the class may call.
func (h *Hub) lessonViewerRoutes(r chi.Router) {
	r.Get("/lesson", h.withLessons(h.lessonState))
	r.Post("/lesson/answer", h.withLessons(h.answerQuestion))
}

// noLessons says why the hub plays no lessons.
const noLessons = "the hub has no cluster to play lessons on: start it with --kubeconfig, or run tracer demo"

// listLessons answers with a list in any case: that there are none is no error
// of who asks.
func (h *Hub) listLessons(w http.ResponseWriter, _ *http.Request) {
	if h.cfg.Lessons == nil {
		answerJSON(w, map[string]any{"lessons": []any{}, "note": noLessons})
		return
	}
	answerJSON(w, map[string]any{"lessons": h.cfg.Lessons.List()})
}

// withLessons answers where there is nobody who plays lessons.
func (h *Hub) withLessons(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if h.cfg.Lessons == nil {
			fail(w, http.StatusServiceUnavailable, noLessons)
			return
		}
		next(w, r)
	}
}

// lessonState tells the lesson, and what the browser that asks has answered to
// the question of its beat.
func (h *Hub) lessonState(w http.ResponseWriter, r *http.Request) {
	state := map[string]any{"lesson": h.cfg.Lessons.State()}
	if choice, ok := h.cfg.Lessons.Mine(h.voterOf(r)); ok {
		state["mine"] = choice
	}
	answerJSON(w, state)
}

func (h *Hub) startLesson(w http.ResponseWriter, r *http.Request) {
	body, ok := h.body(w, r, "a lesson's command", readBody)
	if !ok {
		return
	}
	at := struct {
		Beat int `json:"beat"`
	}{1}
	if err := unmarshalSome(body, &at); err != nil {
		fail(w, http.StatusBadRequest, `the body does not say at which beat: %s: send {"beat":4}, or nothing for the first`, mistyped(err))
		return
	}
	h.answerLesson(w, r, h.cfg.Lessons.StartAt(chi.URLParam(r, "id"), at.Beat))
}

// unmarshalSome decodes a body that may be empty.
func unmarshalSome(body []byte, into any) error {
	if len(body) == 0 {
		return nil
	}
	return json.Unmarshal(body, into)
}

// commandLesson gives a command, with or without where it was meant.
func (h *Hub) commandLesson(w http.ResponseWriter, r *http.Request, command string) {
	body, ok := h.body(w, r, "a lesson's command", readBody)
	if !ok {
		return
	}
	var meant struct {
		Beat  int    `json:"beat"`
		State string `json:"state"`
	}
	err := unmarshalSome(body, &meant)
	if err == nil && (meant.Beat < 0 || (meant.Beat == 0) != (meant.State == "")) {
		err = errors.New("it needs both a beat, from 1, and its state")
	}
	if err != nil {
		fail(w, http.StatusBadRequest, `the body does not say where the lesson was: %s: send {"beat":2,"state":"ready"}, as it is shown, or nothing`, mistyped(err))
		return
	}
	h.answerLesson(w, r, h.cfg.Lessons.DoAt(r.Context(), command, meant.Beat, meant.State))
}

// answerLesson answers a command with the lesson as it is then.
func (h *Hub) answerLesson(w http.ResponseWriter, r *http.Request, err error) {
	if err != nil {
		fail(w, actionStatus(err), "%v", err)
		return
	}
	h.lessonState(w, r)
}

// answer is what a question was answered with, and by whom.
type answer struct {
	voter        string
	beat, choice int
}

// answerQuestion takes an answer of somebody who watches: one for each browser.
func (h *Hub) answerQuestion(w http.ResponseWriter, r *http.Request) {
	a, ok := h.readAnswer(w, r)
	if !ok {
		return
	}
	if err := h.cfg.Lessons.Answer(r.Context(), a.voter, a.beat, a.choice); err != nil {
		fail(w, actionStatus(err), "%v", err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// readAnswer reads an answer; false when it has said what is wrong with it.
func (h *Hub) readAnswer(w http.ResponseWriter, r *http.Request) (a answer, ok bool) {
	body, ok := h.body(w, r, "an answer", readJSON)
	if !ok {
		return a, false
	}
	var sent struct {
		Beat   *int `json:"beat"`
		Choice *int `json:"choice"`
	}
	err := json.Unmarshal(body, &sent)
	if err == nil && (sent.Beat == nil || sent.Choice == nil) {
		err = errors.New("it needs both a beat and a choice")
	}
	if err != nil {
		fail(w, http.StatusBadRequest, `the body is not an answer: %s: send {"beat":2,"choice":0}, beats from 1 and choices from 0`, mistyped(err))
		return a, false
	}
	voter := h.voterOf(r)
	if voter == "" {
		fail(w, http.StatusConflict, "answers are taken of pages that watch, in browsers that this hub knows: open the page anew, with cookies, and answer there "+
			"(from one address it knows %d browsers, then one a minute more)", browsersAtOnce)
		return a, false
	}
	return answer{voter, *sent.Beat, *sent.Choice}, true
}

func answerJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(value)
}
