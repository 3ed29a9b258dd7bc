package watch

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/reconcile-tracer/tracer/server/flow"
)

// TestViewersConverge drives a hub and viewers with small rings by chance:
// whoever comes, lags, goes and comes back, with whatever filter, shows in the
// end what the hub has, and has had every reconcile or its count. Of what it has
// pinned it lacks nothing.
func TestViewersConverge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := ready(func(c *Config) {
			c.RingFrames = rapid.IntRange(1, 6).Draw(t, "ring")
			c.MaxRate, c.MaxBurst = 1, rapid.IntRange(1, 30).Draw(t, "burst")
		})
		items := []itemOf{{}, {"podset", "shop/web-0"}, {"podset", "shop/web-1"}, {"podset", "shop/web-2"}}
		filters := []Filter{{}, {Items: []string{"shop/web-1"}}, {Results: []string{"error"}}, {Kinds: []flow.RowKind{flow.RowItem}}}
		type watcher struct {
			*client
			filter Filter
			v      *viewer
		}
		var all []*watcher
		offset, n := uint64(0), 0
		open := map[int]bool{}
		var ended []int
		publish := func(t *rapid.T) {
			offset++
			var out []flow.Output
			for range rapid.IntRange(0, 8).Draw(t, "rows") {
				k := n
				if len(open) > 0 && rapid.Bool().Draw(t, "end one") {
					k = rapid.SampledFrom(sorted(open)).Draw(t, "which")
				} else {
					n++
				}
				result := rapid.SampledFrom([]string{"", "success", "success", "error"}).Draw(t, "result")
				delete(open, k)
				if result == "" {
					open[k] = true
				}
				out = append(out, flow.Output{Row: reconcile(k, result)})
				if !open[k] {
					out = append(out, flow.Output{Row: stay(k)})
					ended = append(ended, k)
				}
			}
			if len(ended) > 0 && rapid.Bool().Draw(t, "evict") {
				out = append(out, gone(flow.RowReconcile, reconcile(ended[0], "").Key), gone(flow.RowWait, stay(ended[0]).Key))
				ended = ended[1:]
			}
			item := &flow.Item{Row: flow.RowItem, Key: fmt.Sprint("i", rapid.IntRange(0, 3).Draw(t, "item")), Reconciles: int64(offset)}
			if rapid.IntRange(0, 3).Draw(t, "forget") == 0 {
				out = append(out, gone(flow.RowItem, item.Key))
			} else {
				out = append(out, flow.Output{Row: item})
			}
			h.Publish(offset, out)
		}
		who := func(t *rapid.T) *watcher {
			if len(all) == 0 {
				t.Skip("nobody watches")
			}
			return rapid.SampledFrom(all).Draw(t, "who")
		}
		pin := func(t *rapid.T) {
			if err := who(t).v.pin(rapid.SampledFrom(items).Draw(t, "pin")); err != nil {
				t.Fatal(err)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"publish": publish,
			"pin":     pin,
			"flush while more comes": func(t *rapid.T) {
				h.making.Lock()
				defer h.making.Unlock()
				jobs := h.jobs()
				publish(t)
				if len(all) > 0 {
					pin(t)
				}
				for _, j := range jobs {
					h.finish(j)
				}
			},
			"flush":    func(*rapid.T) { h.flush() },
			"bookmark": func(*rapid.T) { h.bookmark() },
			"join": func(t *rapid.T) {
				w := &watcher{client: newClient(), filter: rapid.SampledFrom(filters).Draw(t, "filter")}
				w.v, _ = h.subscribe(w.filter, nil)
				all = append(all, w)
			},
			"read": func(t *rapid.T) {
				w := who(t)
				w.read(t, w.v)
			},
			"come back": func(t *rapid.T) {
				w := who(t)
				pinned := w.v.pinned
				w.v.leave()
				from := &w.position
				if w.position.Epoch == "" {
					from = nil
				}
				w.v, _ = h.subscribe(w.filter, from)
				if err := w.v.pin(pinned); err != nil {
					t.Fatal(err)
				}
			},
			"": func(*rapid.T) {},
		})
		h.flush()
		for _, w := range all {
			w.read(t, w.v)
			w.wantOrElided(t, h, w.filter, w.v.pinned)
			w.v.leave()
		}
	})
}

// wantOrElided is like want, but leaves out successful reconciles and stays in
// the queue if some were elided: those a viewer need not have, but of what it has
// pinned.
func (c *client) wantOrElided(t *rapid.T, h *Hub, f Filter, pinned itemOf) {
	if c.elided == 0 {
		c.want(t, h, f)
		return
	}
	rows, _, _ := h.Rows(f)
	for _, r := range rows {
		name := GoneName(flow.RowRef{Kind: r.Kind(), ID: r.ID()})
		if _, ok := c.rows[name]; !ok && (!dull(r) || itemOfRow(r) == pinned) {
			t.Fatalf("%s is missing", name)
		}
		delete(c.rows, name)
	}
	if len(c.rows) > 0 {
		t.Fatalf("the viewer shows what the hub has not: %v", c.rows)
	}
}

func sorted(set map[int]bool) []int {
	var out []int
	for k := range set {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// TestConservation: every reconcile that ended while a viewer was there was
// delivered or counted, exactly once. What had been counted may come later on.
func TestConservation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := ready(func(c *Config) {
			c.RingFrames = rapid.IntRange(1, 4).Draw(t, "ring")
			c.MaxRate, c.MaxBurst = 1, rapid.IntRange(1, 10).Draw(t, "burst")
		})
		v, err := h.subscribe(Filter{Limit: rapid.IntRange(1, 5).Draw(t, "limit")}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer v.leave()
		c, total, offset := newClient(), 0, uint64(0)
		c.endedAt = map[string]uint64{}
		c.read(t, v)
		t.Repeat(map[string]func(*rapid.T){
			"publish": func(t *rapid.T) {
				offset++
				var rows []flow.Row
				for range rapid.IntRange(1, 12).Draw(t, "rows") {
					r := reconcile(total, rapid.SampledFrom([]string{"success", "success", "error"}).Draw(t, "result"))
					rows = append(rows, r)
					c.endedAt[r.Key] = offset
					total++
				}
				publish(h, offset, rows...)
			},
			"flush": func(*rapid.T) { h.flush() },
			"read":  func(t *rapid.T) { c.read(t, v) },
			"pin": func(t *rapid.T) {
				if err := v.pin(itemOf{"podset", rapid.SampledFrom([]string{"shop/web-0", "shop/web-1"}).Draw(t, "item")}); err != nil {
					t.Fatal(err)
				}
			},
			"": func(*rapid.T) {},
		})
		h.flush()
		c.read(t, v)
		if got := len(c.ended) - c.late + int(c.elided); got != total {
			t.Fatalf("%d delivered, %d of them late, and %d elided of %d", len(c.ended), c.late, c.elided, total)
		}
	})
}
