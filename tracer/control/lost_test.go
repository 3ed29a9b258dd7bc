package control

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reconcile-tracer/tracer/tracer/control/presenter"
	"github.com/reconcile-tracer/tracer/tracer/control/wire"
)

// pipes is a network within the process, for a bubble of synctest.
type pipes struct {
	calls chan net.Conn
	ended chan struct{}
	end   func()
}

func newPipes() *pipes {
	p := &pipes{calls: make(chan net.Conn), ended: make(chan struct{})}
	p.end = sync.OnceFunc(func() { close(p.ended) })
	return p
}

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.calls <- there:
		return here, nil
	case <-p.ended:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.calls:
		return c, nil
	case <-p.ended:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.end()
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipes"} }

// runPiped runs a debugger against a hub within the bubble, until its end is
// called.
func runPiped(t *testing.T, hub http.Handler) (d *Debugger, linked chan bool, end func()) {
	t.Helper()
	network, linked := newPipes(), make(chan bool, 100)
	server := &http.Server{Handler: hub, ReadHeaderTimeout: time.Minute}
	d = New(Config{
		Hub: "http://hub", Token: presenter.Token, Controller: "podset", Logger: slog.New(slog.DiscardHandler),
		Linked: func(on bool) { linked <- on },
	})
	d.client.Transport = &http.Transport{DialContext: network.dial}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { d.Run(ctx) })
	running.Go(func() {
		if err := server.Serve(network); !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return d, linked, func() {
		cancel()
		_ = server.Close()
		running.Wait()
	}
}

// By the program's own time: how busy the machine is, is no matter.
func TestEverythingIsLiftedWithinASecond(t *testing.T) {
	for name, lose := range map[string]func(*presenter.Presenter){
		"the connection is lost": (*presenter.Presenter).Hangup,
		"the hub is silent":      func(p *presenter.Presenter) { p.Silence(true) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := presenter.New(t)
				d, linked, end := runPiped(t, p)
				defer end()
				<-linked
				if name := p.WaitLinked(); name != "podset" {
					t.Errorf("it says that it is %q", name)
				}
				if err := p.Do(wire.Command{Command: wire.Pause, Controller: "podset"}); err != nil {
					t.Fatal(err)
				}
				went := make(chan time.Time, 1)
				go func() {
					d.Checkpoint(&Pass{}, Place{Moment: Begins, Phase: "apply", Worker: 1, Name: "web"})
					went <- time.Now()
				}()
				synctest.Wait()
				if len(went) != 0 {
					t.Fatal("the worker is not held")
				}
				lost := time.Now()
				lose(p)
				if took := (<-went).Sub(lost); took > time.Second {
					t.Errorf("it went on after %v, want within a second", took)
				}
				if <-linked || d.Armed() {
					t.Errorf("linked still, armed: %v", d.Armed())
				}
				p.Silence(false)
				if !<-linked {
					t.Error("it is not linked again")
				}
				if d.Armed() {
					t.Error("the new connection brought back what was lifted")
				}
			})
		})
	}
}

// One that stands at other processes already ends with them, and no time that a
// hub says makes it stand longer than it may.
func TestOfACommandThatStandsOnlyTheTimeLeftIsLeft(t *testing.T) {
	for left, want := range map[time.Duration]time.Duration{
		3 * time.Second: 3 * time.Second, time.Hour: wire.MaxHold, 0: wire.MaxHold, -time.Second: wire.MaxHold,
	} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t)
			m := wire.Message{Type: wire.TypeCommand, Command: &wire.Command{Command: wire.Pause, Controller: "podset"}, LeftMS: left.Milliseconds()}
			b.hear(m)
			done := b.reconcile(1, "web", nil)
			time.Sleep(want - time.Millisecond)
			synctest.Wait()
			if isDone(done) {
				t.Errorf("with %v left it has ended before %v", left, want)
			}
			time.Sleep(time.Millisecond)
			<-done
			if b.Armed() {
				t.Errorf("with %v left it stands after %v", left, want)
			}
		})
	}
}
