package ctrlruntime

import (
	"context"
	"sync"
)

// running are the contexts of the passes that run, by the goroutine that their
// reconciler is called on. It is one for the process, as clients may be.
var running sync.Map // int64 → context.Context

// run calls f as the pass of ctx: until it returns, what is done on this
// goroutine belongs to that pass.
func run(ctx context.Context, f func()) {
	id := goroutineID()
	if id == 0 {
		f()
		return
	}
	outer, nested := running.Swap(id, ctx)
	defer func() {
		if running.Delete(id); nested {
			running.Store(id, outer)
		}
	}()
	f()
}

// within returns ctx as one of the pass that is meant: its own, or else that of
// the goroutine, because many a reconciler calls its client with
// context.TODO(). It is ctx itself where there is none.
func within(ctx context.Context) (context.Context, *pass) {
	if p := passOf(ctx); p != nil {
		return ctx, p
	}
	of, ok := running.Load(goroutineID())
	if !ok {
		return ctx, nil
	}
	lent := lentContext{ctx, of.(context.Context)}
	return lent, passOf(lent)
}

// lentContext ends when the caller's context does, and has the values of the
// pass beside its own.
type lentContext struct {
	context.Context
	pass context.Context
}

// Value is the caller's, or else the pass's.
func (c lentContext) Value(key any) any {
	if v := c.Context.Value(key); v != nil {
		return v
	}
	return c.pass.Value(key)
}
