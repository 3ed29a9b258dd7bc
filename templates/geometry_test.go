package templates

import (
	"math"
	"os"
	"strings"
	"testing"
)

func node(t *testing.T, id string) Node {
	t.Helper()
	for _, n := range Nodes() {
		if n.ID == id {
			return n
		}
	}
	t.Fatalf("no node %q", id)
	return Node{}
}

func TestEdgesJoinTheNodesThatTheyAreNamedAfter(t *testing.T) {
	for _, e := range Edges() {
		from, to, found := strings.Cut(e.ID, "-")
		if !found {
			t.Fatalf("edge %q is not named from-to", e.ID)
		}
		first, last := e.Corners[0], e.Corners[len(e.Corners)-1]
		if !onBorder(node(t, from), first) {
			t.Errorf("%s begins at %v, not on the border of %s", e.ID, first, from)
		}
		if !onBorder(node(t, to), last) {
			t.Errorf("%s ends at %v, not on the border of %s", e.ID, last, to)
		}
	}
}

func onBorder(n Node, p Point) bool {
	const near = 0.5
	inX, inY := p.X >= n.X-near && p.X <= n.X+n.W+near, p.Y >= n.Y-near && p.Y <= n.Y+n.H+near
	onX := math.Abs(p.X-n.X) < near || math.Abs(p.X-n.X-n.W) < near
	onY := math.Abs(p.Y-n.Y) < near || math.Abs(p.Y-n.Y-n.H) < near
	return inX && inY && (onX || onY)
}

func TestNodesLieOnTheMapAndApart(t *testing.T) {
	nodes := Nodes()
	for i, a := range nodes {
		if a.X < 0 || a.Y < 0 || a.X+a.W > Width || a.Y+a.H > Height {
			t.Errorf("%s leaves the map", a.ID)
		}
		for _, b := range nodes[i+1:] {
			if a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H {
				t.Errorf("%s and %s overlap", a.ID, b.ID)
			}
		}
	}
}

func TestNoLineCrossesAnother(t *testing.T) {
	edges := Edges()
	for i, a := range edges {
		for _, b := range edges[i+1:] {
			if crossing(a.Points(), b.Points()) {
				t.Errorf("%s crosses %s", a.ID, b.ID)
			}
		}
	}
}

func crossing(a, b []Point) bool {
	for i := 1; i < len(a); i++ {
		for j := 1; j < len(b); j++ {
			if cross(a[i-1], a[i], b[j-1]) != cross(a[i-1], a[i], b[j]) && cross(b[j-1], b[j], a[i-1]) != cross(b[j-1], b[j], a[i]) {
				return true
			}
		}
	}
	return false
}

// cross says on which side of the line a-b the point p is.
func cross(a, b, p Point) bool { return (b.X-a.X)*(p.Y-a.Y) > (b.Y-a.Y)*(p.X-a.X) }

func TestPointsRunFromEndToEndAndBendInSmallSteps(t *testing.T) {
	for _, e := range Edges() {
		points := e.Points()
		if points[0] != e.Corners[0] || points[len(points)-1] != e.Corners[len(e.Corners)-1] {
			t.Errorf("%s: its points leave out an end", e.ID)
		}
		for i := 1; i < len(points); i++ {
			a, b := points[i-1], points[i]
			if d, straight := distance(a, b), a.X == b.X || a.Y == b.Y; d == 0 || d > sampleStep+0.01 && !straight {
				t.Errorf("%s: step %d is %.2f long, want more than 0, and where it bends at most %.0f", e.ID, i, d, sampleStep)
			}
		}
	}
}

func TestSlotsFitIntoTheirBoxes(t *testing.T) {
	q, w := node(t, "queue"), node(t, "waiting")
	if end := slotY(q, QueueSlots-1) + QueueSlotH; end > q.Y+q.H {
		t.Errorf("the last slot ends at %v, the queue at %v", end, q.Y+q.H)
	}
	if end := ringX(w, WaitSlots-1) + WaitSlotPitch - WaitRing - 10; end > w.X+w.W {
		t.Errorf("the last ring ends at %v, the waiting room at %v", end, w.X+w.W)
	}
}

func TestTheScriptHasTheSameNodes(t *testing.T) {
	declared, err := os.ReadFile("../web/src/base/geometry.ts")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range Nodes() {
		if !strings.Contains(string(declared), `"`+n.ID+`"`) {
			t.Errorf("web/src/base/geometry.ts does not know the node %s", n.ID)
		}
	}
	for _, e := range Edges() {
		if !strings.Contains(string(declared), `"`+e.ID+`"`) {
			t.Errorf("web/src/base/geometry.ts does not know the edge %s", e.ID)
		}
	}
}
