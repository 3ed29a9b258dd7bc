package control

import (
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/reconcile-tracer/tracer/tracer/control/wire"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bench is a debugger whose workers are goroutines of the test. It is for a
// synctest bubble, where all stand still once wait returns.
type bench struct {
	*testing.T
	*Debugger

	mu   sync.Mutex
	told map[int]Held // by worker
}

func newBench(t *testing.T) *bench {
	b := &bench{T: t, told: map[int]Held{}}
	b.Debugger = New(Config{Controller: "podset", Resource: "podsets", Tell: func(h Held) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.told[h.Worker] = h
	}})
	return b
}

// do gives a command that must be taken.
func (b *bench) do(c wire.Command) {
	b.Helper()
	c.Controller = "podset"
	if err := b.Do(c); err != nil {
		b.Fatalf("%+v: %v", c, err)
	}
}

// wantHeld checks where a worker is held; "" is nowhere.
func (b *bench) wantHeld(worker int, phase, why string) {
	b.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	h := b.told[worker]
	if h.Since.IsZero() {
		h.Phase, h.Why = "", ""
	}
	if h.Phase != phase || h.Why != why {
		b.Errorf("worker %d is held at %q by %q, want %q by %q", worker, h.Phase, h.Why, phase, why)
	}
}

// loop is the order of a reconcile.
var loop = []string{semconv.SpanDequeue, semconv.SpanFetch, semconv.SpanCompute, semconv.SpanApply, semconv.SpanRequeue}

// reconcile goes through a reconcile of an item, and tells when it is done.
func (b *bench) reconcile(worker int, name string, change func(*Place)) (done <-chan struct{}) {
	over := make(chan struct{})
	go func() {
		defer close(over)
		pass := &Pass{}
		defer b.End(pass)
		for _, phase := range append(loop, "") {
			at := Place{Moment: Begins, Phase: phase, Worker: worker, Namespace: "default", Name: name}
			if phase == "" {
				at.Moment, at.Phase, at.Facts.Result = Ends, semconv.SpanRequeue, semconv.ResultError
			}
			if change != nil {
				change(&at)
			}
			if b.Armed() {
				b.Checkpoint(pass, at)
			}
		}
	}()
	return over
}

// isDone says whether a reconcile is done.
func isDone(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// a long time, in which nothing may end by itself.
const almost = wire.MaxHold - time.Millisecond
