package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/reconcile-tracer/tracer/lessons/engine"
)

// lessonByHub plays the first beats of a lesson by the hub's API.
func (e *demoEnv) lessonByHub(t *testing.T) {
	if _, list := e.call(t, "/api/v1/recordings", http.MethodGet); !strings.Contains(list, `"lesson-3"`) {
		t.Errorf("the demo's recordings are %s, want the lessons among them", list)
	}
	if status, answer := e.call(t, "/api/v1/lesson/next", ""); status != http.StatusConflict {
		t.Errorf("next without a lesson: %d %s, want 409", status, answer)
	}
	if status, answer := e.call(t, "/api/v1/lessons/lesson-99/start", ""); status != http.StatusNotFound {
		t.Errorf("start of an unknown lesson: %d %s, want 404", status, answer)
	}
	if status, answer := e.call(t, "/api/v1/lessons/lesson-1/start", `{"beat":99}`); status != http.StatusBadRequest {
		t.Errorf("start at a beat that is not there: %d %s, want 400", status, answer)
	}
	if status, answer := e.call(t, "/api/v1/lessons/lesson-1/start", ""); status != http.StatusOK {
		t.Fatalf("start: %d %s", status, answer)
	}
	if status, answer := e.call(t, "/api/v1/lessons/lesson-1/start", ""); status != http.StatusConflict {
		t.Errorf("a second start: %d %s, want 409", status, answer)
	}
	e.lessonIs(t, 1, "done")
	e.next(t)
	e.lessonIs(t, 2, "ready")
	e.next(t)
	e.lessonIs(t, 2, "done")
	if status, answer := e.call(t, "/api/v1/lesson/restart", ""); status != http.StatusOK {
		t.Fatalf("restart: %d %s", status, answer)
	}
	e.lessonIs(t, 2, "ready")
	e.next(t)
	e.lessonIs(t, 2, "done")
	e.back(t)
	s := e.lessonIs(t, 2, "done")
	if s.Sel.Reconcile == "" || s.Selectors.Namespace == "" {
		t.Errorf("selects %+v of %+v, want a reconcile", s.Sel, s.Selectors)
	}
	if status, answer := e.call(t, "/api/v1/lesson/answer", `{"beat":2,"choice":0}`); status != http.StatusConflict {
		t.Errorf("an answer to no question: %d %s, want 409", status, answer)
	}
	for range 3 {
		e.next(t)
	}
	e.lessonIs(t, 5, "question")
	if status, answer := e.call(t, "/api/v1/lesson/answer", `{"beat":5,"choice":1}`); status != http.StatusNoContent {
		t.Errorf("an answer: %d %s, want 204", status, answer)
	}
	e.next(t)
	if q := e.lessonIs(t, 5, "done").Question; !q.Reveal || fmt.Sprint(q.Tally) != "[0 1]" || *q.Right != 1 {
		t.Errorf("the question is %+v, want a reveal with one answer for choice 1", q)
	}
	if status, answer := e.call(t, "/api/v1/lesson/stop", ""); status != http.StatusOK || !strings.Contains(answer, `"lesson":null`) {
		t.Errorf("stop: %d %s", status, answer)
	}
	e.eventually(t, "the lesson's namespace is gone", func() error {
		if left := e.lessonNamespaces(t); len(left) > 0 {
			return fmt.Errorf("namespaces %v", left)
		}
		return nil
	})
}

// back goes from beat 2, which is done, to beat 1 and on again.
func (e *demoEnv) back(t *testing.T) {
	t.Helper()
	previous := func(want int) {
		t.Helper()
		if status, answer := e.call(t, "/api/v1/lesson/previous", ""); status != want {
			t.Errorf("previous: %d %s, want %d", status, answer, want)
		}
	}
	previous(http.StatusOK)
	e.lessonIs(t, 1, "done")
	previous(http.StatusConflict) // it is the first
	e.next(t)
	e.lessonIs(t, 2, "ready")
	if status, answer := e.call(t, "/api/v1/lesson/next", `{"beat":1,"state":"done"}`); status != http.StatusConflict {
		t.Errorf("next of a page that shows beat 1: %d %s, want 409", status, answer)
	}
	e.lessonIs(t, 2, "ready")
	e.next(t)
}

func (e *demoEnv) next(t *testing.T) {
	t.Helper()
	if status, answer := e.call(t, "/api/v1/lesson/next", ""); status != http.StatusOK {
		t.Fatalf("next: %d %s", status, answer)
	}
}

// lessonIs waits until the lesson has come to a beat and a state.
func (e *demoEnv) lessonIs(t *testing.T, beat int, state string) *engine.State {
	t.Helper()
	var now struct{ Lesson *engine.State }
	e.eventually(t, fmt.Sprintf("beat %d is %s", beat, state), func() error {
		_, text := e.call(t, "/api/v1/lesson", "GET")
		if err := json.Unmarshal([]byte(text), &now); err != nil {
			return err
		}
		if now.Lesson == nil || now.Lesson.Beat != beat || now.Lesson.State != state {
			return fmt.Errorf("the lesson is %s", text)
		}
		return nil
	})
	return now.Lesson
}

// call posts a body as the presenter, or with "GET" gets.
func (e *demoEnv) call(t *testing.T, path, body string) (int, string) {
	t.Helper()
	method := http.MethodPost
	if body == http.MethodGet {
		method, body = body, ""
	}
	req, err := http.NewRequestWithContext(e.ctx, method, "http://"+e.demo.Address+path, bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+e.demo.Token)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(text)
}
