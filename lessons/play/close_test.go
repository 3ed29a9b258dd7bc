package play

import (
	"slices"
	"testing"
	"time"

	"github.com/reconcile-tracer/tracer/lessons/engine"
)

// held is a lesson of one beat that holds the controller, and of one that goes on.
const held = `
  - title: Hold
    words: We hold it.
    do:
      - apply: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, finalizers: [example.test/lesson]}}
      - control: {command: pause, phase: apply}
  - title: Look
    continues: true
    words: We look at it.
`

// closeWithin is how long Close may take: leaveWithin, and this machine's load.
const closeWithin = leaveWithin + 4*time.Second

func (s *stage) close() {
	s.t.Helper()
	began := time.Now()
	s.player.Close()
	if took := time.Since(began); took > closeWithin {
		s.t.Errorf("closing took %v", took)
	}
}

// In the middle of a lesson: what it holds is let go, its beat ends, its
// namespace goes, and nothing more begins.
func TestCloseInTheMiddle(t *testing.T) {
	s := newStage(t, "close-middle", held)
	s.await("ready")
	s.do(engine.Next)
	namespace := s.await("done").Selectors.Namespace
	s.close()
	if s.player.Current() != nil {
		t.Errorf("the lesson is still %+v", s.player.Current())
	}
	if !slices.Equal(s.hub.lifted, []string{"id-pause"}) {
		t.Errorf("lifted %v, want the pause", s.hub.lifted)
	}
	if open, ended := s.hub.open(); len(open) > 0 || ended != 1 {
		t.Errorf("%v are open and %d have ended, want one that has", open, ended)
	}
	s.deleted(namespace)
	if err := s.player.Start("close-middle"); err == nil {
		t.Error("a lesson begins in a player that is closed")
	}
}

// While the removal of a lesson waits for something that does not go.
func TestCloseWhileTheNamespaceGoes(t *testing.T) {
	s := newStage(t, "close-going", held)
	namespace := s.await("ready").Selectors.Namespace
	s.hold(namespace)
	s.do(engine.Stop)
	s.deleted(namespace)
	s.close()
	if state := s.player.Current(); state != nil {
		t.Errorf("the lesson is %+v", state)
	}
}
