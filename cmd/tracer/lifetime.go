package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

var (
	errAsked      = errors.New("asked to stop by a signal")
	errParentGone = errors.New("the parent process has ended")
)

// lastMoment is how long an orderly end may take, unless that is asked for
// again: then the process ends at once.
const lastMoment = 10 * time.Second

// sameSignal is how long signals count as one: timeout(1) sends its own to the
// process and then to the group that the process is in.
const sameSignal = 300 * time.Millisecond

// lifetime returns a context that ends at SIGINT, SIGTERM and SIGHUP (a closed
// terminal) and, when parent is
// not nil, at the end of that stream, which a supervisor holds open as long as
// it lives. A process that still runs lastMoment later exits with status 1, and
// so it does at a second signal, with what atHurry says done. The caller must call
// stop.
func lifetime(ctx context.Context, parent io.Reader) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	quit := make(chan struct{})
	if parent != nil {
		// A supervisor that was killed has left our output without a reader; a
		// write to it must fail, not end the process before the journal is closed.
		signal.Ignore(syscall.SIGPIPE)
		go func() {
			_, _ = io.Copy(io.Discard, parent) // any end of it means the same
			cancel(errParentGone)
		}()
	}
	go watchSignals(signals, quit, cancel)
	undo := context.AfterFunc(ctx, func() { exitLater(quit) })
	return ctx, func() {
		undo()
		signal.Stop(signals)
		close(quit)
		cancel(nil)
	}
}

func watchSignals(signals <-chan os.Signal, quit <-chan struct{}, cancel context.CancelCauseFunc) {
	var first time.Time
	for {
		select {
		case <-signals:
			if !first.IsZero() && time.Since(first) > sameSignal {
				exitInHurry()
			}
			if first.IsZero() {
				first = time.Now()
			}
			cancel(errAsked)
		case <-quit:
			return
		}
	}
}

// hurry is what is done when the process exits without an orderly end.
var hurry struct {
	sync.Mutex
	next int
	do   map[int]func()
}

// atHurry has f done when the process exits without an orderly end, unless forget
// is called before.
func atHurry(f func()) (forget func()) {
	hurry.Lock()
	defer hurry.Unlock()
	if hurry.do == nil {
		hurry.do = map[int]func(){}
	}
	key := hurry.next
	hurry.next++
	hurry.do[key] = f
	return func() {
		hurry.Lock()
		defer hurry.Unlock()
		delete(hurry.do, key)
	}
}

// doInHurry does what atHurry was told.
func doInHurry() {
	hurry.Lock()
	defer hurry.Unlock()
	for _, f := range hurry.do {
		f()
	}
}

func exitInHurry() {
	doInHurry()
	os.Exit(exitError)
}

func exitLater(quit <-chan struct{}) {
	timer := time.NewTimer(lastMoment)
	defer timer.Stop()
	select {
	case <-timer.C:
		exitInHurry()
	case <-quit:
	}
}

// orderly is the error of a part that ran until ctx ended: none, when that is
// why it gave up.
func orderly(ctx context.Context, err error) error {
	if ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.Cause(ctx))) {
		return nil
	}
	return err
}
