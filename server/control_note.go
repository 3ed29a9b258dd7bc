package server

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/server/watch"
	"github.com/reconcile-tracer/tracer/tracer/control/wire"
)

// noteOn says what a command is for that the hub has not seen: it is taken, as
// it may be meant for what comes later. It is "" where there is nothing to say.
func (h *Hub) noteOn(c wire.Command) string {
	if !c.Stands() {
		return ""
	}
	when, _ := wire.ParseCondition(c.When) // the controller has taken it
	var notes []string
	for _, item := range append(when.Wants("item"), c.Item) {
		if item != "" && !h.hasItem(c.Controller, item) {
			notes = append(notes, fmt.Sprintf("No item %s is there now: it holds when one comes", item))
		}
	}
	resources := when.Wants("resource")
	if c.Command == wire.Fault && c.Resource != "" && hitsWrites(c) {
		resources = append(resources, c.Resource)
	}
	for _, resource := range resources {
		if note := h.unwritten(c.Controller, resource); note != "" {
			notes = append(notes, note)
		}
	}
	return strings.Join(notes, ". ")
}

// hitsWrites says whether a fault is for nothing but writes: what is read and
// watched the hub does not know.
func hitsWrites(c wire.Command) bool {
	switch c.Fault {
	case wire.FaultHoldWatch:
		return false
	case wire.FaultLatency:
		return c.Verb != "" && c.Verb != "get" && c.Verb != "list"
	}
	return true
}

func (h *Hub) hasItem(controller, item string) bool {
	rows, _, _ := h.watch.Rows(watch.Filter{Kinds: []flow.RowKind{flow.RowItem}, Controllers: []string{controller}})
	return slices.ContainsFunc(rows, func(row flow.Row) bool {
		found, ok := row.(*flow.Item)
		return ok && found.Item == item && !found.Gone
	})
}

// unwritten is a note where the controller has written resources, and not this
// one.
func (h *Hub) unwritten(controller, resource string) string {
	written := map[string]bool{}
	rows, _, _ := h.watch.Rows(watch.Filter{Kinds: []flow.RowKind{flow.RowReconcile}, Controllers: []string{controller}})
	for _, row := range rows {
		reconcile, ok := row.(*flow.Reconcile)
		if !ok {
			continue
		}
		for i := range reconcile.Writes {
			w := &reconcile.Writes[i]
			name := w.Resource
			if w.Subresource != "" {
				name += "/" + w.Subresource
			}
			if resource == w.Resource || resource == name {
				return ""
			}
			written[name] = true
		}
	}
	if len(written) == 0 {
		return ""
	}
	return fmt.Sprintf("%s is no resource that %s has written; it has written %s", resource, controller,
		strings.Join(slices.Sorted(maps.Keys(written)), ", "))
}
