package supervise

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

func child(t *testing.T, mode string, files ...*os.File) Child {
	t.Helper()
	return Child{
		Name:   "child",
		Path:   os.Args[0],
		Env:    []string{modeVariable + "=" + mode},
		Log:    filepath.Join(t.TempDir(), "child.log"),
		Files:  files,
		Policy: Policy{Backoff: time.Millisecond, MaxBackoff: 4 * time.Millisecond, MaxQuick: 4},
	}
}

// kept is a Keep that runs, with what it told.
type kept struct {
	events chan Event
	end    context.CancelFunc
	result chan error
}

func keep(t *testing.T, c Child) *kept {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	k := &kept{events: make(chan Event, 64), end: cancel, result: make(chan error, 1)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		k.result <- Keep(ctx, c, func(e Event) { k.events <- e })
	}()
	t.Cleanup(func() { cancel(); <-done })
	return k
}

// next returns the next event of a kind.
func (k *kept) next(t *testing.T, kind EventKind) Event {
	t.Helper()
	for {
		select {
		case e := <-k.events:
			if e.Kind == kind {
				return e
			}
		case err := <-k.result:
			t.Fatalf("Keep ended with %v while an event of kind %d was waited for", err, kind)
		case <-time.After(20 * time.Second):
			t.Fatalf("no event of kind %d", kind)
		}
	}
}

func TestReadyLineIsToldAndNotLogged(t *testing.T) {
	c := child(t, "good")
	k := keep(t, c)
	if got, want := k.next(t, Ready).Line, "http://127.0.0.1/?token=secret"; got != want {
		t.Errorf("ready line %q, want %q", got, want)
	}
	k.end()
	if err := <-k.result; err != nil {
		t.Errorf("Keep: %v, want nil after it was asked to end", err)
	}
	log, err := os.ReadFile(c.Log)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(log), "hello\nended by SIGTERM\n"; got != want {
		t.Errorf("log %q, want %q", got, want)
	}
}

func TestKilledChildIsStartedAgainAndSaid(t *testing.T) {
	k := keep(t, child(t, "good"))
	first := k.next(t, Ready)
	if err := syscall.Kill(first.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	died := k.next(t, Died)
	if died.PID != first.PID || !strings.Contains(died.Err.Error(), "killed") {
		t.Errorf("died %+v, want process %d killed", died, first.PID)
	}
	if again := k.next(t, Ready); again.PID == first.PID {
		t.Errorf("the second ready is of the same process %d", again.PID)
	}
}

func TestGivesUpWithTheTailOfTheLog(t *testing.T) {
	c := child(t, "dies")
	var delays []time.Duration
	err := Keep(t.Context(), c, func(e Event) {
		if e.Kind == Died {
			delays = append(delays, e.Delay)
		}
	})
	var gaveUp *GaveUpError
	if !errors.As(err, &gaveUp) {
		t.Fatalf("Keep: %v, want a *GaveUpError", err)
	}
	if gaveUp.Deaths != 4 || !strings.Contains(gaveUp.Tail, "port is taken") {
		t.Errorf("gave up after %d deaths with tail %q, want 4 and the child's words", gaveUp.Deaths, gaveUp.Tail)
	}
	want := []time.Duration{1 * time.Millisecond, 2 * time.Millisecond, 4 * time.Millisecond}
	if !slices.Equal(delays, want) {
		t.Errorf("back-off %v, want %v", delays, want)
	}
}

func TestStubbornChildIsKilledAfterItsGrace(t *testing.T) {
	c := child(t, "stubborn")
	c.Policy.Grace = 50 * time.Millisecond
	k := keep(t, c)
	pid := k.next(t, Ready).PID
	k.end()
	begin := time.Now()
	if err := <-k.result; err != nil {
		t.Errorf("Keep: %v, want nil", err)
	}
	if took := time.Since(begin); took < c.Policy.Grace {
		t.Errorf("it ended after %s, before its grace of %s", took, c.Policy.Grace)
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("process %d is still there: %v", pid, err)
	}
}

func TestNothingOfAChildIsLeftBehind(t *testing.T) {
	w := newWitness(t)
	k := keep(t, child(t, "family", w.write))
	k.next(t, Ready)
	k.end()
	if err := <-k.result; err != nil {
		t.Errorf("Keep: %v, want nil", err)
	}
	w.allGone()
}

func TestProgramThatIsNotThere(t *testing.T) {
	c := child(t, "good")
	c.Path = filepath.Join(t.TempDir(), "missing")
	err := Keep(t.Context(), c, func(Event) {})
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "starting child") {
		t.Errorf("Keep: %v, want that child could not be started for want of its program", err)
	}
}

func TestOldLogIsKept(t *testing.T) {
	c := child(t, "good")
	if err := os.WriteFile(c.Log, []byte("yesterday\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	keep(t, c).next(t, Ready)
	if old, err := os.ReadFile(c.Log + ".old"); err != nil || string(old) != "yesterday\n" {
		t.Errorf("old log %q, %v; want the log of the run before", old, err)
	}
}

func TestKilledSupervisorLeavesNothing(t *testing.T) {
	w := newWitness(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{modeVariable + "=supervisor", "SUPERVISE_TEST_LOG=" + filepath.Join(t.TempDir(), "log")}
	cmd.ExtraFiles = []*os.File{w.write}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "child is ready\n" {
		t.Fatalf("the supervisor said %q, %v", line, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	w.allGone()
}
