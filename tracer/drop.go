package tracer

import (
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// maxDroppers is for how many predicates and kinds drops are counted apart.
const maxDroppers = 256

// drops count the events that predicates dropped. Its zero value is empty.
type drops struct {
	mu    sync.Mutex
	count map[dropper]int64
}

// dropper is what drops are counted by.
type dropper struct{ predicate, kind string }

// add counts one and tells how many there are now, 0 when there is no room.
func (d *drops) add(by dropper) int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.count == nil {
		d.count = map[dropper]int64{}
	}
	if _, known := d.count[by]; !known && len(d.count) == maxDroppers {
		return 0
	}
	d.count[by]++
	return d.count[by]
}

// Drop tells that the predicate of that name dropped an event, which an adapter
// sees and a Follower does not. All are counted; of many at once only the newest
// of a kind and predicate is told of.
func (t *Tracer) Drop(e *Event, predicate string) {
	if !t.Enabled() || e == nil {
		return
	}
	t.state.eventOf(e.GVK.Kind)
	n := t.drops.add(dropper{predicate, e.GVK.Kind})
	if n == 0 {
		return
	}
	attrs := []attribute.KeyValue{
		attribute.String(semconv.AttrController, t.cfg.Controller),
		attribute.String(semconv.AttrDropPredicate, predicate),
		attribute.String(semconv.AttrDropEvent, e.What),
		attribute.Int64(semconv.AttrDropCount, n),
		attribute.String(semconv.AttrObjectKind, e.GVK.Kind),
	}
	if o := metadata(e.Object); o != nil {
		attrs = append(attrs,
			attribute.String(semconv.AttrNamespace, o.GetNamespace()),
			attribute.String(semconv.AttrObjectName, o.GetName()))
	}
	rec := record{at: time.Now(), event: semconv.LogDrop, attrs: attrs}
	t.put("drop/"+predicate+"/"+e.GVK.Kind, func() record { return rec })
}
