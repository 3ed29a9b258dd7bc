package flow

import (
	"slices"
	"strconv"
	"strings"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// isResourceOf says whether a resource is the plural of a kind, by the usual
// rules.
func isResourceOf(resource, kind string) bool {
	one := strings.ToLower(kind)
	switch {
	case one == "":
		return false
	case resource == one, resource == one+"s", resource == one+"es":
		return true
	}
	stem, ok := strings.CutSuffix(one, "y")
	return ok && resource == stem+"ies"
}

// created are the objects of a resource ("" is any) that the pass made.
func created(r *Reconcile, resource string) []*Write {
	var all []*Write
	for i := range r.Writes {
		if w := &r.Writes[i]; w.created() && (resource == "" || w.Resource == resource) {
			all = append(all, w)
		}
	}
	return all
}

// staleList is a read of the pass that did not show own writes, of whose kind
// the pass then made objects; nil when there is none.
func staleList(r *Reconcile) *Read {
	i := slices.IndexFunc(r.Reads, func(d Read) bool {
		return d.Stale == semconv.StaleYes && slices.ContainsFunc(r.Writes, func(w Write) bool {
			return w.created() && w.From >= d.From && isResourceOf(w.Resource, d.Kind)
		})
	})
	if i < 0 {
		return nil
	}
	return &r.Reads[i]
}

func createsFromStaleRead(r *Reconcile) bool { return staleList(r) != nil }

// duplicate is a pass that made more objects than its object asks for, because
// its read did not show those that an earlier one had made.
type duplicate struct {
	first                        *pass
	want, shown, unseen, created int
	resource                     string
}

// duplicateAt returns nil when the pass is none, or cannot be shown to be: the
// object must say how many it wants.
func (h *history) duplicateAt(i int) *duplicate {
	r := h.row(i)
	read := staleList(r)
	if read == nil || r.Object.UID == "" {
		return nil
	}
	want, ok := replicasOf(r)
	if !ok {
		return nil
	}
	d := &duplicate{want: want, shown: read.Count}
	for _, w := range created(r, "") {
		if isResourceOf(w.Resource, read.Kind) {
			d.created++
			d.resource = w.Resource
		}
	}
	for _, p := range h.passes[:i] {
		n := 0
		if p.row.Object.UID == r.Object.UID {
			n = unseenAt(p.row, d.resource, read.From)
		}
		if n > 0 && d.first == nil {
			d.first = p
		}
		d.unseen += n
	}
	if d.unseen == 0 || d.shown+d.unseen+d.created <= want {
		return nil
	}
	return d
}

// unseenAt is how many objects of a resource the pass made whose events had not
// come by a time.
func unseenAt(r *Reconcile, resource string, at int64) int {
	n := 0
	for _, w := range created(r, resource) {
		if w.To <= at && (w.SeenAt == 0 || w.SeenAt > at) {
			n++
		}
	}
	return n
}

// replicasOf is spec.replicas of the object as the pass saw it.
func replicasOf(r *Reconcile) (int, bool) {
	for _, f := range r.Object.Fields {
		if f.Path == "spec.replicas" {
			n, err := strconv.Atoi(f.Value)
			return n, err == nil
		}
	}
	return 0, false
}

func findDuplicateCreate(h *history, mark marks) []episode {
	all := h.streaks(1, func(i int) verdict {
		if h.marked(i, mark) && h.duplicateAt(i) != nil {
			return shows
		}
		return other
	}, func(e stretch) func(bool) string {
		d, name := h.duplicateAt(e.last), h.row(e.last).name()
		return func(bool) string {
			return name + " asks for " + strconv.Itoa(d.want) + " " + d.resource + "; the cache showed " + strconv.Itoa(d.shown) +
				" and not yet " + strconv.Itoa(d.unseen) + " made before, so the reconcile made " + strconv.Itoa(d.created) +
				" too many or more: wait until the cache shows the own writes (expectations), or give the objects names that follow from their owner"
		}
	})
	for i := range all {
		last := all[i].evidence
		at := slices.Index(h.passes, last[len(last)-1])
		all[i].evidence = append([]*pass{h.duplicateAt(at).first}, last...)
	}
	return all
}

// unowned are the objects without an owner reference that the pass made in the
// namespace of its own object. Events and leases are nobody's.
func unowned(r *Reconcile) []*Write {
	return slices.DeleteFunc(created(r, ""), func(w *Write) bool {
		return !w.Unowned || w.Namespace != r.Object.Namespace || w.Resource == "events" || w.Resource == "leases"
	})
}

func createsUnowned(r *Reconcile) bool { return r.Object.UID != "" && len(unowned(r)) > 0 }

// afterDelete is how long what was left behind is spoken of.
const afterDelete = 60 * second

func findNoOwnerReference(h *history, _ marks) []episode {
	var all []episode
	for i := range h.passes {
		r := h.row(i)
		if !foundGone(r) {
			continue
		}
		left, by := h.leftBehind(i)
		if len(left) == 0 || h.now < r.To+atRest {
			if len(left) > 0 {
				h.lookAt(r.To + atRest)
			}
			continue
		}
		e := h.episode(stretch{first: i, last: i, passes: append(by, h.passes[i])}, func(bool) string {
			return r.name() + " is gone, and " + strconv.Itoa(len(left)) + " " + left[0].Resource + " that were made for it stay: they have no owner reference, so the garbage collector leaves them; set one (SetControllerReference) when an object is made"
		})
		e.from, e.to = r.From, min(e.last+afterDelete, h.now)
		if h.alive && h.now < e.last+afterDelete {
			h.lookAt(e.last + afterDelete)
			e.to = 0
		}
		all = append(all, e)
	}
	return all
}

// leftBehind are the objects without an owner that were made for the object
// whose end pass i found, and the passes that made them.
func (h *history) leftBehind(i int) (left []*Write, by []*pass) {
	uid := ownUID(h.row(i))
	for _, p := range h.passes[:i] {
		if p.row.Object.UID != uid || uid == "" {
			continue
		}
		n := len(left)
		for _, w := range unowned(p.row) {
			if !h.deleted(w.UID) {
				left = append(left, w)
			}
		}
		if len(left) > n {
			by = append(by, p)
		}
	}
	return left, by
}

// ownUID is the UID of the object whose delete caused the pass.
func ownUID(r *Reconcile) string {
	for _, c := range r.Causes {
		if c.What == semconv.CauseDelete && itemName(c.Namespace, c.Name) == r.Item {
			return c.UID
		}
	}
	return ""
}

// deleted says that the controller has deleted an object, or seen its end.
func (h *history) deleted(uid string) bool {
	return slices.ContainsFunc(h.passes, func(p *pass) bool {
		return slices.ContainsFunc(p.row.Writes, func(w Write) bool { return w.UID == uid && w.Method == methodDelete && w.done() }) ||
			slices.ContainsFunc(p.row.Causes, func(c Cause) bool { return c.UID == uid && c.What == semconv.CauseDelete })
	})
}

// createsUnseen says that the pass made owned objects whose events have not
// come.
func createsUnseen(r *Reconcile) bool {
	return slices.ContainsFunc(created(r, ""), func(w *Write) bool { return w.Owned && w.SeenAt == 0 })
}

// child is an object that a pass made, and that has caused no reconcile since.
type child struct {
	*Write
	of    string // the UID of the object that it was made for
	place int    // of the pass
}

// unseenChildren are the owned objects of which no event has ever come.
func (h *history) unseenChildren() []child {
	seen := h.seenObjects()
	var all []child
	for i, p := range h.passes {
		for _, w := range created(p.row, "") {
			if w.Owned && w.SeenAt == 0 && !seen[w.UID] {
				all = append(all, child{w, p.row.Object.UID, i})
			}
		}
	}
	return all
}

// seenObjects are the UIDs of the objects whose events have been causes.
func (h *history) seenObjects() map[string]bool {
	seen := map[string]bool{}
	for _, p := range h.passes {
		for i := range p.row.Causes {
			seen[p.row.Causes[i].UID] = true
		}
	}
	return seen
}

// inCache are the children that the cache of pass i shows.
func (h *history) inCache(i int, children []child) []child {
	r := h.row(i)
	return slices.DeleteFunc(slices.Clone(children), func(c child) bool {
		return c.place > i || c.of != r.Object.UID || !caughtUp(r, c.Write)
	})
}

// caughtUp says that the pass read the kind of a write from a cache that has
// come as far as this process's last write of it.
func caughtUp(r *Reconcile, w *Write) bool {
	return slices.ContainsFunc(r.Reads, func(d Read) bool {
		return d.Source == semconv.ReadCache && d.Stale == semconv.StaleNo && d.From >= w.To && isResourceOf(w.Resource, d.Kind)
	})
}

func findMissingWatch(h *history, _ marks) []episode {
	if slices.ContainsFunc(h.passes, func(p *pass) bool { return causeTotal(p.row) != len(p.row.Causes) }) {
		return nil // the event may be among those that are only counted
	}
	children := h.unseenChildren()
	if len(children) == 0 {
		return nil
	}
	return h.rests(atRest, func(i int) bool {
		return h.row(i).ended() && len(h.inCache(i, children)) > 0 && !h.droppedOf(i)
	}, func(e stretch) func(bool) string {
		shown := h.inCache(e.last, children)
		controller, name, resource := h.row(e.last).Controller, h.row(e.last).name(), shown[0].Resource
		return func(bool) string {
			return controller + " made " + strconv.Itoa(len(shown)) + " " + resource + " for " + name +
				" and its cache shows them, but no event of theirs came to the queue: when one goes away nothing happens; watch " +
				resource + " and map them to their owner (Owns)"
		}
	})
}

// droppedOf says that a predicate has dropped events of a kind that pass i read.
func (h *history) droppedOf(i int) bool {
	return slices.ContainsFunc(h.row(i).Reads, func(d Read) bool { return h.dropped(d.Kind) })
}
