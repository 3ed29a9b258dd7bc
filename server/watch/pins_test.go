package watch

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/reconcile-tracer/tracer/server/flow"
)

// web0 is the item of the reconciles 0, 3, 6, …
var web0 = itemOf{"podset", "shop/web-0"}

func pinned(t *testing.T, v *viewer, it itemOf) {
	t.Helper()
	if err := v.pin(it); err != nil {
		t.Fatal(err)
	}
}

// lacks are the reconciles from n to m of an item, with their stays, that a
// client has not got.
func (c *client) lacks(it itemOf, n, m int) []string {
	var out []string
	for ; n < m; n++ {
		for _, row := range []flow.Row{reconcile(n, "success"), stay(n)} {
			if itemOfRow(row) == it && !c.has(row) {
				out = append(out, GoneName(flow.RowRef{Kind: row.Kind(), ID: row.ID()}))
			}
		}
	}
	return out
}

func TestOfAPinnedItemNothingIsLeftOut(t *testing.T) {
	h, _ := clocked()
	v, c := join(t, h, Filter{}, nil), newClient()
	c.read(t, v)
	passes(h, 1, 0, 12)
	c.read(t, v)
	if len(c.lacks(web0, 0, 12)) == 0 {
		t.Fatal("nothing is left out: the test shows nothing")
	}
	pinned(t, v, web0)
	c.read(t, v)
	if lacks := c.lacks(web0, 0, 12); len(lacks) > 0 {
		t.Errorf("what had been left out before it was pinned has not come: %v", lacks)
	}
	before := c.elided
	passes(h, 2, 12, 24)
	c.read(t, v)
	if lacks := c.lacks(web0, 12, 24); len(lacks) > 0 {
		t.Errorf("left out though it is pinned: %v", lacks)
	}
	if got := c.elided - before; got != 8 {
		t.Errorf("%d are elided, want the 8 of the other items", got)
	}
	pinned(t, v, itemOf{})
	passes(h, 3, 24, 36)
	c.read(t, v)
	if len(c.lacks(web0, 24, 36)) == 0 {
		t.Error("nothing is left out of an item that nobody has pinned any more")
	}
}

