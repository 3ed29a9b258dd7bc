package tracer

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"

	"github.com/reconcile-tracer/tracer/tracer/control"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// workerNumbers are the numbers of the workers that are busy.
type workerNumbers []bool

// take takes the smallest number, from 1, that no worker has.
func (w *workerNumbers) take() int {
	for n, used := range *w {
		if !used {
			(*w)[n] = true
			return n + 1
		}
	}
	*w = append(*w, true)
	return len(*w)
}

// free gives a number back; 0 is none.
func (w workerNumbers) free(n int) {
	if n > 0 {
		w[n-1] = false
	}
}

// passStart is what is known when a worker has taken an item.
type passStart struct {
	namespace, name    string
	id                 trace.TraceID // zero: a random one
	worker             int
	now                time.Time // when it was taken
	took               taken
	requeues, priority int
	modelled           bool // the queue's order is a model's
	pass               *control.Pass
	closing            <-chan struct{} // closed when the queue ends
}

// startPass makes the root span, from when the item was ready, and the dequeue
// span with all that is known of the causes.
func (t *Tracer) startPass(p passStart) *reconcile {
	ctx := context.WithValue(context.Background(), traceIDKey{}, p.id)
	root := t.newRoot(ctx, p.namespace, p.name, p.worker, p.took.since)
	arrivals := p.took.causes.all()
	links := make([]trace.Link, 0, len(arrivals))
	causes := make([]cause, len(arrivals))
	for n, a := range arrivals {
		causes[n] = t.writes.resolve(a.cause)
		if w := causes[n].write; w.IsValid() {
			links = append(links, trace.Link{SpanContext: w})
		}
	}
	r := newReconcile(t, root, p.now)
	r.debug.begin(p, causes)
	dequeue := r.child(root, semconv.SpanDequeue, p.took.since, trace.WithLinks(links...), trace.WithAttributes(p.attributes()...))
	for n, c := range causes {
		dequeue.AddEvent(semconv.EventCause, trace.WithTimestamp(c.at), trace.WithAttributes(c.attributes(arrivals[n].raced)...))
	}
	dequeue.End(trace.WithTimestamp(p.now))
	return r
}

// attributes are those of the dequeue span.
func (p passStart) attributes() []attribute.KeyValue {
	attrs := []attribute.KeyValue{
		attribute.Int(semconv.AttrQueueDepth, p.took.depth),
		attribute.Int(semconv.AttrQueueNumRequeues, p.requeues),
		attribute.StringSlice(semconv.AttrCauseCounts, p.took.causes.list()),
	}
	if p.modelled {
		attrs = append(attrs,
			attribute.Int(semconv.AttrQueuePriority, p.priority),
			attribute.Bool(semconv.AttrQueueModelled, true))
	}
	return attrs
}

// eventCause describes an event as the cause of a reconcile.
func (t *Tracer) eventCause(what string, gvk schema.GroupVersionKind, old, obj any, at time.Time) cause {
	c := cause{what: what, by: semconv.ByUnknown, at: at, kind: gvk.Kind, resource: guessResource(gvk)}
	if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = gone.Obj
	}
	o := metadata(obj)
	if o == nil {
		return c
	}
	c.namespace, c.name = o.GetNamespace(), o.GetName()
	c.uid, c.version = string(o.GetUID()), o.GetResourceVersion()
	if before := metadata(old); before != nil {
		if before.GetResourceVersion() == c.version {
			c.what = semconv.CauseResync
			return c
		}
		c.changed, c.manager = t.changeOf(before, o)
	} else if what != semconv.CauseDelete {
		// Of a delete the object tells only who changed it last, which is not
		// who deleted it.
		c.manager = changer(nil, o, nil)
	}
	return t.writes.begin(c)
}

// changeOf is which parts of an object an update changed, and who did.
func (t *Tracer) changeOf(before, now metav1.Object) (parts []string, manager string) {
	known, ok := spared(func() (known bool) {
		parts, known = changes(before, now)
		manager = changer(before, now, parts)
		return known
	})
	if !ok || !known {
		t.unreadable(now)
	}
	return parts, manager
}
