package server

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/reconcile-tracer/tracer/server/flow"
)

func TestSpansBecomeRows(t *testing.T) {
	h := start(t)
	h.send(1)
	h.await("the reconcile", func() bool { return len(h.rowLines("?row=reconcile")) == 1 })
	var r flow.Reconcile
	if err := json.Unmarshal([]byte(h.rowLines("?row=reconcile")[0]), &r); err != nil {
		t.Fatal(err)
	}
	var phases []string
	for _, p := range r.Phases {
		phases = append(phases, p.Name)
	}
	if diff := cmp.Diff([]string{"dequeue", "fetch", "compute", "apply", "requeue"}, phases); diff != "" {
		t.Errorf("phases (-want +got):\n%s", diff)
	}
	if r.Item != "default/web" || r.Result != "success" {
		t.Errorf("item %q with result %q, want default/web, success", r.Item, r.Result)
	}
}

func TestRestartShowsTheSameRows(t *testing.T) {
	dir := t.TempDir()
	h := start(t, func(c *Config) { c.Data = dir })
	for n := range byte(5) {
		h.send(n + 1)
	}
	h.await("five reconciles", func() bool { return len(h.rowLines("?row=reconcile")) == 5 })
	before := h.rowLines("")
	position := h.do("GET", "/api/v1/rows", bearer(testToken), nil).header.Get(PositionHeader)
	h.stop()

	h = start(t, func(c *Config) { c.Data = dir })
	after := h.rowLines("")
	dropNow := func(lines []string) []string {
		return slices.DeleteFunc(lines, func(l string) bool { return strings.Contains(l, `"row":"controller"`) })
	}
	if diff := cmp.Diff(dropNow(before), dropNow(after)); diff != "" {
		t.Errorf("rows after a restart (-before +after):\n%s", diff)
	}
	epoch, _, _ := strings.Cut(position, ":")
	if again := h.do("GET", "/api/v1/rows", bearer(testToken), nil).header.Get(PositionHeader); !strings.HasPrefix(again, epoch+":") {
		t.Errorf("position %s became %s: another epoch", position, again)
	}
}
