package flow

import (
	"cmp"
	"slices"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// version is one version of one object. UIDs are unique in a cluster, and so
// kind or resource need not be known: causes know the one, writes the other.
type version struct {
	uid string
	// resourceVersion is "" for the object's end.
	resourceVersion string
}

// made is what is known of a version: which write made it, and which causes
// its event became. Either may come first. Several writes may seem to have made
// it, two deletes of one object say; the earliest counts, in whatever order
// they come.
type made struct {
	by     *pass
	span   string
	from   int64
	causes []effect
}

// effect is one cause of a pass.
type effect struct {
	pass *pass
	at   int
}

// link joins a write to a cause that its event became.
type link struct {
	of     *made
	by, to *pass
	span   string
	from   int64
	at     int
	end    bool // joined by UID alone
	// wrote and named say that the cause has its Write and its By from this
	// link, seen that the write has its SeenAt from it.
	wrote, named, seen bool
}

// methodDelete is the one request that answers without a version. The fold
// does not import net/http for a word.
const methodDelete = "DELETE"

// indexWrite notes which version a write made, and joins the causes that wait
// for it. A write that moved nothing made no version.
func (s *State) indexWrite(p *pass, w *Write) {
	if w.UID == "" || len(p.index) >= maxIndexed || w.Status >= 400 {
		return
	}
	if w.After != "" && !w.Noop && w.After != w.Before {
		s.noteMade(p, version{w.UID, w.After}, w)
	}
	if w.Method == methodDelete {
		s.noteMade(p, version{uid: w.UID}, w)
	}
}

func (s *State) noteMade(p *pass, v version, w *Write) {
	m := s.made(p, v)
	if m.by != nil && cmp.Or(cmp.Compare(w.From, m.from), cmp.Compare(w.Span, m.span)) >= 0 {
		return
	}
	s.unmake(m)
	m.by, m.span, m.from = p, w.Span, w.From
	for _, e := range m.causes {
		s.join(m, e, v.resourceVersion == "")
	}
}

// indexCause notes which version a cause speaks of, and joins the write that
// made it, if that has come.
func (s *State) indexCause(p *pass, i int) {
	c := &p.row.Causes[i]
	if c.UID == "" || !isChange(c.What) {
		return
	}
	if c.ResourceVersion != "" {
		s.noteEffect(p, i, version{c.UID, c.ResourceVersion})
	}
	if c.What == semconv.CauseDelete {
		s.noteEffect(p, i, version{uid: c.UID})
	}
}

// isChange says that a cause is a version's first coming. When a version is
// seen again, nobody's write is the reason.
func isChange(what string) bool {
	switch what {
	case semconv.CauseAdd, semconv.CauseUpdate, semconv.CauseDelete:
		return true
	}
	return false
}

func (s *State) noteEffect(p *pass, i int, v version) {
	m := s.made(p, v)
	if len(m.causes) >= maxEffects {
		return
	}
	e := effect{p, i}
	m.causes = append(m.causes, e)
	if m.by != nil {
		s.join(m, e, v.resourceVersion == "")
	}
}

// made returns what is known of v and lets p answer for it.
func (s *State) made(p *pass, v version) *made {
	m := s.versions[v]
	if m == nil {
		m = &made{}
		s.versions[v] = m
	}
	p.index = append(p.index, v)
	return m
}

func (s *State) join(m *made, e effect, end bool) {
	l := &link{of: m, by: m.by, to: e.pass, span: m.span, from: m.from, at: e.at, end: end}
	l.by.links = append(l.by.links, l)
	if l.to != l.by {
		l.to.links = append(l.to.links, l)
	}
	s.resolve(l)
}

// resolve makes a link visible as soon as both of its ends can be placed.
func (s *State) resolve(l *link) {
	if l.by.gone || l.to.gone || !l.by.known() || !l.to.known() {
		return
	}
	if l.by.row.Controller == l.to.row.Controller {
		l.seen = true
		s.markSeen(l)
	}
	cause := l.to.row.Causes[l.at]
	if l.end && cause.Write != nil && !cause.Inferred {
		return // known exactly already
	}
	var guess []string
	if !l.end && cause.Inferred && cause.Write != nil {
		cause, guess = s.withoutGuess(l) // this is exact
	}
	cause = s.nameWriter(l, cause)
	e := edgeOf(l, cause)
	if old := s.edges.slots[e.Key]; old == nil || compareEdges(&e, old.row) < 0 {
		s.edges.put(s, e)
	}
	for _, span := range guess {
		s.resolveBeside(l, span)
	}
}

// compareEdges orders what several causes of one pass say of one write: the
// first is the one to show.
func compareEdges(a, b *Edge) int {
	return cmp.Or(
		cmp.Compare(a.To, b.To), step(b.Inferred, a.Inferred),
		cmp.Compare(a.ResourceVersion, b.ResourceVersion), cmp.Compare(a.Name, b.Name))
}

// withoutGuess takes from the cause of l what was inferred of it, and returns
// the cause and the writes that were guessed. A delete that was inferred has
// been seen all the same.
func (s *State) withoutGuess(l *link) (Cause, []string) {
	guess := []string{l.to.row.Causes[l.at].Write.Span}
	s.dropEdge(guess[0], l.to)
	for _, o := range l.to.links {
		if o.to == l.to && o.at == l.at && o.end {
			s.hide(o)
			guess = append(guess, o.span)
		}
	}
	cause := l.to.row.Causes[l.at]
	cause.Write, cause.Inferred = nil, false
	return cause, guess
}

// nameWriter says in the cause who made it and returns the cause as it is then.
// What the emitter resolved stays, be it self or other.
func (s *State) nameWriter(l *link, cause Cause) Cause {
	next := cause
	if cause.Write == nil {
		l.wrote = true
		next.Write = &WriteRef{Reconcile: l.by.row.Key, Span: l.span}
		next.Inferred = l.end
	}
	if cause.By == semconv.ByUnknown {
		l.named = true
		next.By = semconv.ByOther
		if l.by.row.Controller == l.to.row.Controller && l.by.row.Source == l.to.row.Source {
			next.By = semconv.BySelf
		}
	}
	if before := &l.to.row.Causes[l.at]; next.By != before.By || next.Write != before.Write {
		s.edit(l.to).Causes[l.at] = next
	}
	return next
}

// unmake takes back what followed from the write that was thought to have made
// the version, since an earlier one has come.
func (s *State) unmake(m *made) {
	if m.by == nil {
		return
	}
	isOld := func(l *link) bool { return l.of == m }
	old := slices.DeleteFunc(slices.Clone(m.by.links), func(l *link) bool { return !isOld(l) })
	m.by.links = slices.DeleteFunc(m.by.links, isOld)
	for _, l := range old {
		l.to.links = slices.DeleteFunc(l.to.links, isOld)
		s.hide(l)
		if l.seen {
			s.unmarkSeen(l)
		}
	}
	for _, l := range old {
		s.resolveBeside(l, l.span)
	}
}

// hide takes back what a link has shown at its cause, and its edge.
func (s *State) hide(l *link) {
	s.dropEdge(l.span, l.to)
	if l.wrote || l.named {
		cause := &s.edit(l.to).Causes[l.at]
		if l.wrote {
			cause.Write, cause.Inferred = nil, false
		}
		if l.named {
			cause.By = semconv.ByUnknown
		}
	}
	l.wrote, l.named = false, false
}

// resolveBeside shows again what the other links say of the same cause as l, or
// of a write and the same pass: these shared an edge.
func (s *State) resolveBeside(l *link, span string) {
	for _, o := range l.to.links {
		if o.to == l.to && o != l && (o.at == l.at || o.span == span) {
			s.resolve(o)
		}
	}
}

// markSeen notes at the write when its event came back first.
func (s *State) markSeen(l *link) {
	i := slices.IndexFunc(l.by.row.Writes, func(w Write) bool { return w.Span == l.span })
	if i < 0 {
		return
	}
	at := l.to.row.Causes[l.at].At
	if seen := l.by.row.Writes[i].SeenAt; seen == 0 || at < seen {
		s.edit(l.by).Writes[i].SeenAt = at
	}
}

// unmarkSeen notes at the write of a link that is gone when the events of the
// links that are left came back.
func (s *State) unmarkSeen(gone *link) {
	if i := slices.IndexFunc(gone.by.row.Writes, func(w Write) bool { return w.Span == gone.span }); i >= 0 {
		s.edit(gone.by).Writes[i].SeenAt = 0
	}
	for _, l := range gone.by.links {
		if l.by == gone.by && l.span == gone.span && l.seen {
			s.markSeen(l)
		}
	}
}

func edgeOf(l *link, cause Cause) Edge {
	to := l.to.row
	return Edge{
		Row: RowEdge, Key: edgeKey(l.span, l.to),
		From: l.from, To: cause.At,
		Write: WriteRef{Reconcile: l.by.row.Key, Span: l.span}, Reconcile: to.Key,
		Controller: to.Controller, Item: to.Item,
		ObjectKind: cause.Kind, Name: cause.Name, ResourceVersion: cause.ResourceVersion,
		Self: cause.By == semconv.BySelf, Inferred: l.end || cause.Inferred,
	}
}

// unlink takes an evicted pass out of the joins.
func (s *State) unlink(p *pass) {
	for _, v := range p.index {
		m := s.versions[v]
		if m == nil {
			continue
		}
		m.causes = slices.DeleteFunc(m.causes, func(e effect) bool { return e.pass == p })
		if m.by == p {
			m.by = nil
		}
		if m.by == nil && len(m.causes) == 0 {
			delete(s.versions, v)
		}
	}
	for _, l := range p.links {
		s.dropEdge(l.span, l.to)
		for _, other := range []*pass{l.by, l.to} {
			if other != p {
				other.links = slices.DeleteFunc(other.links, func(o *link) bool { return o == l })
			}
		}
	}
	p.links, p.index = nil, nil
}

func edgeKey(span string, to *pass) string { return span + "/" + to.row.Key }

func (s *State) dropEdge(span string, to *pass) {
	if sl := s.edges.slots[edgeKey(span, to)]; sl != nil {
		s.edges.drop(s, sl)
	}
}
