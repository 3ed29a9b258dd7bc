package watch

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sort"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/reconcile-tracer/tracer/server/flow"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testEpoch = "kabc"

// ready makes a Hub that is ready and that nobody runs.
func ready(change ...func(*Config)) *Hub {
	cfg := Config{Log: slog.New(slog.DiscardHandler)}
	for _, c := range change {
		c(&cfg)
	}
	h := New(cfg)
	h.Ready(testEpoch)
	return h
}

func reconcile(n int, result string) *flow.Reconcile {
	r := &flow.Reconcile{
		Row: flow.RowReconcile, Key: fmt.Sprintf("%032x", n), Controller: "podset", Item: fmt.Sprintf("shop/web-%d", n%3),
		From: int64(n), Start: int64(n), Result: result,
	}
	if result != "" {
		r.To = int64(n) + 1
	}
	return r
}

// stay is the stay in the queue that came before reconcile n.
func stay(n int) *flow.Wait {
	r := reconcile(n, "")
	key := flow.ReadyWaitKey(r.Controller, r.Item, r.From)
	return &flow.Wait{Row: flow.RowWait, Key: key, Controller: r.Controller, Item: r.Item, State: "ready", From: r.From, To: r.From + 1}
}

func publish(h *Hub, offset uint64, rows ...flow.Row) {
	var out []flow.Output
	for _, r := range rows {
		out = append(out, flow.Output{Row: r})
	}
	h.Publish(offset, out)
}

func gone(kind flow.RowKind, key string) flow.Output {
	return flow.Output{Gone: &flow.RowRef{Kind: kind, ID: key}}
}

// anyFrame has the fields of all frames.
type anyFrame struct {
	Type       string            `json:"type"`
	Epoch      string            `json:"epoch"`
	Offset     uint64            `json:"offset"`
	Now        int64             `json:"now"`
	Reason     string            `json:"reason"`
	Rows       []json.RawMessage `json:"rows"`
	Gone       []string          `json:"gone"`
	From       uint64            `json:"from"`
	To         uint64            `json:"to"`
	Reconciles int64             `json:"reconciles"`
	By         map[string]int64  `json:"by"`
	Code       string            `json:"code"`
	Message    string            `json:"message"`
	Room       json.RawMessage   `json:"room"`
}

func decode(t interface{ Fatalf(string, ...any) }, data []byte) anyFrame {
	var f anyFrame
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatalf("frame %s: %v", data, err)
	}
	if f.Now == 0 {
		t.Fatalf("frame %s has no now", data)
	}
	return f
}

// client is a viewer's page: it applies frames as the protocol says.
type client struct {
	rows     map[string]string
	position Position
	frames   []anyFrame
	// ended are the reconciles that it has had with their end, elided how many
	// it was told of as a count.
	ended  map[string]bool
	elided int64
	// endedAt says where in the stream reconciles ended, if the test has told it;
	// late counts those that came when the client was past that: it had been told
	// of them as a count, and then a snapshot or a pin brought them after all.
	endedAt map[string]uint64
	late    int
}

func newClient() *client { return &client{rows: map[string]string{}, ended: map[string]bool{}} }

func (c *client) apply(f anyFrame) {
	c.frames = append(c.frames, f)
	if f.Type == "snapshot" {
		c.rows = map[string]string{}
		c.position.Epoch = f.Epoch
	}
	for _, raw := range f.Rows {
		var r struct {
			Row, Key string
			To       int64
		}
		if err := json.Unmarshal(raw, &r); err != nil {
			panic(err)
		}
		c.rows[r.Row+"/"+r.Key] = string(raw)
		if r.Row == "reconcile" && r.To != 0 {
			if at := c.endedAt[r.Key]; !c.ended[r.Key] && at != 0 && at <= c.position.Offset {
				c.late++
			}
			c.ended[r.Key] = true
		}
	}
	for _, name := range f.Gone {
		delete(c.rows, name)
	}
	c.elided += f.Reconciles
	c.position.Offset = f.Offset
}

// types are the frames it has got, with a snapshot's reason.
func (c *client) types() []string {
	var out []string
	for _, f := range c.frames {
		name := f.Type
		if f.Reason != "" {
			name += " " + f.Reason
		}
		out = append(out, name)
	}
	return out
}

// read gives a client all that its viewer could be sent now.
func (c *client) read(t interface{ Fatalf(string, ...any) }, v *viewer) {
	for {
		var msgs []message
		switch {
		case v.resume, v.reason != "":
			msgs, _ = v.wait(context.Background())
		default:
			if msgs, _ = v.frames(); len(msgs) == 0 && v.reason == "" {
				msgs = v.pinnedRows()
			}
		}
		if len(msgs) == 0 && v.reason == "" {
			return
		}
		for _, m := range msgs {
			var data []byte
			for _, part := range m {
				data = append(data, part...)
			}
			c.apply(decode(t, data))
		}
	}
}

// want compares the client's rows with the hub's.
func (c *client) want(t interface {
	Fatalf(string, ...any)
	Helper()
}, h *Hub, f Filter) {
	t.Helper()
	rows, _, _ := h.Rows(f)
	var want, got []string
	for _, r := range rows {
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatalf("%v", err)
		}
		want = append(want, string(data))
	}
	for _, r := range c.rows {
		got = append(got, r)
	}
	sort.Strings(want)
	sort.Strings(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("the viewer shows something else (-hub +viewer):\n%s", diff)
	}
}

// guests serves everybody as the same guest.
func guests(t *testing.T, h *Hub, g Guest) (url string) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeGuest(w, r, g) }))
	t.Cleanup(web.Close)
	return web.URL
}

func join(t *testing.T, h *Hub, f Filter, from *Position) *viewer {
	t.Helper()
	v, err := h.subscribe(f, from)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(v.leave)
	return v
}

// SetRoom is Set of the hub's Room.
func (h *Hub) SetRoom(data []byte) { h.cfg.Room.Set(data) }

// subscribe makes a viewer who may add a filter where there is room for one.
func (h *Hub) subscribe(f Filter, from *Position) (*viewer, error) {
	return h.subscribeBelow(h.cfg.MaxFeeds, f, from)
}

// ServeHTTP is ServeGuest for a guest of whom nothing is known.
func (h *Hub) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.ServeGuest(w, r, Guest{}) }
