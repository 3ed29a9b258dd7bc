package child

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

var (
	errParentGone = errors.New("the parent process has ended")
	errSignal     = errors.New("asked to stop by a signal")
)

// Context returns a context for a child: it ends at SIGTERM, at SIGINT, and when
// standard input, the pipe held by the parent, reaches its end, which it does
// even when the parent is killed. If the process still runs limit after that, it
// exits with status 1, so that a child never outlives its parent for long.
func Context(limit time.Duration) context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	// A parent that was killed has left our standard output without a reader; a
	// write to it must fail, not end the process before etcd is closed.
	signal.Ignore(syscall.SIGPIPE)
	go func() {
		<-signals
		cancel(errSignal)
	}()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel(errParentGone)
	}()
	context.AfterFunc(ctx, func() {
		time.AfterFunc(limit, func() { os.Exit(1) })
	})
	return ctx
}

// ParentGone reports whether a context of Context ended because the parent did.
func ParentGone(ctx context.Context) bool {
	return errors.Is(context.Cause(ctx), errParentGone)
}

// Announce tells the parent of a step that is done, see Process.Announced.
func Announce(step string) {
	fmt.Println(step)
}
