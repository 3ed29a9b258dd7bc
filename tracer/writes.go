package tracer

import (
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

const (
	// keptWrites is how many own writes an event can be joined to.
	keptWrites = 4096
	// keptSeen is of how many versions it is known when their event came.
	keptSeen = 4096
	// keptPending is how many writes of a resource may wait for an answer.
	keptPending = 256
	// keptUnseen is how many writes of a resource are compared with a cache.
	keptUnseen = 256
	// pendingFor is how long a write without an answer leaves things unknown.
	pendingFor = 30 * time.Second
)

// version names one state of one object; of is empty for its deletion.
type version struct{ uid, of string }

// ownWrites are this controller's writes, as far as they are remembered.
type ownWrites struct {
	mu   sync.Mutex
	made *recent[version, trace.SpanContext]
	// seen is when the event of a version came. A write that answers with a
	// version that was there before it began made nothing.
	seen     *recent[version, time.Time]
	resource map[schema.GroupResource]*resourceWrites
}

// resourceWrites are those of one resource.
type resourceWrites struct {
	any bool // there has been one
	// store is the first that was read, several: so were others. What one of
	// them has seen says nothing of the others.
	store   any
	several bool
	unseen  []ownWrite
	pending map[*ownWrite]bool
}

// ownWrite is one write. Its version is empty where the answer tells none.
type ownWrite struct {
	span     trace.SpanContext
	resource schema.GroupResource
	namespace,
	name, uid, version string
	began, answered time.Time
	gone            bool // the object was deleted, not changed
}

func newOwnWrites() *ownWrites {
	return &ownWrites{
		made:     newRecent[version, trace.SpanContext](keptWrites),
		seen:     newRecent[version, time.Time](keptSeen),
		resource: map[schema.GroupResource]*resourceWrites{},
	}
}

// start notes that a write is under way. One that never gets an answer stays
// so until it is too old to matter: nobody knows whether it was made.
func (o *ownWrites) start(w *ownWrite) {
	o.mu.Lock()
	defer o.mu.Unlock()
	of := o.of(w.resource)
	of.pending[w] = true
	if len(of.pending) > keptPending {
		of.letGo(w.began)
	}
}

// name names the object of a write that did not: the server made the name.
func (o *ownWrites) name(w *ownWrite, name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if w.name == "" {
		w.name = name
	}
}

// letGo ends the wait for answers that are overdue, or else for the oldest.
func (r *resourceWrites) letGo(now time.Time) {
	var oldest *ownWrite
	for w := range r.pending {
		if now.Sub(w.began) > pendingFor {
			delete(r.pending, w)
		} else if oldest == nil || w.began.Before(oldest.began) {
			oldest = w
		}
	}
	if len(r.pending) > keptPending {
		delete(r.pending, oldest)
	}
}

// failed notes that the write was refused.
func (o *ownWrites) failed(w *ownWrite) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.of(w.resource).pending, w)
}

// succeeded notes what the write made, and tells whether it made nothing: the
// version that it answered with was there before. A write whose answer tells
// neither object nor version stays without an answer: what it made is unknown.
func (o *ownWrites) succeeded(w *ownWrite, noop bool) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	of := o.of(w.resource)
	of.any = true
	noop = noop || o.wasThere(w)
	if !noop && (w.uid == "" || (w.version == "" && !w.gone)) {
		return false
	}
	delete(of.pending, w)
	if noop {
		return true
	}
	made := version{w.uid, w.version}
	if w.gone {
		made.of = ""
	}
	o.made.put(made, w.span)
	if len(of.unseen) == keptUnseen {
		of.unseen = append(of.unseen[:0], of.unseen[1:]...)
	}
	of.unseen = append(of.unseen, *w)
	return false
}

// wasThere tells whether the version that a write answered with is known to be
// older than the write.
func (o *ownWrites) wasThere(w *ownWrite) bool {
	if w.uid == "" || w.gone {
		return false
	}
	v := version{w.uid, w.version}
	if _, own := o.made.get(v); own {
		return true
	}
	at, seen := o.seen.get(v)
	return seen && at.Before(w.began)
}

// collected notes the objects that a deletecollection answered with. Each is
// deleted, or has a version that says when it is to go.
func (o *ownWrites) collected(w *ownWrite, objects []version) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.of(w.resource).pending, w)
	for _, v := range objects {
		if v.uid == "" {
			continue
		}
		o.made.put(version{uid: v.uid}, w.span)
		if _, seen := o.seen.get(v); v.of != "" && !seen {
			o.made.put(v, w.span)
		}
	}
}

// deleting notes that an object which lives on for now was told to go, so that
// its end can be joined too.
func (o *ownWrites) deleting(w *ownWrite) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if w.uid != "" {
		o.made.put(version{uid: w.uid}, w.span)
	}
}

func (o *ownWrites) of(r schema.GroupResource) *resourceWrites {
	w := o.resource[r]
	if w == nil {
		w = &resourceWrites{pending: map[*ownWrite]bool{}}
		o.resource[r] = w
	}
	return w
}

