package flow

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// idle lets time pass in which the controller is heard of.
func idle(s *State, src Source, seconds int64) {
	for range seconds {
		s.Step(Input{Offset: s.Offset() + 1, Now: s.Now() + second, Emitters: []Emitter{{Source: src, Epoch: "e1"}}})
	}
}

func findingsOf(s *State) []*Finding {
	var all []*Finding
	for _, r := range s.Rows() {
		if f, ok := r.(*Finding); ok {
			all = append(all, f)
		}
	}
	return all
}

func rulesOf(found []*Finding) []string {
	var names []string
	for _, f := range found {
		names = append(names, f.Rule)
	}
	return names
}

func TestRules(t *testing.T) {
	for name, c := range troubles {
		t.Run(name, func(t *testing.T) {
			m := newTroubled()
			m.state(ms(0))
			c.play(m)
			s := New(Limits{})
			foldAll(s, m.inputs())
			idle(s, m.source, 15)
			found := findingsOf(s)
			if got := rulesOf(found); !slices.Equal(got, c.want) {
				t.Fatalf("findings %v, want %v", got, c.want)
			}
			for _, f := range found {
				if len(f.Evidence) == 0 || f.From == 0 || !strings.Contains(f.Summary, "web") || !strings.ContainsAny(f.Summary, ":;") {
					t.Errorf("a finding that says too little: %+v", f)
				}
				for _, id := range f.Evidence {
					if s.passes[id] == nil {
						t.Errorf("evidence %s of %s is no reconcile", id, f.Rule)
					}
				}
			}
		})
	}
}

// Every rule has a history that shows it, and one with the same parts that does
// not.
func TestEveryRuleIsTried(t *testing.T) {
	for _, rule := range Rules() {
		if want := troubles[rule].want; !slices.Equal(want, []string{rule}) {
			t.Errorf("%s has no history of its own", rule)
		}
	}
}

func TestFindingsEnd(t *testing.T) {
	for name, c := range map[string]struct {
		end   func(m *troubled)
		quiet int64
	}{
		"another pass comes":         {func(m *troubled) { m.next(20*second, job{}) }, 1},
		"the controller has stopped": {func(*troubled) {}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			m := newTroubled()
			m.next(0, job{writes: []Write{fail("POST", "pods", 403, "Forbidden")}})
			m.state(m.at + 10*second)
			m.state(m.at + 19*second)
			c.end(m)
			s := New(Limits{})
			foldAll(s, m.inputs())
			idle(s, m.source, c.quiet)
			s.Step(Input{Now: s.Now() + 6*second})
			found := findingsOf(s)
			if len(found) != 1 || found[0].To == 0 {
				t.Fatalf("findings %v, want one that has ended", raw(t, found))
			}
		})
	}
}

// A controller that was away for a while, or could not be heard, comes back to
// what it has left at rest.
func TestFindingsComeBackWithTheirController(t *testing.T) {
	m := newTroubled()
	m.next(0, job{writes: []Write{fail("POST", "pods", 403, "Forbidden")}})
	s := New(Limits{})
	foldAll(s, m.inputs())
	s.Step(Input{Now: s.Now() + 6*second})
	s.Step(Input{Now: s.Now() + second})
	idle(s, m.source, 2)
	if found := findingsOf(s); len(found) != 1 || found[0].To != 0 {
		t.Errorf("findings %s, want one that goes on", raw(t, found))
	}
}

// A pattern that goes on for longer than passes are looked at is one finding.
func TestAFindingOutlivesItsPasses(t *testing.T) {
	m := newTroubled()
	m.state(ms(0))
	for range 5 * maxItemPasses {
		m.loop()
	}
	s := New(Limits{Reconciles: 2 * maxItemPasses})
	for _, in := range m.inputs() {
		for _, o := range s.Step(in) {
			if o.Gone != nil && o.Gone.Kind == RowFinding {
				t.Fatalf("finding %s is gone", o.Gone.ID)
			}
		}
	}
	found := findingsOf(s)
	if len(found) != 1 || found[0].To != 0 || found[0].From > ms(1000)+10*second || !strings.Contains(found[0].Summary, "64 times or more") {
		t.Fatalf("findings %s, want one hot loop from the beginning that goes on", raw(t, found))
	}
	idle(s, m.source, 12)
	if found = findingsOf(s); len(found) != 1 || found[0].To == 0 {
		t.Errorf("12 s later: %s, want it ended", raw(t, found))
	}
}

