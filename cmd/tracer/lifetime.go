package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
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

// lifetime returns a context that ends at SIGINT, SIGTERM and SIGHUP (a closed
// terminal) and, when parent is
// not nil, at the end of that stream, which a supervisor holds open as long as
// it lives. A process that still runs lastMoment later exits with status 1, and
// so it does at a second signal. The caller must call stop.
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
	for range 2 {
		select {
		case <-signals:
			cancel(errAsked)
		case <-quit:
			return
		}
	}
	os.Exit(exitError)
}

func exitLater(quit <-chan struct{}) {
	timer := time.NewTimer(lastMoment)
	defer timer.Stop()
	select {
	case <-timer.C:
		os.Exit(exitError)
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
