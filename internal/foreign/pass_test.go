package foreign_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
	"github.com/reconcile-tracer/tracer/tracer/tracertest"
)

// loop is the order of phases; those in the middle come round as often as the
// operator reads again after a write.
var loop = regexp.MustCompile(`^dequeue fetch( compute| apply| fetch)+ requeue$`)

// checkPass wants of a pass, whatever it did, that nothing of the loop is
// missing.
func checkPass(t *testing.T, p tracertest.Reconcile, all []tracertest.Reconcile) {
	phases := p.PhaseNames()
	if !loop.MatchString(strings.Join(phases, " ")) || !slices.Contains(phases, semconv.SpanCompute) || !slices.Contains(phases, semconv.SpanApply) {
		t.Errorf("phases %v, want all five", phases)
	}
	if p.Root.Attrs.Text(semconv.AttrController) != "raycluster" || p.Root.Attrs.Text(semconv.AttrObjectKind) != "RayCluster" {
		t.Errorf("a pass of %v, want RayCluster's", p.Root.Attrs)
	}
	if p.Result == "" || p.Root.TraceID != p.Root.Attrs.Text(semconv.AttrID) {
		t.Errorf("result %q, trace %s, want a result and the trace of reconcile %s", p.Result, p.Root.TraceID, p.Root.Attrs.Text(semconv.AttrID))
	}
	checkCauses(t, p, all)
	checkReads(t, p)
	checkWrites(t, p)
}

// checkCauses wants at least one, and the write behind each own one.
func checkCauses(t *testing.T, p tracertest.Reconcile, all []tracertest.Reconcile) {
	t.Helper()
	if len(p.Causes) == 0 {
		t.Error("no cause")
	}
	for _, c := range p.Causes {
		switch {
		case c.What == semconv.CauseRequeueAfter || c.What == semconv.CauseBackoff:
			if c.By != semconv.BySelf {
				t.Errorf("cause %+v, want self", c)
			}
		case c.Kind == "" || c.Name == "" || c.UID == "" || c.ResourceVersion == "":
			t.Errorf("cause %+v, want one that names an object and its version", c)
		case c.By == semconv.BySelf:
			if s, ok := write(all, c.Write); !ok || s.Attrs.Text(semconv.AttrWriteUID) != c.UID {
				t.Errorf("cause %+v, want the link of a write of that object", c)
			}
		case c.By != semconv.ByOther:
			t.Errorf("cause %+v, want self or other", c)
		}
	}
}

// write is the write that a link leads to.
func write(all []tracertest.Reconcile, link tracertest.Link) (tracertest.Span, bool) {
	for _, p := range all {
		for _, s := range p.Writes {
			if s.TraceID == link.TraceID && s.SpanID == link.SpanID {
				return s, true
			}
		}
	}
	return tracertest.Span{}, false
}

// checkReads wants the object first, and all from the cache.
func checkReads(t *testing.T, p tracertest.Reconcile) {
	t.Helper()
	if len(p.Reads) == 0 || p.Reads[0].Attrs.Text(semconv.AttrReadKind) != "RayCluster" {
		t.Errorf("reads %v, want the RayCluster first", p.Reads)
	}
	for _, r := range p.Reads {
		kind, source := r.Attrs.Text(semconv.AttrReadKind), r.Attrs.Text(semconv.AttrReadSource)
		if source != semconv.ReadCache || !slices.Contains([]string{"RayCluster", "Service", "Pod"}, kind) {
			t.Errorf("a read of %s from %s, want one of the cache's", kind, source)
		}
	}
}

// checkWrites wants of each how it ended, and of which versions it was.
func checkWrites(t *testing.T, p tracertest.Reconcile) {
	t.Helper()
	for i, s := range p.Writes {
		a := s.Attrs
		if id := a.Text(semconv.AttrAuditID); id != fmt.Sprintf("%s-%d", p.Root.TraceID, i+1) {
			t.Errorf("%s has audit id %q", name(s), id)
		}
		before, after := a.Text(semconv.AttrWriteResourceVersionOld), a.Text(semconv.AttrWriteResourceVersionNew)
		if method := a.Text(semconv.AttrHTTPMethod); method == "PUT" && before == "" || method == "POST" && before != "" {
			t.Errorf("%s was of version %q", name(s), before)
		}
		if failed := a.Int(semconv.AttrHTTPStatus) >= 400; failed != s.Failed || failed == (after != "") {
			t.Errorf("%s (failed: %v) made version %q", name(s), s.Failed, after)
		}
	}
}

// checkHub wants the hub to have, and to show, the same passes.
func (w *world) checkHub() {
	w.t.Helper()
	for _, p := range w.passes() {
		var got row
		deadline := time.After(10 * time.Second)
		for tick := time.NewTicker(20 * time.Millisecond); got.Result == ""; {
			rows := w.hub.rows(w.t, w.item())
			if n := slices.IndexFunc(rows, func(r row) bool { return r.Key == p.Root.TraceID }); n >= 0 {
				got = rows[n]
			}
			select {
			case <-tick.C:
			case <-deadline:
				w.t.Fatalf("the hub does not show that reconcile %s has ended", p.Root.TraceID)
			}
		}
		want := fmt.Sprint(p.Result, p.PhaseNames(), len(p.Causes), len(p.Reads), len(p.Writes))
		var phases []string
		for _, f := range got.Phases {
			phases = append(phases, f.Name)
		}
		if shown := fmt.Sprint(got.Result, phases, len(got.Causes), got.ReadCount, got.WriteCount); shown != want {
			w.t.Errorf("the hub shows %s of reconcile %s, want %s", shown, p.Root.TraceID, want)
		}
	}
}
