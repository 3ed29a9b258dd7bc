package child

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// role is the environment variable that turns this test binary into a child.
const role = "LOCALCLUSTER_TEST_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "":
		goleak.VerifyTestMain(m)
	case "obedient":
		ctx := Context(time.Minute)
		Announce("up")
		<-ctx.Done()
		fmt.Fprintln(os.Stderr, "parent gone:", ParentGone(ctx))
	case "stuck":
		Context(time.Minute)
		Announce("up")
		select {}
	case "stuck with a limit":
		Context(10 * time.Millisecond)
		Announce("up")
		select {}
	case "failing":
		for i := range 30 {
			fmt.Fprintln(os.Stderr, "line", i)
		}
		os.Exit(3)
	}
}

func startAs(t *testing.T, kind string) *Process {
	t.Helper()
	p, err := Start(Spec{Name: "part", Env: []string{role + "=" + kind}, LogDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Stop(0) })
	if kind != "failing" {
		awaitUp(t, p)
	}
	return p
}

func awaitUp(t *testing.T, p *Process) {
	t.Helper()
	select {
	case step := <-p.Announced():
		if step != "up" {
			t.Fatalf("announced %q, want up", step)
		}
	case <-p.Done():
		t.Fatal(p.Failure())
	}
}

func awaitDone(t *testing.T, p *Process) {
	t.Helper()
	select {
	case <-p.Done():
	case <-time.After(10 * time.Second):
		t.Fatal("the child still runs after 10 s")
	}
}

func logOf(t *testing.T, p *Process) string {
	t.Helper()
	raw, err := os.ReadFile(logPath(p.spec))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestStopAsksFirst(t *testing.T) {
	p := startAs(t, "obedient")
	p.Stop(time.Minute)
	if got := logOf(t, p); got != "parent gone: false\n" || p.err != nil {
		t.Errorf("log is %q and the end %v, want a clean end by signal", got, p.err)
	}
}

func TestChildEndsWithThePipe(t *testing.T) {
	p := startAs(t, "obedient")
	if err := p.lifeline.Close(); err != nil {
		t.Fatal(err)
	}
	awaitDone(t, p)
	if got := logOf(t, p); got != "parent gone: true\n" {
		t.Errorf("log is %q, want that the parent is gone", got)
	}
}

func TestStopKillsAChildThatIsStuck(t *testing.T) {
	p := startAs(t, "stuck")
	p.Stop(time.Millisecond)
	if p.err == nil || p.err.Error() != "signal: killed" {
		t.Errorf("the child ended with %v, want killed", p.err)
	}
}

func TestLimitEndsAChildThatIsStuck(t *testing.T) {
	p := startAs(t, "stuck with a limit")
	if err := p.lifeline.Close(); err != nil {
		t.Fatal(err)
	}
	awaitDone(t, p)
	if p.err == nil || p.err.Error() != "exit status 1" {
		t.Errorf("the child ended with %v, want exit status 1", p.err)
	}
}

func TestFailureShowsTheEndOfTheLog(t *testing.T) {
	p := startAs(t, "failing")
	awaitDone(t, p)
	got := p.Failure().Error()
	if !strings.HasPrefix(got, "part ended: exit status 3; ") {
		t.Errorf("failure is %q, want the name and the status first", got)
	}
	if !strings.HasSuffix(got, "\n  line 28\n  line 29") || strings.Contains(got, "line 14\n") || !strings.Contains(got, "\n  line 15\n") {
		t.Errorf("failure has not the last %d lines:\n%s", tailLines, got)
	}
}

func TestCrashIsShownFromItsStart(t *testing.T) {
	log := strings.Repeat("before\n", 20) + "panic: disk on fire\n\n" + strings.Repeat("stack\n", 40)
	got := string(lastLines([]byte(log)))
	if !strings.HasPrefix(got, "  panic: disk on fire\n") || strings.Count(got, "\n") != tailLines-1 {
		t.Errorf("shown is not the start of the crash:\n%s", got)
	}
}

func TestLogOfTheStartBeforeIsKept(t *testing.T) {
	spec := Spec{Name: "part", LogDir: t.TempDir()}
	for _, text := range []string{"first", "second"} {
		f, err := openLog(spec)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
		_ = f.Close()
	}
	old, err := os.ReadFile(filepath.Join(spec.LogDir, "part.log.old"))
	if err != nil || string(old) != "first" {
		t.Errorf("the old log is %q (%v), want first", old, err)
	}
}
