package flow

import (
	"cmp"
	"container/list"
	"slices"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// serverKey is what a write or a server span can be found by: its trace and
// span id, or, without a trace, its audit id.
type serverKey struct{ trace, id string }

// serverEntry is a write, or a span that may hang on one: what the API server,
// etcd or a webhook did for it.
type serverEntry struct {
	at    int64 // when it came
	names []serverKey
	// above is what a span says that it hangs on: its parent, its links and
	// its audit id. A write hangs on nothing.
	above []serverKey
	// owners are the writes under which it stands; a write's is itself.
	owners []writeAt
	span   ServerSpan
}

// writeAt is a write of a pass.
type writeAt struct {
	pass *pass
	span string
}

// serverIndex holds the newest writes and server spans, so that they find each
// other in any order. What it forgets stays in the rows.
type serverIndex struct {
	found   map[serverKey][]*serverEntry
	hanging map[serverKey][]*serverEntry
	order   list.List
}

func newServerIndex() serverIndex {
	return serverIndex{found: map[serverKey][]*serverEntry{}, hanging: map[serverKey][]*serverEntry{}}
}

// takeServer takes in a span that the contract has no name for. It is shown as
// soon as it hangs on a write, directly or through other spans.
func (s *State) takeServer(sp *Span) {
	name := serverKey{sp.TraceID, sp.SpanID}
	if !usable(sp.TraceID) || !usable(sp.SpanID) || len(s.servers.found[name]) > 0 {
		return
	}
	e := &serverEntry{names: []serverKey{name}, above: aboveOf(sp), span: serverSpanOf(sp)}
	if len(e.above) == 0 {
		return
	}
	s.servers.enter(e, s.now)
	for _, key := range e.above {
		for _, f := range s.servers.found[key] {
			for _, w := range f.owners {
				s.own(e, w)
			}
		}
	}
}

// anchorWrite lets server spans find a write.
func (s *State) anchorWrite(p *pass, sp *Span) {
	self := writeAt{p, clip(sp.SpanID)}
	e := &serverEntry{names: []serverKey{{sp.TraceID, sp.SpanID}}, owners: []writeAt{self}}
	if id := sp.Attrs.text(semconv.AttrAuditID); usable(id) {
		e.names = append(e.names, serverKey{id: id})
	}
	s.servers.enter(e, s.now)
	for _, key := range e.names {
		for _, h := range s.servers.hanging[key] {
			s.own(h, self)
		}
	}
}

// aboveOf is what a span hangs on: a privileged client's write is its parent,
// anybody else's is linked; either names the audit id.
func aboveOf(sp *Span) []serverKey {
	var above []serverKey
	add := func(key serverKey) {
		if usable(key.id) && len(above) < maxAbove && !slices.Contains(above, key) {
			above = append(above, key)
		}
	}
	add(serverKey{sp.TraceID, sp.Parent})
	add(serverKey{id: sp.Attrs.text(semconv.AttrAuditID)})
	for _, l := range sp.Links {
		if usable(l.TraceID) {
			add(serverKey{l.TraceID, l.SpanID})
		}
	}
	return above
}

func serverSpanOf(sp *Span) ServerSpan {
	return ServerSpan{
		Span: sp.SpanID, Parent: clip(sp.Parent), Service: clip(sp.Source.Service), Name: clip(sp.Name),
		From: sp.From, To: max(sp.To, sp.From), Failed: sp.Failed,
	}
}

// own puts a span, and all that hangs on it, under a write.
func (s *State) own(e *serverEntry, w writeAt) {
	for todo := []*serverEntry{e}; len(todo) > 0; {
		e, todo = todo[len(todo)-1], todo[:len(todo)-1]
		if len(e.above) == 0 || len(e.owners) >= maxOwners || slices.Contains(e.owners, w) {
			continue
		}
		e.owners = append(e.owners, w)
		s.showServer(w, e.span)
		for _, name := range e.names {
			todo = append(todo, s.servers.hanging[name]...)
		}
	}
}

// showServer adds a span to the row of a write, unless that is gone or cut.
func (s *State) showServer(at writeAt, span ServerSpan) {
	if at.pass.gone {
		return
	}
	i := slices.IndexFunc(at.pass.row.Writes, func(w Write) bool { return w.Span == at.span })
	if i < 0 {
		return
	}
	w := at.pass.row.Writes[i]
	full := w.ServerCut && compareServers(span, w.Server[maxServer-1]) > 0
	if full || slices.ContainsFunc(w.Server, func(o ServerSpan) bool { return o.Span == span.Span }) {
		return
	}
	// Rows that were given out share the list: it is replaced, not changed.
	w.Server = insert(slices.Clone(w.Server), span, compareServers)
	if len(w.Server) > maxServer {
		w.Server, w.ServerCut = w.Server[:maxServer], true
	}
	s.edit(at.pass).Writes[i] = w
}

func compareServers(a, b ServerSpan) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(b.To, a.To), cmp.Compare(a.Span, b.Span))
}

func (x *serverIndex) enter(e *serverEntry, now int64) {
	e.at = now
	x.order.PushBack(e)
	for _, key := range e.names {
		x.found[key] = append(x.found[key], e)
	}
	for _, key := range e.above {
		x.hanging[key] = append(x.hanging[key], e)
	}
}

// forgetServers brings the index within its limits.
func (s *State) forgetServers() {
	x := &s.servers
	for x.order.Len() > 0 {
		e := x.order.Front().Value.(*serverEntry)
		if x.order.Len() <= s.limits.ServerSpans && s.now-e.at < serverAge {
			return
		}
		x.order.Remove(x.order.Front())
		for _, key := range e.names {
			dropFirst(x.found, key)
		}
		for _, key := range e.above {
			dropFirst(x.hanging, key)
		}
	}
}

// dropFirst takes the oldest entry from a list. The one that the index forgets
// is the oldest everywhere.
func dropFirst(m map[serverKey][]*serverEntry, key serverKey) {
	list := m[key]
	list[0] = nil // the array lives on
	if len(list) == 1 {
		delete(m, key)
		return
	}
	m[key] = list[1:]
}
