package flow

import (
	"slices"
	"strconv"
	"strings"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// heldBy is the finalizer that holds an object which is being deleted, "" for
// none. Those of the garbage collector and of Kubernetes itself are not the
// business of a controller.
func heldBy(o *Object) string {
	for _, name := range o.Finalizers {
		if name != "foregroundDeletion" && name != "orphan" && !strings.HasPrefix(name, "kubernetes.io/") {
			return name
		}
	}
	return ""
}

// leavesDeleting says that the pass saw its object being deleted and held, and
// did nothing about it.
func leavesDeleting(r *Reconcile) bool {
	return r.Object.Deleting && heldBy(&r.Object) != "" && r.ended() && r.WriteCount == 0
}

// stuckAfter is how long an object must have been left alone.
const stuckAfter = 10 * second

func findFinalizerStuck(h *history, mark marks) []episode {
	return h.rests(stuckAfter, func(i int) bool { return h.marked(i, mark) && !h.cleansUp(i) }, func(e stretch) func(bool) string {
		r, n := h.row(e.last), len(e.passes)
		return func(more bool) string {
			return r.name() + " is being deleted and held by the finalizer " + heldBy(&r.Object) + "; " + r.Controller + " reconciled it (" + times(n, more) +
				"), did nothing and plans nothing: whose finalizer it is has to take it off when the clean-up is done, and when there is none to do"
		}
	})
}

// cleansUp says that the controller has written something since the object of
// pass i is being deleted: it may wait for what comes of that.
func (h *history) cleansUp(i int) bool {
	uid := h.row(i).Object.UID
	return slices.ContainsFunc(h.passes, func(p *pass) bool {
		return p.row.Object.UID == uid && p.row.Object.Deleting && p.row.WriteCount > 0
	})
}

// leavesOldGeneration says that the pass saw a status of an older generation,
// in a cache that had come as far as its own writes, and wrote nothing whose
// event could bring another pass.
func leavesOldGeneration(r *Reconcile) bool {
	o := &r.Object
	return o.ObservedGeneration > 0 && o.Generation > o.ObservedGeneration && !o.Deleting && r.ended() && r.WriteCount == 0 &&
		!slices.ContainsFunc(r.Reads, func(d Read) bool { return d.Stale == semconv.StaleYes || d.Stale == semconv.StaleUnknown })
}

func findObservedGeneration(h *history, mark marks) []episode {
	return h.rests(atRest, func(i int) bool { return h.marked(i, mark) }, func(e stretch) func(bool) string {
		r := h.row(e.last)
		ready := ""
		if slices.Contains(r.Object.Fields, Field{"status.conditions.Ready", "True"}) {
			ready = " and says Ready"
		}
		return func(bool) string {
			return r.name() + " is of generation " + strconv.FormatInt(r.Object.Generation, 10) + ", its status is of generation " +
				strconv.FormatInt(r.Object.ObservedGeneration, 10) + ready + ", and " + r.Controller +
				" has reconciled it and plans nothing: who waits for the new generation waits for ever; write observedGeneration, the generation that was looked at, with every status"
		}
	})
}
