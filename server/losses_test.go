package server

import (
	"testing"

	"github.com/reconcile-tracer/tracer/server/flow"
)

// A journal on a disk that fails again and again must not fill the table.
func TestLossesMakeRoom(t *testing.T) {
	var l losses
	shown := map[string]bool{}
	for i := range uint64(maxLosses + 50) {
		l.add(2*i+1, 2*i+1, 1) // every other block, so that each is a loss of its own
		for _, o := range l.rows(int64(i) + 2) {
			if o.Gone != nil {
				if o.Gone.Kind != flow.RowGap || !shown[o.Gone.ID] {
					t.Fatalf("%v is gone and was never there", *o.Gone)
				}
				delete(shown, o.Gone.ID)
				continue
			}
			shown[o.Row.ID()] = true
		}
	}
	if len(shown) != maxLosses || shown["journal//1"] || !shown["journal//2099"] {
		t.Errorf("%d losses are shown, the oldest %v, the newest %v; want the newest %d", len(shown), shown["journal//1"], shown["journal//2099"], maxLosses)
	}
}
