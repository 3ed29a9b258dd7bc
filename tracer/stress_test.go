package tracer_test

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/reconcile-tracer/tracer/tracer/tracertest"
)

// Every event is a cause of exactly one reconcile, however adding and taking
// meet; one that was taken early may come once more, and says so.
func TestNoCauseIsLostOrTwiceUnderContention(t *testing.T) {
	const listeners, events, keys, workers = 4, 400, 5, 3
	rec := tracertest.NewRecorder(t)
	q := newQueue(t, start(t, rec))
	var informing, working sync.WaitGroup
	for l := range listeners {
		h := adding(q)
		informing.Go(func() {
			for e := range events {
				v := 1 + l*events + e
				h.OnUpdate(thing(key(e%keys), v-1, v-1), thing(key(e%keys), v, v))
			}
		})
	}
	for range workers {
		working.Go(func() {
			for {
				item, quit := q.Get()
				if quit {
					return
				}
				q.Done(item)
			}
		})
	}
	informing.Wait()
	q.ShutDownWithDrain()
	working.Wait()
	for k := range keys {
		q.Done("default/" + key(k)) // does nothing: all are done
	}
	seen, raced := tally(rec, listeners*events)
	if seen-raced != listeners*events {
		t.Errorf("%d causes, %d of them raced, want %d that did not", seen, raced, listeners*events)
	}
}

func key(n int) string { return fmt.Sprint("k", n) }

// tally counts the causes of all reconciles once at least n have come.
func tally(rec *tracertest.Recorder, n int) (seen, raced int) {
	rec.Wait(func() bool {
		seen, raced = 0, 0
		for _, r := range rec.Reconciles("") {
			for _, c := range r.Counts {
				_, count, _ := strings.Cut(c, "=")
				m, _ := strconv.Atoi(count)
				seen += m
			}
			for _, c := range r.Causes {
				if c.Raced {
					raced++
				}
			}
		}
		return seen-raced >= n
	})
	return seen, raced
}
