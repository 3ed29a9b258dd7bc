package spancheck

import (
	"cmp"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// Rules about the spans of one trace.
const (
	ruleRoot     = "root"
	ruleParent   = "parent"
	ruleOrder    = "order"
	ruleOverlap  = "overlap"
	ruleOutside  = "outside"
	ruleRepeated = "repeated"
)

// node is what the structure of a trace is made of. Times are microseconds: no
// picture is finer, and some languages' clocks are not.
type node struct {
	where
	parent   string
	from, to int64
}

// traceState is one reconcile.
type traceState struct {
	spans []*node
	byID  map[string]*node
	// open says that a record tells of a root that has not ended.
	open bool
}

func (c *checker) trace(id string) *traceState {
	t := c.traces[id]
	if t == nil {
		t = &traceState{byID: map[string]*node{}}
		c.traces[id] = t
		c.order = append(c.order, t)
	}
	return t
}

// keep keeps a span for its trace and reports whether it is new.
func (c *checker) keep(w where, s ptrace.Span) bool {
	n := &node{where: w, from: micros(s.StartTimestamp()), to: micros(s.EndTimestamp())}
	if !s.ParentSpanID().IsEmpty() {
		n.parent = s.ParentSpanID().String()
	}
	t := c.trace(w.traceID)
	old := t.byID[w.spanID]
	switch {
	case old == nil:
		t.byID[w.spanID] = n
		t.spans = append(t.spans, n)
		return true
	case old.name == n.name && old.from == n.from && old.to == n.to:
		c.note(w, ruleRepeated, "each span once", "it was sent before, in line %d; the hub takes it once", old.line)
	default:
		c.wrong(w, ruleID, "a span id of its own for each span", "%q in line %d has the same ids", clip(old.name), old.line)
	}
	return false
}

func micros(t pcommon.Timestamp) int64 { return int64(t / 1000) }

func (c *checker) checkTrace(t *traceState) {
	root := c.findRoot(t)
	var children []*node
	for _, n := range t.spans {
		switch {
		case isPhase(n.name):
			children = append(children, n)
			c.checkPhase(t, root, n)
		case !isRoot(n.name):
			c.checkLeaf(t, n)
		}
	}
	c.checkOrder(root, children)
}

// findRoot returns nil where there is none.
func (c *checker) findRoot(t *traceState) *node {
	var root *node
	for _, n := range t.spans {
		switch {
		case !isRoot(n.name):
		case root == nil:
			root = n
		default:
			c.wrong(n.where, ruleRoot, "one trace for each reconcile", "its trace has another root, %s in line %d", root.spanID, root.line)
		}
	}
	const want = "a span \"reconcile <controller>\" in each trace"
	switch first := t.spans[0].where; {
	case root == nil && t.open:
		c.note(first, ruleRoot, want, "the root of its trace is still open at the end of the file")
	case root == nil:
		c.wrong(first, ruleRoot, want, "its trace has no root (or the file ends before it)")
	}
	return root
}

func (c *checker) checkPhase(t *traceState, root, n *node) {
	if root == nil {
		return
	}
	if n.parent != root.spanID {
		c.wrong(n.where, ruleParent, "the root "+root.spanID+" as its parent", "its parent is %s", t.describe(n.parent))
	}
	c.checkInside(n, root)
}

// checkLeaf checks a read or a write.
func (c *checker) checkLeaf(t *traceState, n *node) {
	usual := semconv.SpanFetch
	if n.name == semconv.SpanWrite {
		usual = semconv.SpanApply
	}
	parent := t.byID[n.parent]
	switch {
	case parent == nil || !isPhase(parent.name):
		c.wrong(n.where, ruleParent, "a phase as its parent, as a rule "+usual, "its parent is %s", t.describe(n.parent))
		return
	case parent.name != usual:
		c.note(n.where, ruleParent, "as a rule "+usual+" as its parent", "its parent is %s", parent.name)
	}
	c.checkInside(n, parent)
}

func (t *traceState) describe(id string) string {
	switch n := t.byID[id]; {
	case id == "":
		return "none"
	case n == nil:
		return id + ", which is not in the file"
	default:
		return id + ", " + clip(n.name)
	}
}

func (c *checker) checkInside(n, outer *node) {
	if n.from < outer.from || n.to > outer.to {
		c.wrong(n.where, ruleOutside, "a span within its parent's time",
			"it begins %s after %q and ends %s before it", span(n.from-outer.from), clip(outer.name), span(outer.to-n.to))
	}
}

func span(us int64) string { return (time.Duration(us) * time.Microsecond).String() }

// checkOrder checks that the children follow each other as in the loop.
func (c *checker) checkOrder(root *node, children []*node) {
	slices.SortStableFunc(children, func(a, b *node) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(rank(a.name), rank(b.name)), cmp.Compare(a.to, b.to))
	})
	var last *node // the one that ends last so far
	for i, n := range children {
		if last != nil && n.from < last.to {
			c.wrong(n.where, ruleOverlap, "phases that do not overlap", "it begins %s before %s of line %d ends", span(last.to-n.from), last.name, last.line)
		}
		if last == nil || n.to > last.to {
			last = n
		}
		switch {
		case n.name == semconv.SpanDequeue && i > 0:
			c.wrong(n.where, ruleOrder, "dequeue once, and first", "it comes after %s", children[i-1].name)
		case n.name == semconv.SpanRequeue && i < len(children)-1:
			c.wrong(n.where, ruleOrder, "requeue once, and last", "%s comes after it", children[i+1].name)
		}
	}
	if root != nil {
		c.checkEnds(root, children)
	}
}

func (c *checker) checkEnds(root *node, children []*node) {
	for _, name := range []string{semconv.SpanDequeue, semconv.SpanRequeue} {
		if !slices.ContainsFunc(children, func(n *node) bool { return n.name == name }) {
			c.wrong(root.where, ruleOrder, "dequeue first, then fetch, compute and apply, requeue last", "its trace has no %s", name)
		}
	}
}

func rank(name string) int { return slices.Index(phases, name) }
