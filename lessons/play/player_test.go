package play

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/reconcile-tracer/tracer/lessons"
	"github.com/reconcile-tracer/tracer/lessons/cluster"
	"github.com/reconcile-tracer/tracer/lessons/engine"
)

// nobody is an address at which nothing listens.
const nobody = "http://127.0.0.1:1"

// A lesson that has failed is shown until its presenter closes it, or begins
// one: nobody is left with it on the wall.
func TestAFailedLessonIsClosed(t *testing.T) {
	acts, err := cluster.New(&rest.Config{Host: nobody})
	if err != nil {
		t.Fatal(err)
	}
	told := make(chan *engine.State, 100)
	p := New(Config{
		Hub: &Remote{URL: nobody}, Cluster: acts, Lessons: lessons.All(),
		OnChange: func(s *engine.State) { told <- s },
	})
	defer p.Close()
	for range 2 {
		if err := p.Start("lesson-1"); err != nil {
			t.Fatal(err)
		}
		if s := <-told; s == nil || s.State != "acting" {
			t.Errorf("the first that is told is %+v, want the lesson at work", s)
		}
		s := <-told
		if s == nil || s.State != "failed" || s.Error == "" {
			t.Fatalf("told %+v, want a lesson that has failed, and why", s)
		}
		if err := p.Do(context.Background(), "next"); err == nil {
			t.Error("a lesson that has failed goes on")
		}
		if err := p.Do(context.Background(), "stop"); err != nil {
			t.Errorf("closing it: %v", err)
		}
		if s := <-told; s != nil || p.Current() != nil {
			t.Errorf("told %+v and shows %+v, want nothing", s, p.Current())
		}
	}
	if err := p.Do(context.Background(), "stop"); err == nil {
		t.Error("what is closed is closed again")
	}
}

// Two presenters who press Next at the same words turn one page, not two.
func TestACommandOfWhoSeesSomethingElse(t *testing.T) {
	s := newStage(t, "two-presenters", held)
	seen := s.await("ready")
	next := func() error { return s.player.DoAt(t.Context(), "next", seen.Beat, seen.State) }
	if err := next(); err != nil {
		t.Fatal(err)
	}
	seen = s.await("done")
	if err := next(); err != nil {
		t.Fatal(err)
	}
	err := next()
	if refusal, ok := errors.AsType[*Error](err); !ok || refusal.HTTPStatus() != http.StatusConflict || !strings.Contains(err.Error(), "at beat 2 (done)") {
		t.Errorf("the second one got %v", err)
	}
	if now := s.player.Current(); now == nil || now.Beat != 2 || now.State != "done" {
		t.Errorf("the lesson is %+v, want it at beat 2", now)
	}
	if err := s.player.DoAt(t.Context(), "stop", seen.Beat, seen.State); err != nil {
		t.Errorf("it cannot be stopped: %v", err)
	}
}
