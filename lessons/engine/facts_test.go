package engine

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/reconcile-tracer/tracer/lessons/format"
	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// Each field that a condition may speak of is there, with the type that the
// format says, and in the documentation.
func TestFactsAreThoseOfTheFormat(t *testing.T) {
	docs, err := os.ReadFile("../../docs/lessons.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]flow.Row{
		"reconcile": &flow.Reconcile{}, "wait": &flow.Wait{}, "hold": &flow.Hold{}, "item": &flow.Item{},
		"edge": &flow.Edge{}, "finding": &flow.Finding{},
	}
	if len(rows) != len(format.Rows()) {
		t.Errorf("the format has the rows %v", slices.Collect(maps.Keys(format.Rows())))
	}
	for kind, row := range rows {
		f := factsOf(row)
		_, line, _ := strings.Cut(string(docs), "| `"+kind+"` | item,")
		line, _, _ = strings.Cut("item,"+line, "|")
		for name, field := range format.Rows()[kind] {
			if got := typeOf(f.fields[name]); got != field.Type {
				t.Errorf("%s.%s is of type %d, the format says %d", kind, name, got, field.Type)
			}
			if !strings.Contains(", "+strings.TrimSpace(line)+",", ", "+name+",") {
				t.Errorf("docs/lessons.md leaves out %s.%s", kind, name)
			}
		}
		if len(f.fields) != len(format.Rows()[kind]) {
			t.Errorf("%s has %d fields, the format %d", kind, len(f.fields), len(format.Rows()[kind]))
		}
	}
	rules := flow.Rules()
	known := slices.Clone(format.Rows()["finding"]["rule"].OneOf)
	slices.Sort(rules)
	slices.Sort(known)
	if !slices.Equal(rules, known) {
		t.Errorf("the format has the rules %v, the findings %v", known, rules)
	}
	if factsOf(&flow.Gap{}) != nil {
		t.Error("a gap has facts")
	}
}

func typeOf(value any) format.Type {
	switch value.(type) {
	case int64:
		return format.Number
	case bool:
		return format.Bool
	case []string:
		return format.Words
	case string:
		return format.Text
	}
	return -1
}

// TestConditions asks one reconcile, which holds much, and counts.
func TestConditions(t *testing.T) {
	pass := &flow.Reconcile{
		Row: flow.RowReconcile, Key: "a", Item: "ns/web", Controller: "podset", From: 1_000_000, Start: 1_000_000, To: 1_005_400,
		Result: "error", Error: "Conflict", CauseCounts: map[string]int{"update": 5, "backoff": 1},
		Causes: []flow.Cause{{What: semconv.CauseUpdate, By: semconv.BySelf, Changed: []string{"status"}, Manager: "podset"}},
		Plan:   []flow.Action{{Summary: "create 2 Pods"}, {Summary: "update status"}},
		Reads:  []flow.Read{{Source: "cache", Stale: "yes", StaleBy: 2}, {Source: "cache", Stale: "no"}}, WriteCount: 2, FailedWrites: 1,
		Writes: []flow.Write{{Status: 201}, {Status: 409, Error: "Conflict", Fields: []flow.Field{{Path: "status.replicas", Value: "2"}}}},
		Next:   flow.Next{Why: "backoff", Requeues: 3},
		Object: flow.Object{Generation: 4, ObservedGeneration: 3},
	}
	tb := newTable()
	tb.take("ns", []flow.Row{pass, &flow.Reconcile{Row: flow.RowReconcile, Key: "b", Item: "ns/web", From: 5}}, nil)
	for text, want := range map[string]bool{
		"reconcile":                            true,
		"reconcile count=1":                    true,
		"reconcile read_from=cache":            true,
		"reconcile read_from=api":              false,
		"reconcile running=true":               true,
		"reconcile running=true count=2":       false,
		"reconcile item=web controller=podset": true,
		"reconcile item=api":                   false,
		"reconcile item!=api":                  true,
		"reconcile cause=own_write":            true,
		"reconcile cause=backoff cause=update": true,
		"reconcile cause=add":                  false,
		"reconcile cause!=add":                 true,
		"reconcile cause!=update":              false,
		"reconcile causes=6 updates=5":         true,
		"reconcile updates>5":                  false,
		`reconcile plan~"create 2 Pods"`:       true,
		`reconcile plan="create 2"`:            false,
		"reconcile plan~create count=0":        false,
		"reconcile status=409 write_error=Conflict failed_writes=1 writes=2": true,
		"reconcile wrote=status.replicas=2":                                  true,
		"reconcile stale=yes stale_by=2":                                     true,
		"reconcile stale!=yes":                                               false,
		"reconcile next=backoff requeues>=3":                                 true,
		"reconcile generation=4 observed<4":                                  true,
		"reconcile took_ms=5":                                                true,
		"reconcile result=success count=0":                                   true,
		"reconcile by=self manager=podset":                                   true,
		"wait count=0":                                                       true,
		"item":                                                               false,
	} {
		c, err := format.ParseCondition(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if m := tb.match(&c); m.fits != want {
			t.Errorf("%s is %v with %d rows, want %v", text, m.fits, m.n, want)
		}
	}
	tb.mark()
	c, _ := format.ParseCondition("reconcile count=0")
	if m := tb.match(&c); !m.fits {
		t.Errorf("what was over before counts: %d rows", m.n)
	}
}
