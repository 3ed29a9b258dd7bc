package tracer

import (
	"context"
	"time"
)

// WithTimeout is context.WithTimeout for ctx's reconcile, except that the time
// for which a debugger holds its worker does not count: a pause must not turn
// into a timeout. When it ends is therefore not known before: its Deadline is
// ctx's own. Without a reconcile, or where no commands are taken, it is
// context.WithTimeout.
func WithTimeout(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	r := from(ctx)
	if r == nil || r.t.control == nil {
		return context.WithTimeout(ctx, timeout)
	}
	inner, cancel := context.WithCancelCause(ctx)
	p := &patient{Context: inner, r: r, timeout: timeout, began: time.Now(), expire: cancel, set: make(chan struct{}), done: make(chan struct{})}
	context.AfterFunc(inner, func() { close(p.done) })
	p.before, _ = r.heldFor()
	p.timer = time.AfterFunc(timeout, p.look)
	close(p.set)
	return p, func() { p.timer.Stop(); cancel(nil) }
}

// patient is a context whose timeout does not run while a worker is held.
type patient struct {
	context.Context
	r       *reconcile
	timeout time.Duration
	began   time.Time
	before  time.Duration // how long it was held before it began
	expire  context.CancelCauseFunc
	timer   *time.Timer
	set     chan struct{} // closed when timer is there: it may fire at once
	done    chan struct{} // its own, so that contexts made of it ask for its Err
}

// Done is closed when the context has ended.
func (p *patient) Done() <-chan struct{} { return p.done }

// lookEvery is how often a worker that is held is looked at.
const lookEvery = 100 * time.Millisecond

// look ends the context if its time is over, and else looks again.
func (p *patient) look() {
	<-p.set
	held, now := p.r.heldFor()
	left := p.timeout - (time.Since(p.began) - (held - p.before))
	switch {
	case p.Context.Err() != nil:
	case now:
		p.timer.Reset(max(left, lookEvery))
	case left > 0:
		p.timer.Reset(left)
	default:
		p.expire(context.DeadlineExceeded)
	}
}

// Err is context.DeadlineExceeded when the time was over.
func (p *patient) Err() error {
	select {
	case <-p.done:
	default:
		return nil
	}
	err := p.Context.Err()
	if err != nil && context.Cause(p.Context) == context.DeadlineExceeded { //nolint:errorlint // as it was given
		return context.DeadlineExceeded
	}
	return err
}
