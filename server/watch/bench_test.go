package watch

import (
	"fmt"
	"testing"

	"github.com/reconcile-tracer/tracer/server/flow"
)

// BenchmarkFlush is a change of twenty rows on its way into frames, for one
// filter and for ten.
func BenchmarkFlush(b *testing.B) {
	for _, filters := range []int{1, 10} {
		b.Run(fmt.Sprintf("%dfilters", filters), func(b *testing.B) {
			h := ready()
			for i := range filters {
				v, err := h.subscribe(Filter{Since: int64(-i)}, nil)
				if err != nil {
					b.Fatal(err)
				}
				defer v.leave()
			}
			b.ReportAllocs()
			offset := uint64(0)
			for b.Loop() {
				offset++
				rows := make([]flow.Row, 20)
				for i := range rows {
					rows[i] = reconcile(int(offset)*20+i, "success")
				}
				publish(h, offset, rows...)
				h.flush()
			}
		})
	}
}

// BenchmarkSnapshot is the first answer to a viewer on a full table.
func BenchmarkSnapshot(b *testing.B) {
	h := ready()
	rows := make([]flow.Row, 50_000)
	for i := range rows {
		rows[i] = reconcile(i, "success")
	}
	publish(h, 1, rows...)
	h.flush()
	f := h.feeds[Filter{}.key()]
	b.ReportAllocs()
	for b.Loop() {
		f.snap.last = nil
		h.snapshot(f, DefaultLimit)
	}
}
