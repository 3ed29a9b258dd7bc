package controltest

import (
	"slices"
	"testing"

	"github.com/reconcile-tracer/tracer/server/flow"
)

// Each fault reaches the controller, as the API server would have said it, and
// the loop heals by itself.
func TestFaultsReachTheControllerAndTheLoopHeals(t *testing.T) {
	c := open(t)
	replicas := 1
	for _, f := range []struct {
		fault, verb, resource string
		status                int
		reason                string
		made                  int // Pods that the server has made when the answer comes
	}{
		{"409", "update", "podsets", 409, "Conflict", 1},
		{"429", "create", "pods", 429, "TooManyRequests", 0},
		{"500", "create", "pods", 500, "InternalError", 0},
		{"timeout_before", "create", "pods", 504, "Timeout", 0},
		{"timeout_after", "create", "pods", 504, "Timeout", 1},
	} {
		stop := c.do(command{"command": "break", "when": "write = " + f.reason})
		fault := c.do(command{"command": "fault", "fault": f.fault, "verb": f.verb, "resource": f.resource})
		c.scale(replicas + 1)
		c.held("apply", "break when write = "+f.reason)
		if got := c.pods() - replicas; got != f.made {
			t.Errorf("%s: when the answer comes the server has made %d Pods, want %d", f.fault, got, f.made)
		}
		c.wantEnded(fault.ID, "it has hit what it was for")
		c.do(command{"command": "lift", "id": stop.ID})
		replicas++
		c.settled(replicas)
		c.passes(f.fault+" is seen", func(r flow.Reconcile) bool {
			return slices.ContainsFunc(r.Writes, func(w flow.Write) bool {
				return w.Fault == f.fault && w.Status == f.status && w.Error == f.reason
			})
		})
		c.wantEnded(stop.ID, "lifted")
	}
}

func TestHeldWatchesMakeAReadStale(t *testing.T) {
	c := open(t)
	c.do(command{"command": "fault", "fault": "hold_watch", "resource": "pods", "seconds": 4})
	c.scale(3)
	stale := c.passes("a read is proven to be stale", func(r flow.Reconcile) bool {
		return slices.ContainsFunc(r.Reads, func(read flow.Read) bool { return read.Kind == "Pod" && read.Stale == "yes" && read.StaleBy > 0 })
	})
	c.settled(3)
	c.passes("a later read is fresh", func(r flow.Reconcile) bool {
		return r.From > stale.From && slices.ContainsFunc(r.Reads, func(read flow.Read) bool { return read.Kind == "Pod" && read.Stale == "no" })
	})
}

func TestLatencyIsAddedToRequests(t *testing.T) {
	c := open(t)
	latency := c.do(command{"command": "fault", "fault": "latency", "delay_ms": 300, "verb": "create"})
	c.scale(2)
	c.passes("a create takes longer", func(r flow.Reconcile) bool {
		return slices.ContainsFunc(r.Writes, func(w flow.Write) bool { return w.Method == "POST" && w.Status == 201 && w.To-w.From >= 300_000 })
	})
	c.do(command{"command": "lift", "id": latency.ID})
	c.wantEnded(latency.ID, "lifted")
	c.settled(2)
}