// Passes that are caused by others too come in between, also where passes leave
// the window.
func TestALoopThatOthersStirIsOneFinding(t *testing.T) {
	m := newTroubled()
	m.state(ms(0))
	for i := range 6 * maxItemPasses {
		if i > leastLoops && i%13 == 0 {
			m.loop(podCause(m.at, semconv.CauseUpdate, semconv.ByOther, "p", m.anew(), "status"))
			continue
		}
		m.loop()
	}
	s := New(Limits{})
	for _, in := range m.inputs() {
		s.Step(in)
		s.Step(Input{Now: in.Now})
		if n := len(findingsOf(s)); n > 1 {
			t.Fatalf("%d findings at once: %s", n, raw(t, findingsOf(s)))
		}
	}
	if found := findingsOf(s); len(found) != 1 || found[0].To != 0 {
		t.Errorf("findings %s, want one that goes on", raw(t, found))
	}
}

// A finding that has ended says later what it said then.
func TestAFindingThatEndedStaysAsItWas(t *testing.T) {
	m := newTroubled()
	m.state(ms(0))
	for range 2 * leastLoops {
		m.loop()
	}
	m.next(second, job{})
	s := New(Limits{})
	foldAll(s, m.inputs())
	want := raw(t, findingsOf(s))
	for range 2 * maxItemPasses {
		m.next(second, job{})
	}
	for _, in := range m.inputs() {
		s.Step(in)
	}
	if got := raw(t, findingsOf(s)); string(got) != string(want) || len(findingsOf(s)) != 1 {
		t.Errorf("later: %s\nwhen it ended: %s", got, want)
	}
}

// Nothing is wrong with what the page's model is tested with.
func TestScenariosGiveNoFinding(t *testing.T) {
	paths, err := filepath.Glob("testdata/scenarios/*.json")
	if err != nil || len(paths) < 4 {
		t.Fatalf("finding scenarios: %v, %d found", err, len(paths))
	}
	for _, path := range paths {
		s := New(Limits{})
		foldAll(s, decodeInputs(t, readScenario(t, path).Inputs))
		idle(s, newSim("podset", "PodSet").source, 30)
		if found := findingsOf(s); len(found) != 0 {
			t.Errorf("%s gives %s", path, raw(t, found))
		}
	}
}

// drawTroubled draws a history of troubles, one after another.
func drawTroubled(t *rapid.T) *troubled {
	names := make([]string, 0, len(troubles))
	for name := range troubles {
		names = append(names, name)
	}
	slices.Sort(names)
	m := newTroubled()
	m.state(ms(0))
	for range rapid.IntRange(1, 4).Draw(t, "troubles") {
		m.at += rapid.Int64Range(1, 20*second).Draw(t, "pause")
		troubles[rapid.SampledFrom(names).Draw(t, "trouble")].play(m)
	}
	m.state(m.at)
	return m
}

func TestFindingsDoNotDependOnTheOrderOfArrival(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawTroubled(t)
		inputs := m.inputs()
		if n := len(m.emitted) / 6; n > maxItemPasses {
			t.Skip("older passes are not looked at")
		}
		mixed := shuffle(t, cloneInputs(t, inputs))
		a, b := New(Limits{}), New(Limits{})
		foldAll(a, inputs)
		foldAll(b, mixed)
		idle(a, m.source, 15)
		idle(b, m.source, 15)
		if diff := cmp.Diff(findingLines(t, a), findingLines(t, b)); diff != "" {
			t.Fatalf("-in order +mixed:\n%s", diff)
		}
	})
}

func TestFindingsAreSnapshotAndTail(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawTroubled(t)
		limits := Limits{}
		if rapid.Bool().Draw(t, "tight") {
			limits = Limits{Reconciles: 5, Items: 1, Findings: 1}
		}
		s, seen := New(limits), viewer{}
		for _, in := range m.inputs() {
			seen.apply(t, s.Step(in))
		}
		for range 15 {
			seen.apply(t, s.Step(Input{Now: s.Now() + second, Emitters: []Emitter{{Source: m.source, Epoch: "e1"}}}))
		}
		if diff := cmp.Diff(sortedLines(t, s.Rows()), sortedLines(t, seen.rows())); diff != "" {
			t.Fatalf("-the fold's rows +a viewer's:\n%s", diff)
		}
	})
}

func findingLines(t failer, s *State) []string {
	var rows []Row
	for _, f := range findingsOf(s) {
		rows = append(rows, f)
	}
	return sortedLines(t, rows)
}
