package flow

import (
	"slices"
	"strconv"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// leastLoops is how many passes in a row make a hot loop: a controller that
// goes on step by step through its status makes a few.
const leastLoops = 10

// byOwnWrite says that a cause is the event of an own write of the object's own
// status or metadata.
func byOwnWrite(r *Reconcile, c *Cause) bool {
	return c.What == semconv.CauseUpdate && c.By == semconv.BySelf && c.UID != "" && c.UID == r.Object.UID &&
		!slices.Contains(c.Changed, "spec")
}

// wakesItself says that the pass was caused, also, by an own write of its
// object, and made another.
func wakesItself(r *Reconcile) bool {
	return r.writesOwn() && ownCauses(r) > 0
}

// onlyByItself says that an own write was all that caused the pass.
func onlyByItself(r *Reconcile) bool {
	n := ownCauses(r)
	return n == len(r.Causes) && n == causeTotal(r)
}

func ownCauses(r *Reconcile) int {
	n := 0
	for i := range r.Causes {
		if byOwnWrite(r, &r.Causes[i]) {
			n++
		}
	}
	return n
}

func findHotLoop(h *history, mark marks) []episode {
	return h.streaks(leastLoops, func(i int) verdict {
		switch {
		case !h.marked(i, mark):
			return other
		case h.marked(i, markAlone):
			return shows
		}
		return neutral
	}, func(e stretch) func(bool) string {
		n, took, name := len(e.passes), h.row(e.last).To-h.row(e.first).From, h.row(e.first).name()
		return func(more bool) string {
			return name + " is written on every reconcile, and nothing but that write causes the next one (" + times(n, more) + " in " + lasted(took) +
				"): write only what differs, and keep times and counters out of the status"
		}
	})
}

// atRest is how long nothing must happen after a pass that should have led to
// more.
const atRest = 5 * second

// swallowed are the writes of a pass that failed, did not come right in the
// same pass, and are not what a controller may well pass over: an object that
// is gone or there already, and a conflict, whose event brings the next pass.
func swallowed(r *Reconcile) []*Write {
	var all []*Write
	for i := range r.Writes {
		w := &r.Writes[i]
		if !w.failed(false) || w.To == 0 || w.Status == 404 || w.Status == 409 {
			continue
		}
		again := slices.ContainsFunc(r.Writes[i:], func(o Write) bool {
			return o.done() && o.Method == w.Method && o.Resource == w.Resource && o.Subresource == w.Subresource && (w.Name == "" || o.Name == w.Name)
		})
		if !again {
			all = append(all, w)
		}
	}
	return all
}

func swallows(r *Reconcile) bool {
	return r.FailedWrites > 0 && r.ended() && !r.Object.Deleting && len(swallowed(r)) > 0
}

// ended says that the pass ended in success with its object in place and
// nothing planned.
func (r *Reconcile) ended() bool {
	return r.Result == semconv.ResultSuccess && r.Next.Why == nextDone && r.Object.ResourceVersion != "" && r.Object.UID != ""
}

func findSwallowedError(h *history, mark marks) []episode {
	return h.rests(atRest, func(i int) bool { return h.marked(i, mark) }, func(e stretch) func(bool) string {
		r := h.row(e.last)
		w := swallowed(r)[0]
		what, why, name, n := w.Method+" "+w.Resource, reasonOf(w), r.name(), len(e.passes)
		return func(more bool) string {
			return what + " failed (" + why + ") and the reconcile of " + name + " ended in success (" + times(n, more) +
				"): nothing tries again; return the error, so that a back-off follows"
		}
	})
}

// reasonOf is why a write failed.
func reasonOf(w *Write) string {
	if w.Error != "" {
		return w.Error
	}
	return "status " + strconv.Itoa(w.Status)
}

// leastBlind is how many times one old version must have been sent in a pass.
const leastBlind = 3

// blindWrite returns a write that was refused as a conflict, and how many times
// the same version of the same object was refused in the pass, nil for none.
func blindWrite(r *Reconcile) (*Write, int) {
	for i := range r.Writes {
		w, n := &r.Writes[i], 0
		if !w.stale() {
			continue
		}
		for j := range r.Writes {
			if o := &r.Writes[j]; o.stale() && o.UID == w.UID && o.Before == w.Before && o.Subresource == w.Subresource {
				n++
			}
		}
		if n >= leastBlind {
			return w, n
		}
	}
	return nil, 0
}

// stale says that the write was over a version that was not the newest.
func (w *Write) stale() bool {
	return w.Error == "Conflict" && w.UID != "" && w.Before != ""
}

func updatesBlindly(r *Reconcile) bool {
	if r.FailedWrites < leastBlind {
		return false
	}
	w, _ := blindWrite(r)
	return w != nil
}

func findBlindUpdate(h *history, mark marks) []episode {
	return h.streaks(1, byMark(h, mark), func(e stretch) func(bool) string {
		w, n := blindWrite(h.row(e.last))
		object, version := w.Resource+" "+w.Name, w.Before
		return func(bool) string {
			return object + " was sent " + strconv.Itoa(n) + " times in one reconcile over version " + version +
				", and refused each time (Conflict): read the object again before each try, or return the error and let the back-off bring the next reconcile"
		}
	})
}

func asksInVain(r *Reconcile) bool { return r.Next.Ignored > 0 }

func findRequeueWithError(h *history, mark marks) []episode {
	return h.streaks(1, byMark(h, mark), func(e stretch) func(bool) string {
		r, n := h.row(e.last), len(e.passes)
		return func(more bool) string {
			return r.name() + " failed (" + r.Error + ") and asked for a try in " + lasted(r.Next.Ignored) + " at once (" + times(n, more) +
				"): the error makes that void, and the back-off decides (" + lasted(r.Next.At-r.To) + "); return either the error or RequeueAfter"
		}
	})
}
