package server

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/reconcile-tracer/tracer/server/flow"
)

// Lessons plays lessons for the page. Its errors may have a method
// HTTPStatus() int, which chooses the answer's status; 500 otherwise. Their
// text is shown to the user. It may be called concurrently.
type Lessons interface {
	// List returns the lessons that there are, as encoding/json takes them.
	List() any
	// Start begins a lesson, and returns before it is ready.
	Start(id string) error
	// Do gives a command: next, previous, restart or stop.
	Do(ctx context.Context, command string) error
	// Answer takes a viewer's answer to the question of a beat. Viewer tells
	// viewers apart, and nothing else about them.
	Answer(ctx context.Context, viewer string, beat, choice int) error
	// State returns the lesson as it is now, as encoding/json takes it; nil
	// when none is played.
	State() any
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
	r.Get("/lessons", h.withLessons(func(w http.ResponseWriter, _ *http.Request) {
		answerJSON(w, map[string]any{"lessons": h.cfg.Lessons.List()})
	}))
	r.Post("/lessons/{id}/start", h.withLessons(h.startLesson))
	for _, command := range []string{"next", "previous", "restart", "stop"} {
		r.Post("/lesson/"+command, h.withLessons(func(w http.ResponseWriter, r *http.Request) {
			if h.refuseForeign(w, r) {
				return
			}
			h.answerLesson(w, r, h.cfg.Lessons.Do(r.Context(), command))
		}))
	}
}

// lessonViewerRoutes are what of a lesson everyone in the class may call.
func (h *Hub) lessonViewerRoutes(r chi.Router) {
	r.Get("/lesson", h.withLessons(h.lessonState))
	r.Post("/lesson/answer", h.withLessons(h.answerQuestion))
}

// withLessons answers where there is nobody who plays lessons.
func (h *Hub) withLessons(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if h.cfg.Lessons == nil {
			fail(w, http.StatusServiceUnavailable, "the hub has no cluster to play lessons on: start it with --kubeconfig, or use `tracer demo`")
			return
		}
		next(w, r)
	}
}

// refuseForeign answers a request that comes from another site's page.
func (h *Hub) refuseForeign(w http.ResponseWriter, r *http.Request) bool {
	err := h.cross.Check(r)
	if same, there := h.sameOrigin(r); err == nil && there && !same {
		err = fmt.Errorf("not from %q", flow.Brief(r.Header.Get("Origin")))
	}
	if err != nil {
		fail(w, http.StatusForbidden, "a lesson's command must come from this hub's own page: %v", err)
	}
	return err != nil
}

func (h *Hub) lessonState(w http.ResponseWriter, _ *http.Request) {
	answerJSON(w, map[string]any{"lesson": h.cfg.Lessons.State()})
}

func (h *Hub) startLesson(w http.ResponseWriter, r *http.Request) {
	if h.refuseForeign(w, r) {
		return
	}
	h.answerLesson(w, r, h.cfg.Lessons.Start(chi.URLParam(r, "id")))
}

// answerLesson answers a command with the lesson as it is then.
func (h *Hub) answerLesson(w http.ResponseWriter, r *http.Request, err error) {
	if err != nil {
		fail(w, actionStatus(err), "%v", err)
		return
	}
	h.lessonState(w, r)
}

// viewerCookie tells those who answer apart, so that each counts once.
const viewerCookie = "tracer-viewer"

func (h *Hub) answerQuestion(w http.ResponseWriter, r *http.Request) {
	if h.refuseForeign(w, r) {
		return
	}
	var answer struct{ Beat, Choice *int }
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<10))
	if err == nil {
		err = json.Unmarshal(body, &answer)
	}
	if err != nil || answer.Beat == nil || answer.Choice == nil {
		fail(w, http.StatusBadRequest, `the body is not an answer: send {"beat":2,"choice":0}, beats from 1 and choices from 0`)
		return
	}
	if err := h.cfg.Lessons.Answer(r.Context(), h.viewerOf(w, r), *answer.Beat, *answer.Choice); err != nil {
		fail(w, actionStatus(err), "%v", err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// viewerOf knows a browser again by a random cookie.
func (h *Hub) viewerOf(w http.ResponseWriter, r *http.Request) string {
	if c, err := r.Cookie(viewerCookie); err == nil && len(c.Value) == len(rand.Text()) {
		return c.Value
	} else if err != nil && !errors.Is(err, http.ErrNoCookie) {
		h.cfg.Log.Debug("a viewer's cookie", "error", err)
	}
	name := rand.Text()
	http.SetCookie(w, &http.Cookie{
		Name: viewerCookie, Value: name, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil,
	})
	return name
}

func answerJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(value)
}