// begin resolves an event when it comes. It stays open when an own write to
// that resource is unanswered, because that may be what made it.
func (o *ownWrites) begin(c cause) cause {
	o.mu.Lock()
	defer o.mu.Unlock()
	if v := (version{c.uid, c.version}); c.uid != "" && c.what != semconv.CauseDelete {
		if _, known := o.seen.get(v); !known {
			o.seen.put(v, c.at)
		}
	}
	if c.what == semconv.CauseInitialList {
		return o.join(c, semconv.ByUnknown)
	}
	if of := o.resource[c.resource]; of != nil && of.unanswered(c.at, c.at, c.mayBe) {
		c = o.join(c, semconv.ByUnknown)
		c.open = c.by == semconv.ByUnknown
		return c
	}
	return o.join(c, semconv.ByOther)
}

// resolve looks again at an event that is still open.
func (o *ownWrites) resolve(c cause) cause {
	if !c.open {
		return c
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if of := o.resource[c.resource]; of != nil && of.unanswered(time.Now(), c.at, c.mayBe) {
		return o.join(c, semconv.ByUnknown)
	}
	return o.join(c, semconv.ByOther)
}

// join finds the write behind an event; otherwise it was by who.
func (o *ownWrites) join(c cause, who string) cause {
	v := version{c.uid, c.version}
	if c.what == semconv.CauseDelete {
		v.of = ""
	}
	c.by = who
	if span, ok := o.made.get(v); ok && c.uid != "" {
		c.by, c.write, c.inferred = semconv.BySelf, span, v.of == ""
	}
	return c
}

// mayBe tells whether a write may be what made the cause: a write that names
// its object concerns no other.
func (c cause) mayBe(w *ownWrite) bool {
	return w.name == "" || (w.name == c.name && w.namespace == c.namespace)
}

func anyWrite(*ownWrite) bool { return true }

// unanswered tells whether a write that began before then, and that concerns
// what is asked about, has no answer now. One that is too old is let go.
func (r *resourceWrites) unanswered(now, then time.Time, concerns func(*ownWrite) bool) bool {
	found := false
	for w := range r.pending {
		switch {
		case now.Sub(w.began) > pendingFor:
			delete(r.pending, w)
		case !w.began.After(then) && concerns(w):
			found = true
		}
	}
	return found
}

// staleness is what is known of a read from the cache.
type staleness struct {
	stale string // one of semconv's Stale words, empty when nothing was written
	by    int
	since time.Time
}

// reads notes which store is read, and tells whether it is the only one.
func (r *resourceWrites) reads(store any) bool {
	switch {
	case r.store == nil:
		r.store = store
	case r.store != store:
		r.several = true
	}
	return !r.several
}

// ofStore compares own writes with the version that a store has reached:
// before is it as of before the read, after as of after it.
func (o *ownWrites) ofStore(r schema.GroupResource, store any, before, after string) staleness {
	o.mu.Lock()
	defer o.mu.Unlock()
	of := o.of(r)
	only := of.reads(store)
	if !of.any && len(of.pending) == 0 {
		return staleness{}
	}
	if !only {
		return staleness{stale: semconv.StaleUnknown}
	}
	var s staleness
	kept, doubt := of.unseen[:0], false
	for _, w := range of.unseen {
		seenBefore, ok1 := reached(before, w.version)
		seenAfter, ok2 := reached(after, w.version)
		switch {
		case !ok1 || !ok2:
			doubt = doubt || !w.gone
		case !seenAfter:
			s.unseen(w)
		case !seenBefore:
			doubt = true
		}
		if !seenBefore {
			kept = append(kept, w)
		}
	}
	of.unseen = kept
	return s.verdict(doubt || of.unanswered(time.Now(), time.Now(), anyWrite))
}

// ofObjects compares own writes with the objects that a read gave. An object
// that is absent proves nothing: it may be yet to come or gone already.
func (o *ownWrites) ofObjects(r schema.GroupResource, store any, found map[string]string, concerns func(ownWrite) bool) staleness {
	o.mu.Lock()
	defer o.mu.Unlock()
	of := o.of(r)
	only := of.reads(store)
	if !of.any && len(of.pending) == 0 {
		return staleness{}
	}
	if !only {
		return staleness{stale: semconv.StaleUnknown}
	}
	var s staleness
	kept, doubt := of.unseen[:0], false
	for _, w := range of.unseen {
		has, present := found[w.uid]
		seen, ok := reached(has, w.version)
		switch {
		case !concerns(w):
			kept = append(kept, w)
			continue
		case w.gone && present:
			s.unseen(w)
		case w.gone, present && ok && seen:
			continue
		case present && ok:
			s.unseen(w)
		default:
			doubt = true
		}
		kept = append(kept, w)
	}
	of.unseen = kept
	return s.verdict(doubt || of.unanswered(time.Now(), time.Now(), anyWrite))
}

func (s *staleness) unseen(w ownWrite) {
	if s.by == 0 || w.answered.Before(s.since) {
		s.since = w.answered
	}
	s.by++
}

func (s staleness) verdict(doubt bool) staleness {
	switch {
	case s.by > 0:
		s.stale = semconv.StaleYes
	case doubt:
		s.stale = semconv.StaleUnknown
	default:
		s.stale = semconv.StaleNo
	}
	return s
}

// reached tells whether version a is b or newer. Versions are decimal numbers
// of any length; ok is false for what is not one.
func reached(a, b string) (yes, ok bool) {
	if !isVersion(a) || !isVersion(b) {
		return false, false
	}
	if len(a) != len(b) {
		return len(a) > len(b), true
	}
	return strings.Compare(a, b) >= 0, true
}

func isVersion(s string) bool {
	if s == "" || s[0] == '0' {
		return false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}
