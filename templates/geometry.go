package templates

import (
	"fmt"
	"math"
	"strings"
)

// Width and Height are the size of the map's drawing area, in its own units.
// At a window of 1280×720 one unit is about one pixel.
const (
	Width  = 960
	Height = 526
)

// Measures of what stands inside the queue and the waiting room, in units.
const (
	QueueSlots     = 4
	QueueSlotTop   = 40
	QueueSlotPitch = 33
	QueueSlotH     = 28
	WaitSlots      = 3
	WaitSlotPitch  = 138
	WaitRing       = 21
)

// cornerRadius rounds the corners of edges; sampleStep is the greatest
// distance between two points of a sampled corner.
const (
	cornerRadius = 22.0
	sampleStep   = 6.0
)

// Point is a place on the map.
type Point struct{ X, Y float64 }

// Node is one station of the map with the rectangle that it fills.
type Node struct {
	ID         string
	X, Y, W, H float64
	// Title and Note are what it says at first: its name and a quiet line.
	Title, Note string
	// Tip is said where the pointer rests.
	Tip string
	// Label is what a screen reader says.
	Label string
	// Left puts the title to the left, where a line comes in from above.
	Left bool
}

// MidX is the middle of the node, across.
func (n Node) MidX() float64 { return n.X + n.W/2 }

// MidY is the middle of the node, down.
func (n Node) MidY() float64 { return n.Y + n.H/2 }

// apiTip says how old the version is that the API server shows.
const apiTip = "The newest version that the controller wrote or was told of. What others write is known with the next reconcile."

// Edge is one way between two nodes, given by its corners.
type Edge struct {
	ID      string
	Corners []Point
	// Style is solid, dashed (a read) or dotted (a timer).
	Style string
	// Text stands at TextAt with the SVG text-anchor Anchor, if any.
	Text   string
	TextAt Point
	Anchor string
	// Rate is where it says how many go along it in a second: below its text,
	// or above it where it has none. nil where the edge before it says as much.
	Rate  *Label
	Arrow bool
}

// Label is where a text of the map stands, with its SVG text-anchor.
type Label struct {
	At     Point
	Anchor string
}

// The lines on which the map stands.
const (
	waitY  = 72.0
	workY  = 238.0
	baseY  = 440.0
	queueX = 98.0
	fetchX = 404.0
	applyX = 680.0
	againX = 888.0
)

// Nodes are the stations of a lane in the order of reading.
func Nodes() []Node {
	return []Node{
		{ID: "waiting", X: 136, Y: 36, W: 426, H: 72, Title: "Waiting room", Label: "Waiting room: items that are delayed"},
		{ID: "queue", X: 16, Y: 152, W: 164, H: 172, Title: "Queue", Label: "Work queue: items that are ready"},
		phase("dequeue", 212, "Dequeue", "a worker takes the item"),
		phase("fetch", 350, "Fetch", "reads from the informer cache"),
		phase("compute", 488, "Compute", "makes the plan"),
		phase("apply", 626, "Apply", "writes through the API server"),
		phase("requeue", 764, "Requeue?", "decides what comes next"),
		{ID: "done", X: 902, Y: workY - 22, W: 44, H: 44, Title: "Done", Label: "Done: reconciles that ended without an error"},
		{ID: "cache", X: 262, Y: 391, W: 176, H: 98, Title: "Informer cache", Note: "local copy", Label: "Informer cache: the local copy which fetch reads"},
		{ID: "api", X: 528, Y: 391, W: 176, H: 98, Title: "API server", Note: "etcd", Left: true, Label: "API server, and etcd behind it", Tip: apiTip},
		{ID: "outside", X: 916, Y: 416, W: 28, H: 48, Title: "kubectl", Note: "other controllers", Label: "kubectl and other controllers"},
	}
}

func phase(id string, x float64, title, what string) Node {
	return Node{ID: id, X: x, Y: workY - 48, W: 108, H: 96, Title: title, Label: title + ": " + what}
}

// Edges are the ways of a lane.
func Edges() []Edge {
	return append(workEdges(), loopEdges()...)
}

func workEdges() []Edge {
	across := func(id string, from, to float64, rate *Label) Edge {
		return Edge{ID: id, Corners: []Point{{from, workY}, {to, workY}}, Style: "solid", Arrow: true, Rate: rate}
	}
	return []Edge{
		across("queue-dequeue", 180, 212, &Label{Point{186, 306}, "start"}), across("dequeue-fetch", 320, 350, nil),
		across("fetch-compute", 458, 488, nil), across("compute-apply", 596, 626, nil),
		across("apply-requeue", 734, 764, nil), across("requeue-done", 872, 902, &Label{Point{againX + 8, 196}, "start"}),
	}
}

