package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/reconcile-tracer/tracer/tracer"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// phaseTakes is how long a phase of the library's controller takes at least.
const phaseTakes = 5 * time.Millisecond

// reconcile runs a controller of one worker, instrumented with the library, at
// the rate asked for, until ctx ends.
func reconcile(ctx context.Context, o options) error {
	t, err := tracer.Start(ctx, tracer.Config{
		Controller: "library", Workers: 1, Endpoint: o.hub,
		For:     schema.GroupVersionKind{Group: "example.test", Version: "v1", Kind: "PodSet"},
		Headers: map[string]string{"Authorization": "Bearer " + o.token},
	})
	if err != nil {
		return fmt.Errorf("starting the tracer: %w", err)
	}
	q := tracer.NewQueue[string](t, nil, tracer.QueueConfig[string]{})
	gap := time.Duration(float64(time.Second) / o.rate)
	for n := 0; ctx.Err() == nil; n++ {
		// Not in step with anything else that ticks: neither with the hub nor with the screen.
		pause(ctx, time.Duration(float64(gap)*(0.5+rand.Float64()))-3*phaseTakes)
		q.Add(fmt.Sprintf("default/item-%d", n%o.items))
		work(ctx, q)
	}
	q.ShutDown()
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	return t.Shutdown(last)
}

func work(ctx context.Context, q *tracer.Queue[string]) {
	item, ended := q.Get()
	if ended {
		return
	}
	defer q.Done(item)
	pass := q.Context(ctx, item)
	for _, phase := range []string{semconv.SpanFetch, semconv.SpanCompute, semconv.SpanApply} {
		tracer.Phase(pass, phase)
		pause(ctx, phaseTakes)
	}
}

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
