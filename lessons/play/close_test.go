package play

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reconcile-tracer/tracer/lessons/engine"
	"github.com/reconcile-tracer/tracer/server/flow"
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

// closeWithin is how long Close may take: LeaveWithin, and this machine's load.
const closeWithin = LeaveWithin + 4*time.Second

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

// Stop ends an action that is under way, and takes away what was made.
func TestStopWhileActing(t *testing.T) {
	s := newStage(t, "stop-acting", held)
	acting := make(chan struct{})
	s.hub.control = func(ctx context.Context) error {
		close(acting)
		<-ctx.Done()
		return context.Cause(ctx)
	}
	namespace := s.await("ready").Selectors.Namespace
	s.do(engine.Next)
	<-acting
	if state := s.await("acting"); state.Beat != 1 {
		t.Errorf("the lesson is %+v", state)
	}
	s.do(engine.Stop)
	s.await("")
	s.player.Wait()
	if _, err := s.kube.CoreV1().Namespaces().Get(t.Context(), namespace, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("its namespace is still there: %v", err)
	}
	if open, ended := s.hub.open(); len(open) > 0 || ended != 1 {
		t.Errorf("%v are open and %d have ended, want one that has", open, ended)
	}
}

// A hub that gives no rows any more ends the lesson, which says why, and takes
// away what it made.
func TestTheHubIsLost(t *testing.T) {
	s := newStage(t, "hub-lost", held)
	s.await("ready")
	s.do(engine.Next)
	namespace := s.await("done").Selectors.Namespace
	s.hub.lost <- errRefused
	if state := s.await("failed"); !strings.Contains(state.Error, "beat 1, line 7: "+errRefused.Error()) {
		t.Errorf("it says %q", state.Error)
	}
	s.player.Wait()
	if !slices.Equal(s.hub.lifted, []string{"id-pause"}) {
		t.Errorf("lifted %v, want the pause", s.hub.lifted)
	}
	if _, err := s.kube.CoreV1().Namespaces().Get(t.Context(), namespace, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("its namespace is still there: %v", err)
	}
}

// What an effect gives is waited for: nothing of a session is left when its end
// is said.
func TestEndWaitsForWhatIsGiven(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &session{in: make(chan input), done: make(chan struct{}), last: t.Context()}
		c := &crew{session: s, records: make(chan *flow.Beat)}
		c.start(time.Minute, func(context.Context) engine.Result { return engine.Result{Seq: 1} })
		ended := make(chan struct{})
		go func() {
			c.end()
			close(ended)
		}()
		synctest.Wait()
		select {
		case <-ended:
			t.Error("the end is said while a result is on its way")
		default:
		}
		close(s.done)
		synctest.Wait()
		<-ended
	})
}

// A lesson that was killed has left a command in force: it is lifted before the
// next one begins. What stands for another reason keeps a lesson from beginning.
func TestWhatAKilledLessonHoldsIsLifted(t *testing.T) {
	dir := t.TempDir()
	ended := exec.CommandContext(t.Context(), os.Args[0], "-test.list=^$")
	ended.Env = append(os.Environ(), "LOCALCLUSTER_BIN=/nowhere")
	_ = ended.Run() // however it ends
	left := fmt.Sprintf(`{"namespace":"lesson-killed","uid":"killed","process":%d,"commands":[{"controller":"podset","id":"left-behind"}]}`, ended.ProcessState.Pid())
	if err := os.WriteFile(filepath.Join(dir, "killed.json"), []byte(left), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newStage(t, "lifts-left", held, func(s *stage) {
		s.acts.Keep(dir, nil)
		s.hub.busy = errRefused
	})
	if state := s.await("failed"); !strings.Contains(state.Error, errRefused.Error()) {
		t.Errorf("it says %q", state.Error)
	}
	s.player.Wait()
	if !slices.Equal(s.hub.lifted, []string{"left-behind"}) {
		t.Errorf("lifted %v, want what was left", s.hub.lifted)
	}
}

// What a lesson holds is noted while it does, and no longer.
func TestWhatALessonHoldsIsNoted(t *testing.T) {
	dir := t.TempDir()
	s := newStage(t, "notes-held", held, func(s *stage) { s.acts.Keep(dir, nil) })
	noted := func() bool {
		files, err := filepath.Glob(filepath.Join(dir, "*.json"))
		if err != nil || len(files) != 1 {
			t.Fatalf("the ledger has %v, %v", files, err)
		}
		text, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(text), `"commands":[{"controller":"podset","id":"id-pause"}]`)
	}
	s.await("ready")
	s.do(engine.Next)
	if s.await("done"); !noted() {
		t.Error("the pause is not noted")
	}
	s.do(engine.Restart)
	if s.await("ready"); noted() {
		t.Error("the pause that was lifted is noted")
	}
}
