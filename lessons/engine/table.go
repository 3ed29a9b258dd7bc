package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/reconcile-tracer/tracer/lessons/format"
	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/tracer/control/wire"
)

// table holds the rows of the lesson's namespace.
type table struct {
	rows map[flow.RowRef]flow.Row
	// past are the rows that were over when the beat began to act.
	past map[flow.RowRef]bool
	// lifted are the ids of commands that somebody has ended.
	lifted map[string]bool
}

func newTable() table {
	return table{map[flow.RowRef]flow.Row{}, map[flow.RowRef]bool{}, map[string]bool{}}
}

func (t *table) take(namespace string, rows []flow.Row, gone []flow.RowRef) {
	for _, row := range rows {
		if f := factsOf(row); f != nil && f.namespace == namespace {
			t.rows[flow.RowRef{Kind: row.Kind(), ID: row.ID()}] = row
		}
		if c, ok := row.(*flow.Control); ok && (c.Lifted == wire.Lifted || c.Lifted == wire.Resumed) {
			t.lifted[c.Key] = true
		}
	}
	for _, ref := range gone {
		delete(t.rows, ref)
		delete(t.past, ref)
	}
}

// keep forgets all but those rows.
func (t *table) keep(rows []flow.Row) {
	there := map[flow.RowRef]bool{}
	for _, row := range rows {
		there[flow.RowRef{Kind: row.Kind(), ID: row.ID()}] = true
	}

	maps.DeleteFunc(t.rows, func(ref flow.RowRef, _ flow.Row) bool { return !there[ref] })
	maps.DeleteFunc(t.past, func(ref flow.RowRef, _ bool) bool { return !there[ref] })
}

// mark says that what is over now is of the past: conditions count what goes
// on, and what comes.
func (t *table) mark() {
	for ref, row := range t.rows {
		if f := factsOf(row); f.over {
			t.past[ref] = true
		}
	}
}

// idle says that no item is queued, waits, or is worked on.
func (t *table) idle() bool {
	for _, row := range t.rows {
		if i, ok := row.(*flow.Item); ok && busy(i) {
			return false
		}
	}
	return true
}

func busy(i *flow.Item) bool { return i.Ready || i.Delayed || i.Active || i.Dirty || i.Current != "" }

// matched is what came for a condition.
type matched struct {
	text, says string
	fits       bool
	n          int
	// shown are the values of the field that the condition shows, in the order
	// of time.
	shown []string
	// newestPass is the newest reconcile that fits, "" where there is none.
	newestPass string
}

func (t *table) match(c *format.Condition) matched {
	m := matched{text: c.Text, says: conditionWords(c)}
	for _, f := range t.ordered(c.Row) {
		if !fitsAll(f, c.Terms) {
			continue
		}
		m.n++
		if c.Show != "" {
			m.shown = append(m.shown, show(c.Show, f.fields[c.Show]))
		}
		if c.Row == "reconcile" {
			m.newestPass = f.key
		}
	}
	m.fits = c.Fits(m.n)
	return m
}

// ordered are the facts of the rows of a kind that count, in order of time.
func (t *table) ordered(kind string) []*facts {
	var all []*facts
	for ref, row := range t.rows {
		if string(ref.Kind) == kind && !t.past[ref] {
			all = append(all, factsOf(row))
		}
	}
	slices.SortFunc(all, func(a, b *facts) int {
		if a.from != b.from {
			return int(max(-1, min(1, a.from-b.from)))
		}
		return strings.Compare(a.key, b.key)
	})
	return all
}

// fitsAll says whether a row fits. A reconcile that still runs fits only
// where the condition speaks of it.
func fitsAll(f *facts, terms []format.Term) bool {
	ofRunning := false
	for _, t := range terms {
		ofRunning = ofRunning || t.Field == "running"
		if !fits(f.fields[t.Field], t) {
			return false
		}
	}
	return ofRunning || f.fields["running"] != true
}

func fits(value any, t format.Term) bool {
	switch v := value.(type) {
	case int64:
		return format.Compare(t.Op, v, t.Number)
	case bool:
		return fmt.Sprint(v) == t.Value
	case []string:
		// != is true when none of them is the value.
		if t.Op == "!=" {
			return !slices.Contains(v, t.Value)
		}
		return slices.ContainsFunc(v, func(s string) bool { return fitsText(s, t) })
	case string:
		return fitsText(v, t)
	}
	return false
}

func fitsText(s string, t format.Term) bool {
	switch t.Op {
	case "=":
		return s == t.Value
	case "!=":
		return s != t.Value
	}
	return strings.Contains(s, t.Value)
}

const maxShown = 12

// seen says what came, for an error.
func (m *matched) seen() string { return "there were " + fmt.Sprint(m.n) }

// came says what came, for people.
func (m *matched) came() string {
	if m.shown == nil {
		return fmt.Sprint(m.n)
	}
	if len(m.shown) > maxShown {
		return strings.Join(m.shown[:maxShown], ", ") + ", …"
	}
	return strings.Join(m.shown, ", ")
}

func show(field string, value any) string {
	text := fmt.Sprint(value)
	if list, ok := value.([]string); ok {
		text = strings.Join(list, "+")
	}
	if ms, ok := value.(int64); ok && strings.HasSuffix(field, "_ms") {
		return milliseconds(ms)
	}
	return text
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
