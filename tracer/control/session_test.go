package control_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/reconcile-tracer/tracer/tracer/control"
	"github.com/reconcile-tracer/tracer/tracer/control/presenter"
	"github.com/reconcile-tracer/tracer/tracer/control/wire"
)

// lines are a log's lines.
type lines struct {
	mu  sync.Mutex
	all strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}

// run runs a debugger against a hub until the test ends.
func run(t *testing.T, hub http.Handler, token string) (d *control.Debugger, log *lines, linked chan bool) {
	t.Helper()
	server := httptest.NewServer(hub)
	log, linked = &lines{}, make(chan bool, 100)
	d = control.New(control.Config{
		Hub: server.URL, Token: token, Controller: "podset", Logger: slog.New(slog.NewTextHandler(log, nil)),
		Linked: func(on bool) { linked <- on },
	})
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { d.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		running.Wait()
		server.Close()
	})
	return d, log, linked
}

func TestItSaysOnceWhyItTakesNoCommands(t *testing.T) {
	asked := make(chan struct{}, 100)
	hub := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		presenter.New(t).ServeHTTP(w, r)
	})
	_, log, _ := run(t, hub, "wrong")
	late := time.After(10 * time.Second)
	for tries := range 3 {
		select {
		case <-asked:
		case <-late:
			t.Fatalf("it has tried %d times in 10 s", tries)
		}
	}
	// By the third try it has spoken of the first two.
	text := log.String()
	if strings.Count(text, "refuses the control token: set TRACER_CONTROL_TOKEN") != 1 || strings.Contains(text, "wrong") {
		t.Errorf("after three tries it has said %q", text)
	}
}

func TestTheTokenGoesNowhereElse(t *testing.T) {
	var followed atomic.Bool
	thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Store(true) }))
	defer thief.Close()
	asked := make(chan struct{}, 100)
	run(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, thief.URL, http.StatusTemporaryRedirect)
		asked <- struct{}{}
	}), presenter.Token)
	<-asked
	<-asked
	if followed.Load() {
		t.Error("the redirect was followed")
	}
}

func TestARefusalIsToldToThePresenter(t *testing.T) {
	p := presenter.New(t)
	_, _, linked := run(t, p, presenter.Token)
	<-linked
	err := p.Do(wire.Command{Command: wire.Resume, Controller: "podset"})
	if err == nil || !strings.Contains(err.Error(), "there is nothing to resume") {
		t.Errorf("%v", err)
	}
}