func TestPinsEndWithTheirViewers(t *testing.T) {
	h, _ := clocked()
	v, c := join(t, h, Filter{}, nil), newClient()
	c.read(t, v)
	var others []*viewer
	for range 2 {
		other, err := h.subscribe(Filter{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		pinned(t, other, web0)
		others = append(others, other)
	}
	others[0].leave()
	passes(h, 1, 0, 12)
	c.read(t, v)
	if lacks := c.lacks(web0, 0, 12); len(lacks) > 0 {
		t.Errorf("what one has pinned is not there for all: %v", lacks)
	}
	others[1].leave()
	if pins := v.feed.pins; len(pins) > 0 {
		t.Errorf("%v is pinned and nobody watches it", pins)
	}
}

func TestAPinCostsNothingWhereNothingWasLeftOut(t *testing.T) {
	h, _ := clocked()
	v, c := join(t, h, Filter{}, nil), newClient()
	passes(h, 1, 0, 2)
	c.read(t, v)
	frames := len(c.frames)
	pinned(t, v, web0)
	c.read(t, v)
	if len(c.frames) != frames {
		t.Errorf("it has all and gets %v", c.types()[frames:])
	}
}

// What the pin brought no other viewer has had; it must still be said to go.
func TestWhatAPinBroughtIsSaidToGo(t *testing.T) {
	h, _ := clocked()
	v, c := join(t, h, Filter{}, nil), newClient()
	c.read(t, v)
	passes(h, 1, 0, 12)
	pinned(t, v, web0)
	c.read(t, v)
	pinned(t, v, itemOf{})
	var out []flow.Output
	for n := range 12 {
		out = append(out, gone(flow.RowReconcile, reconcile(n, "").Key), gone(flow.RowWait, stay(n).Key))
	}
	h.Publish(2, out)
	h.flush()
	c.read(t, v)
	c.want(t, h, Filter{})
}

// A snapshot of a viewer that has fallen off the ring holds the newest of all items.
func TestWhoFallsBehindHasAllOfWhatItHasPinned(t *testing.T) {
	h := ready(func(c *Config) { c.MaxRate, c.MaxBurst, c.RingFrames = 1, 1, 2 })
	v, c := join(t, h, Filter{Limit: 2}, nil), newClient()
	c.read(t, v)
	pinned(t, v, web0)
	c.read(t, v)
	for n := range 8 {
		passes(h, uint64(n+1), n*3, n*3+3)
	}
	c.read(t, v)
	if got := c.types(); got[1] != "snapshot lagged" {
		t.Fatalf("frames %v: the viewer has not fallen behind", got)
	}
	if lacks := c.lacks(web0, 0, 24); len(lacks) > 0 {
		t.Errorf("it lacks %v", lacks)
	}
}

// Nothing else happens meanwhile that would wake the viewer.
func TestAPinIsAnsweredAtOnce(t *testing.T) {
	h, _ := clocked()
	v, c := join(t, h, Filter{}, nil), newClient()
	c.read(t, v)
	passes(h, 1, 0, 3*maxRows+30)
	c.read(t, v)
	waiting, got := make(chan struct{}), make(chan []message, 1)
	go func() {
		close(waiting)
		msgs, _ := v.wait(t.Context())
		got <- msgs
	}()
	<-waiting
	pinned(t, v, web0)
	select {
	case msgs := <-got:
		for _, m := range msgs {
			f := decode(t, m[0])
			if len(f.Rows) > maxRows {
				t.Errorf("a frame has %d rows", len(f.Rows))
			}
			c.apply(f)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("nothing comes")
	}
	if lacks := c.lacks(web0, 0, 3*maxRows+30); len(lacks) > 0 {
		t.Errorf("it lacks %v", lacks)
	}
}

// The reconcile changes between being taken up and being left out: the change is
// sent, and so it must be said to go.
func TestWhatChangesWhileItIsLeftOutIsSaidToGo(t *testing.T) {
	h, _ := clocked()
	v, c := join(t, h, Filter{}, nil), newClient()
	c.read(t, v)
	publish(h, 1, reconcile(0, "success"), reconcile(1, "success"), reconcile(2, "success")) // leaves out the first
	h.making.Lock()
	jobs := h.jobs()
	seen := reconcile(0, "success")
	seen.WriteCount = 1
	publish(h, 2, seen)
	for _, j := range jobs {
		h.finish(j)
	}
	h.making.Unlock()
	h.flush()
	h.Publish(3, []flow.Output{gone(flow.RowReconcile, seen.Key)})
	h.flush()
	c.read(t, v)
	c.want(t, h, Filter{})
}

func TestSoManyItemsArePinnedAtOnce(t *testing.T) {
	h, _ := clocked()
	var all []*viewer
	for n := range maxPins {
		v := join(t, h, Filter{}, nil)
		pinned(t, v, itemOf{"podset", fmt.Sprint("item-", n)})
		all = append(all, v)
	}
	late := join(t, h, Filter{}, nil)
	pinned(t, late, itemOf{"podset", "item-7"}) // which others have pinned
	err := late.pin(web0)
	if err == nil || !strings.Contains(err.Error(), "64 different items") {
		t.Errorf("one more is answered with %v", err)
	}
	if late.pinned.item != "item-7" {
		t.Errorf("%v is pinned after a refusal, want what was", late.pinned)
	}
	pinned(t, all[0], web0) // in the place of its own
	pinned(t, all[1], itemOf{})
	pinned(t, late, itemOf{"podset", "another"})
	apart := join(t, h, Filter{Controllers: []string{"podset"}}, nil)
	pinned(t, apart, itemOf{"podset", "one more"})
}

func TestPinsThatAreWrongSayWhy(t *testing.T) {
	long := strings.Repeat("x", maxValue+1)
	for message, says := range map[string]string{
		`hello`:                                "cannot be read",
		`[]`:                                   "cannot be read",
		`{}`:                                   `type "" is not known`,
		`{"type":"x"}`:                         `type "x" is not known`,
		`{"type":"pin","controller":7}`:        "controller",
		`{"type":"pin","namespace":"shop"}`:    "namespace",
		`{"type":"pin","item":"shop/web-0"}`:   "controller is empty",
		`{"type":"pin","controller":"podset"}`: "item is empty",
		`{"type":"pin","controller":"podset","item":"` + long + `"}`: "item has 513 bytes, the limit is 512",
		`{"type":"pin","controller":"` + long + `","item":"a"}`:      "controller has 513 bytes, the limit is 512",
		`{"type":"pin","controller":"","item":""} {}`:                "something follows",
		strings.Repeat(" ", maxTold+1):                               "4097 bytes, the limit is 4096",
	} {
		if _, err := parsePin(websocket.MessageText, []byte(message)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s is answered with %v, want %q", flow.Brief(message), err, says)
		}
	}
	if _, err := parsePin(websocket.MessageBinary, []byte(`{"type":"pin"}`)); err == nil {
		t.Error("bytes that are no text are taken")
	}
	if it, err := parsePin(websocket.MessageText, []byte(`{"type":"pin","controller":"","item":""}`)); err != nil || it != (itemOf{}) {
		t.Errorf("none is %v, %v", it, err)
	}
}

func TestViewerPinsOverTheWebsocket(t *testing.T) {
	s := serve(t, func(c *Config) { c.MaxRate, c.MaxBurst, c.SampleRate = 1, 1, 1 })
	conn, c := s.connect(""), newClient()
	c.apply(next(t, conn))
	publish(s.Hub, 1, stay(0), reconcile(0, "success"), stay(3), reconcile(3, "success"), stay(6), reconcile(6, "success"))
	until(t, conn, c, 1)
	if len(c.lacks(web0, 0, 9)) == 0 {
		t.Fatal("nothing is left out: the test shows nothing")
	}
	say := func(message string) {
		t.Helper()
		if err := conn.Write(t.Context(), websocket.MessageText, []byte(message)); err != nil {
			t.Fatal(err)
		}
	}
	say(`{"type":"pin","controller":"podset"}`)
	for f := next(t, conn); f.Code != "pin"; f = next(t, conn) {
		if f.Type == "error" || len(f.Rows) > 0 {
			t.Fatalf("a wrong pin is answered with %+v", f)
		}
	}
	say(`{"type":"pin","controller":"podset","item":"shop/web-0"}`)
	for range 20 { // bookmarks may come in between
		if len(c.lacks(web0, 0, 9)) == 0 {
			break
		}
		c.apply(next(t, conn))
	}
	c.want(t, s.Hub, Filter{})
}
