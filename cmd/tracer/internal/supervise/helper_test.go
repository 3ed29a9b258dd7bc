package supervise

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

// modeVariable makes the test binary play a child, or a supervisor.
const modeVariable = "SUPERVISE_TEST_MODE"

func TestMain(m *testing.M) {
	if play, ok := modes[os.Getenv(modeVariable)]; ok {
		os.Exit(play())
	}
	goleak.VerifyTestMain(m)
}

var modes = map[string]func() int{
	"good":       goodChild,
	"dies":       dyingChild,
	"stubborn":   stubbornChild,
	"family":     childWithChild,
	"supervisor": supervisor,
}

// goodChild says ready and ends at SIGTERM or at the end of its input.
func goodChild() int {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	eof := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(eof)
	}()
	fmt.Println("hello")
	fmt.Println("ready: http://127.0.0.1/?token=secret")
	select {
	case <-signals:
		fmt.Fprintln(os.Stderr, "ended by SIGTERM")
	case <-eof:
	}
	return 0
}

func dyingChild() int {
	fmt.Fprintln(os.Stderr, "port is taken")
	return 7
}

// stubbornChild ends at nothing but SIGKILL.
func stubbornChild() int {
	signal.Ignore(syscall.SIGTERM)
	never := make(chan os.Signal, 1)
	signal.Notify(never, syscall.SIGUSR1)
	fmt.Println("ready: never to end")
	<-never
	return 0
}

// childWithChild leaves a process of its own behind when it ends.
func childWithChild() int {
	if _, err := os.StartProcess(os.Args[0], os.Args[:1], &os.ProcAttr{
		Env:   []string{modeVariable + "=stubborn"},
		Files: []*os.File{nil, nil, nil, os.NewFile(3, "witness")},
	}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return goodChild()
}

// supervisor keeps one good child, and says when it is ready.
func supervisor() int {
	c := Child{
		Name: "child", Path: os.Args[0], Log: os.Getenv("SUPERVISE_TEST_LOG"),
		Env: []string{modeVariable + "=good"}, Files: []*os.File{os.NewFile(3, "witness")},
	}
	err := Keep(context.Background(), c, func(e Event) {
		if e.Kind == Ready {
			fmt.Println("child is ready")
		}
	})
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// witness is a pipe whose end tells that every process which was given its
// write end has ended, however deep in the tree.
type witness struct{ read, write *os.File }

func newWitness(t *testing.T) witness {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = r.Close(), w.Close() })
	return witness{r, w}
}

// allGone blocks until no process has the write end.
func (w witness) allGone() {
	_ = w.write.Close()
	_, _ = bufio.NewReader(w.read).ReadByte()
}
