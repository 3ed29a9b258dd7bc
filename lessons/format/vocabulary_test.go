package format

import (
	"slices"
	"testing"

	"github.com/reconcile-tracer/tracer/templates"
)

func TestMarksAreThoseOfTheMap(t *testing.T) {
	var nodes, edges []string
	for _, n := range templates.Nodes() {
		nodes = append(nodes, n.ID)
	}
	for _, e := range templates.Edges() {
		edges = append(edges, e.ID)
	}
	for _, c := range []struct{ ours, theirs []string }{{Nodes(), nodes}, {Edges(), edges}} {
		slices.Sort(c.ours)
		slices.Sort(c.theirs)
		if !slices.Equal(c.ours, c.theirs) {
			t.Errorf("a beat may highlight %v, the map has %v", c.ours, c.theirs)
		}
	}
}
