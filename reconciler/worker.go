package reconciler

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/cache"

	"github.com/reconcile-tracer/tracer/tracer"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// passTimeout bounds one pass, so that a hung API server holds no worker. A
// debugger may: its time does not count.
const passTimeout = 30 * time.Second

// worker returns when the queue is shut down and empty.
func (c *controller) worker(ctx context.Context) {
	for c.next(ctx) {
	}
}

func (c *controller) next(ctx context.Context) bool {
	key, quit := c.queue.Get()
	if quit {
		return false
	}
	defer c.queue.Done(key)
	ctx, cancel := tracer.WithTimeout(c.queue.Context(ctx, key), passTimeout)
	defer cancel()
	c.decide(ctx, key, c.safely(ctx, key))
	return true
}

// safely turns a panic into an error, so that one bad object does not end the
// whole process.
func (c *controller) safely(ctx context.Context, key cache.ObjectName) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			c.log.Error("reconcile panicked", "item", key.String(), "panic", cause, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", cause)
		}
	}()
	defer tracer.RecordPanic(ctx)
	return c.reconcile(ctx, key)
}

// decide is the last phase: a pass that failed is tried again after a
// back-off, and one that did not resets it.
func (c *controller) decide(ctx context.Context, key cache.ObjectName, err error) {
	tracer.Phase(ctx, semconv.SpanRequeue)
	tracer.Finish(ctx, err)
	if err == nil {
		c.queue.Forget(key)
		return
	}
	c.queue.AddRateLimited(key)
	attrs := []any{"item", key.String(), "requeues", c.queue.NumRequeues(key), "error", err}
	if apierrors.IsConflict(err) {
		// Somebody else was faster; the next pass sees what they wrote.
		c.log.Info("reconcile met a conflict, trying again", attrs...)
		return
	}
	c.log.Warn("reconcile failed, trying again", attrs...)
}
