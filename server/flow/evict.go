package flow

import (
	"container/list"
	"slices"
)

// Rough sizes in bytes of what a pass holds, its bookkeeping included.
const (
	sizePass  = 1200
	sizeCause = 320
	sizeEntry = 240
	// sizeServer is a server span with its ids, without its words.
	sizeServer = 160
)

// weigh estimates what p takes, so that passes with much in them make room
// sooner.
func (s *State) weigh(p *pass) {
	r := p.row
	size := sizePass + len(p.seen)*8 + len(p.index)*128 + len(p.links)*96 +
		len(r.Causes)*sizeCause + (len(r.Reads)+len(r.Writes)+len(r.Plan)+len(r.Phases)+len(p.starts))*sizeEntry +
		textSize(r)
	s.bytes += size - p.bytes
	p.bytes = size
}

// textSize is the length of the values that can be long.
func textSize(r *Reconcile) int {
	n := fieldsSize(r.Object.Fields) + textsSize(r.Object.Finalizers)
	for i := range r.Causes {
		c := &r.Causes[i]
		n += len(c.Name) + len(c.Namespace) + len(c.UID) + len(c.Kind) + len(c.Manager) + textsSize(c.Changed)
	}
	for i := range r.Plan {
		a := &r.Plan[i]
		n += len(a.Summary) + len(a.Name) + len(a.Kind) + len(a.Verb) + textsSize(a.Paths)
	}
	for i := range r.Writes {
		w := &r.Writes[i]
		n += len(w.Name) + len(w.Namespace) + len(w.UID) + len(w.Resource) + len(w.AuditID) + len(w.Error) + fieldsSize(w.Fields) + serversSize(w.Server)
	}
	for i := range r.Reads {
		n += len(r.Reads[i].Kind)
	}
	return n
}

func fieldsSize(fields []Field) int {
	n := 0
	for i := range fields {
		n += 32 + len(fields[i].Path) + len(fields[i].Value)
	}
	return n
}

func serversSize(spans []ServerSpan) int {
	n := 0
	for i := range spans {
		n += sizeServer + len(spans[i].Name) + len(spans[i].Service)
	}
	return n
}

func textsSize(texts []string) int {
	n := 0
	for _, t := range texts {
		n += 16 + len(t)
	}
	return n
}

// evict brings the passes and samples within their limits.
func (s *State) evict() {
	for len(s.passes) > s.limits.Reconciles || s.bytes > s.limits.Bytes && len(s.passes) > 1 {
		e := s.done.Front()
		if e == nil {
			e = s.open.Front()
		}
		s.drop(e.Value.(*pass))
	}
	s.evictSamples()
}

// drop forgets a pass and the edges from and to it.
func (s *State) drop(p *pass) {
	p.gone = true
	s.unlink(p)
	delete(s.passes, p.row.Key)
	s.bytes -= p.bytes
	if p.item != nil {
		p.item.note.forget(p)
		p.item.note.numbers.letGo(p)
	}
	if p.over() {
		s.done.Remove(p.elem)
	} else {
		s.open.Remove(p.elem)
		s.leaveItem(p)
	}
	if p.given {
		s.retract(p.row)
	}
}

// leaveItem takes a pass that never ended from its item.
func (s *State) leaveItem(p *pass) {
	if p.item != nil && !p.item.gone {
		p.item.note.open = slices.DeleteFunc(p.item.note.open, func(o *pass) bool { return o == p })
		s.touchItem(p.item)
	}
}

// passRows appends the passes that can be placed.
func (s *State) passRows(rows []Row) []Row {
	for _, l := range []*list.List{&s.open, &s.done} {
		for e := l.Front(); e != nil; e = e.Next() {
			if p := e.Value.(*pass); p.known() {
				rows = append(rows, p.view())
			}
		}
	}
	return rows
}
