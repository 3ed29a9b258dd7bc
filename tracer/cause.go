package tracer

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// cause is one reason why an item comes into the queue.
type cause struct {
	at        time.Time
	what, by  string
	kind      string
	namespace string
	name      string
	uid       string
	version   string
	changed   []string
	manager   string
	inferred  bool
	write     trace.SpanContext // the write that made the version
	resource  schema.GroupResource
	open      bool // who did it may become known yet
}

// arrival is a cause on its way to one item. Its queue's lock guards it.
type arrival struct {
	cause
	event  *event // of the handler, nil when there is none
	flying bool   // the inner Add has not returned
	landed bool   // the inner Add is known to have taken effect
	raced  bool
}

// causeSet keeps the first and the last arrivals and counts all of them. Its
// zero value is empty.
type causeSet struct {
	first, last []*arrival
	counts      map[string]int
	total       int
}

func (s *causeSet) add(a *arrival) {
	const half = semconv.MaxCauses / 2
	s.count(a.what, 1)
	if len(s.first) < half {
		s.first = append(s.first, a)
		return
	}
	if len(s.last) == half {
		s.last = append(s.last[:0], s.last[1:]...)
	}
	s.last = append(s.last, a)
}

// count adds to the counts alone.
func (s *causeSet) count(what string, n int) {
	if n == 0 {
		return
	}
	if s.counts == nil {
		s.counts = map[string]int{}
	}
	s.counts[what] += n
	s.total += n
}

// beyond is how many of each kind are counted and not kept, nil for none.
func (s *causeSet) beyond() map[string]int {
	kept := s.all()
	if s.total == len(kept) {
		return nil
	}
	more := maps.Clone(s.counts)
	for _, a := range kept {
		more[a.what]--
	}
	return more
}

func (s *causeSet) all() []*arrival { return slices.Concat(s.first, s.last) }

// newest is the arrival that came last, nil when there is none.
func (s *causeSet) newest() *arrival {
	if n := len(s.last); n > 0 {
		return s.last[n-1]
	}
	if n := len(s.first); n > 0 {
		return s.first[n-1]
	}
	return nil
}

// has tells whether the newest arrival came by that event: two Adds in one
// event are one cause. A nil event is none.
func (s *causeSet) has(e *event) bool {
	last := s.newest()
	return e != nil && last != nil && last.event == e
}

// list is the counts as "kind=count", sorted.
func (s *causeSet) list() []string {
	out := make([]string, 0, len(s.counts))
	for _, what := range sortedKeys(s.counts) {
		out = append(out, what+"="+strconv.Itoa(s.counts[what]))
	}
	return out
}

// attribute tells of the causes of an item that is ready: their kinds, or how
// many there are when not all of them are kept.
func (s *causeSet) attribute() attribute.KeyValue {
	kept := s.all()
	if s.total > len(kept) {
		return attribute.Int(semconv.AttrItemReadyCauses, s.total)
	}
	kinds := make([]string, len(kept))
	for i, a := range kept {
		kinds[i] = a.what
	}
	return attribute.StringSlice(semconv.AttrItemReadyCauses, kinds)
}

// attributes are those of the cause's event on the dequeue span.
func (c cause) attributes(raced bool) []attribute.KeyValue {
	attrs := []attribute.KeyValue{
		attribute.String(semconv.AttrCause, c.what),
		attribute.String(semconv.AttrCauseBy, c.by),
	}
	for _, s := range []struct{ name, value string }{
		{semconv.AttrCauseObjectKind, c.kind},
		{semconv.AttrCauseObjectNamespace, c.namespace},
		{semconv.AttrCauseObjectName, c.name},
		{semconv.AttrCauseObjectUID, c.uid},
		{semconv.AttrCauseObjectRV, c.version},
		{semconv.AttrCauseManager, c.manager},
	} {
		if s.value != "" {
			attrs = append(attrs, attribute.String(s.name, s.value))
		}
	}
	if len(c.changed) > 0 {
		attrs = append(attrs, attribute.StringSlice(semconv.AttrCauseChanged, c.changed))
	}
	if raced {
		attrs = append(attrs, attribute.Bool(semconv.AttrCauseRaced, true))
	}
	if c.inferred {
		attrs = append(attrs, attribute.Bool(semconv.AttrCauseInferred, true))
	}
	if c.write.IsValid() {
		attrs = append(attrs,
			attribute.String(semconv.AttrCauseWriteTraceID, c.write.TraceID().String()),
			attribute.String(semconv.AttrCauseWriteSpanID, c.write.SpanID().String()))
	}
	return attrs
}
