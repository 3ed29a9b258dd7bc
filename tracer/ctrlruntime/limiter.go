package ctrlruntime

import (
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/util/workqueue"
)

// limiter is a queue's rate limiter. It can be asked ahead of the queue, so that
// the answer is known: the queue then gets that answer, so the limiter is asked
// no more often than without it.
type limiter[T comparable] struct {
	workqueue.TypedRateLimiter[T]
	asked atomic.Bool // for its NumRequeues

	mu      sync.Mutex
	answers map[T][]time.Duration // that the queue has yet to ask for, in order
}

// isOf tells whether a queue uses the limiter that it was given: one that makes
// its own must not be asked in its stead.
func (l *limiter[T]) isOf(q workqueue.TypedRateLimitingInterface[T]) bool {
	var none T
	l.asked.Store(false)
	quiet(func() int { return q.NumRequeues(none) })
	return l.asked.Load()
}

// maxAhead is how many answers for an item may wait for the queue.
const maxAhead = 16

// ahead asks in the queue's stead; ok is false when it has to ask by itself.
func (l *limiter[T]) ahead(item T) (d time.Duration, ok bool) {
	l.mu.Lock()
	full := len(l.answers[item]) >= maxAhead
	l.mu.Unlock()
	if full {
		return 0, false
	}
	d = l.TypedRateLimiter.When(item)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.answers == nil {
		l.answers = map[T][]time.Duration{}
	}
	l.answers[item] = append(l.answers[item], d)
	return d, true
}

// When is how long an item has to wait.
func (l *limiter[T]) When(item T) time.Duration {
	if d, ok := l.answered(item); ok {
		return d
	}
	return l.TypedRateLimiter.When(item)
}

func (l *limiter[T]) answered(item T) (time.Duration, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	known := l.answers[item]
	if len(known) == 0 {
		return 0, false
	}
	if l.answers[item] = known[1:]; len(known) == 1 {
		delete(l.answers, item)
	}
	return known[0], true
}

// Forget ends an item's back-off.
func (l *limiter[T]) Forget(item T) {
	l.mu.Lock()
	delete(l.answers, item)
	l.mu.Unlock()
	l.TypedRateLimiter.Forget(item)
}

// NumRequeues is how often an item has had to wait since it was forgotten.
func (l *limiter[T]) NumRequeues(item T) int {
	l.asked.Store(true)
	return l.TypedRateLimiter.NumRequeues(item)
}