func loopEdges() []Edge {
	return []Edge{
		{ID: "requeue-waiting", Corners: []Point{{872, workY}, {againX, workY}, {againX, waitY}, {562, waitY}}, Style: "dotted", Arrow: true,
			Text: "requeue · after · back-off", TextAt: Point{725, waitY - 18}, Anchor: "middle", Rate: &Label{Point{725, waitY + 18}, "middle"}},
		{ID: "waiting-queue", Corners: []Point{{136, waitY}, {queueX, waitY}, {queueX, 152}}, Style: "dotted", Arrow: true,
			Rate: &Label{Point{queueX + 12, 130}, "start"}},
		{ID: "apply-api", Corners: []Point{{applyX, 286}, {applyX, 391}}, Style: "solid", Arrow: true,
			Text: "write", TextAt: Point{applyX + 16, 338}, Anchor: "start", Rate: &Label{Point{applyX + 16, 358}, "start"}},
		{ID: "api-cache", Corners: []Point{{528, baseY}, {438, baseY}}, Style: "solid", Arrow: true,
			Text: "watch", TextAt: Point{483, baseY - 18}, Anchor: "middle", Rate: &Label{Point{483, baseY + 18}, "middle"}},
		{ID: "cache-queue", Corners: []Point{{262, baseY}, {queueX, baseY}, {queueX, 324}}, Style: "solid", Arrow: true,
			Text: "events", TextAt: Point{190, baseY - 18}, Anchor: "middle", Rate: &Label{Point{190, baseY + 18}, "middle"}},
		{ID: "outside-api", Corners: []Point{{944, baseY}, {704, baseY}}, Style: "solid", Arrow: true,
			Rate: &Label{Point{824, baseY - 18}, "middle"}},
		{ID: "cache-fetch", Corners: []Point{{fetchX, 391}, {fetchX, 286}}, Style: "dashed", Arrow: true,
			Text: "read, local", TextAt: Point{fetchX - 16, 338}, Anchor: "end", Rate: &Label{Point{fetchX - 16, 358}, "end"}},
	}
}

// Path is the edge as the data of an SVG path, with rounded corners.
func (e Edge) Path() string {
	var b strings.Builder
	fmt.Fprintf(&b, "M%s %s", num(e.Corners[0].X), num(e.Corners[0].Y))
	for i := 1; i < len(e.Corners)-1; i++ {
		in, out := rounded(e.Corners[i-1], e.Corners[i], e.Corners[i+1])
		c := e.Corners[i]
		fmt.Fprintf(&b, "L%s %sQ%s %s %s %s", num(in.X), num(in.Y), num(c.X), num(c.Y), num(out.X), num(out.Y))
	}
	last := e.Corners[len(e.Corners)-1]
	fmt.Fprintf(&b, "L%s %s", num(last.X), num(last.Y))
	return b.String()
}

// Head is the arrow head at the end of the edge as the data of an SVG path.
func (e Edge) Head() string {
	end, before := e.Corners[len(e.Corners)-1], e.Corners[len(e.Corners)-2]
	d := direction(before, end)
	const length, half = 10.0, 5.5
	base := Point{end.X - d.X*length, end.Y - d.Y*length}
	a := Point{base.X - d.Y*half, base.Y + d.X*half}
	c := Point{base.X + d.Y*half, base.Y - d.X*half}
	return fmt.Sprintf("M%s %sL%s %sL%s %sZ", num(end.X), num(end.Y), num(a.X), num(a.Y), num(c.X), num(c.Y))
}

// Points samples the edge: from its beginning to its end, along the same curve
// that Path draws. Round corners they are at most sampleStep apart; a straight
// part has only its ends.
func (e Edge) Points() []Point {
	points := []Point{e.Corners[0]}
	for i := 1; i < len(e.Corners)-1; i++ {
		in, out := rounded(e.Corners[i-1], e.Corners[i], e.Corners[i+1])
		points = appendLine(points, in)
		points = appendCurve(points, e.Corners[i], out)
	}
	return appendLine(points, e.Corners[len(e.Corners)-1])
}

// appendLine goes on to a point, unless it is there already: a short edge can
// begin with a corner.
func appendLine(points []Point, to Point) []Point {
	if points[len(points)-1] == to {
		return points
	}
	return append(points, to)
}

func appendCurve(points []Point, corner, to Point) []Point {
	from := points[len(points)-1]
	n := int(math.Ceil((distance(from, corner) + distance(corner, to)) / sampleStep))
	for i := 1; i <= n; i++ {
		f := float64(i) / float64(n)
		a, b, c := (1-f)*(1-f), 2*f*(1-f), f*f
		points = append(points, Point{a*from.X + b*corner.X + c*to.X, a*from.Y + b*corner.Y + c*to.Y})
	}
	return points
}

// rounded gives where the curve round a corner begins and where it ends.
func rounded(before, corner, after Point) (in, out Point) {
	r := math.Min(cornerRadius, math.Min(distance(before, corner), distance(corner, after)))
	back, on := direction(corner, before), direction(corner, after)
	return Point{corner.X + back.X*r, corner.Y + back.Y*r}, Point{corner.X + on.X*r, corner.Y + on.Y*r}
}

func direction(from, to Point) Point {
	d := distance(from, to)
	return Point{(to.X - from.X) / d, (to.Y - from.Y) / d}
}

func distance(a, b Point) float64 { return math.Hypot(b.X-a.X, b.Y-a.Y) }

// num writes a coordinate with at most one digit after the point.
func num(v float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0")
}
