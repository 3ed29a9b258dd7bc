package flow

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// troubled emits passes over default/web one after another, without records of
// the queue.
type troubled struct {
	*sim
	at      int64
	version int
	pods    int
}

func newTroubled() *troubled {
	return &troubled{sim: newSim("podset", "PodSet"), at: ms(1000), version: 100}
}

// next emits a pass that begins pause after the last one.
func (m *troubled) next(pause int64, j job) ended {
	j.item, j.unplaced = "default/web", true
	j.ready = m.at + pause
	j.taken = j.ready + 100
	if j.result == "" {
		j.result = semconv.ResultSuccess
	}
	if j.object.UID == "" && j.result != "gone" {
		j.object = web(2, 2, m.now())
	}
	if j.result == "gone" {
		j.result, j.object = semconv.ResultSuccess, Object{}
	}
	if j.causes == nil {
		j.causes = []Cause{podSetCause(j.ready, semconv.CauseUpdate, semconv.ByOther, m.now(), "metadata")}
	}
	j.object.Namespace, j.object.Name = "default", "web"
	e := m.run(j)
	m.at = e.to
	return e
}

// now and anew are resourceVersions.
func (m *troubled) now() string  { return fmt.Sprint(m.version) }
func (m *troubled) anew() string { m.version++; return m.now() }

// own is the cause by the newest own status write.
func (m *troubled) own() Cause {
	return podSetCause(m.at, semconv.CauseUpdate, semconv.BySelf, m.now(), "status")
}

// loop is a pass that an own write alone has caused, and that writes again.
func (m *troubled) loop(more ...Cause) ended {
	j := job{causes: append([]Cause{m.own()}, more...), object: web(2, 2, m.now())}
	before := m.now()
	j.writes = []Write{writeStatus(before, m.anew())}
	return m.next(0, j)
}

func (m *troubled) pod(owned bool) Write {
	m.pods++
	w := createPod(fmt.Sprint("p", m.pods), m.anew())
	w.Owned, w.Unowned = owned, !owned
	return w
}

func fail(method, resource string, status int, kind string) Write {
	return Write{Method: method, Resource: resource, Namespace: "default", Status: status, Error: kind}
}

func refusedStatus(version string) Write {
	w := writeStatus(version, "")
	w.Status, w.Error = 409, "Conflict"
	return w
}

func wants(n int) Object {
	o := web(2, 2, "100")
	o.Fields = []Field{{"spec.replicas", fmt.Sprint(n)}}
	return o
}

func deleting(finalizers ...string) Object {
	o := web(2, 2, "100")
	o.Deleting, o.Finalizers = true, finalizers
	return o
}

func podReads(stale string, count int) []Read {
	return []Read{{Kind: "PodSet", Count: 1}, {Kind: "Pod", Count: count, Stale: stale}}
}

func webGone(at int64) []Cause {
	return []Cause{podSetCause(at, semconv.CauseDelete, semconv.ByOther, "900")}
}

// troubles are histories and the findings that they have to give 15 s later.
var troubles = map[string]struct {
	play func(m *troubled)
	want []string
}{
	"hot-loop": {func(m *troubled) {
		for range leastLoops {
			m.loop()
		}
	}, []string{"hot-loop"}},
	"a few own writes that wake it": {func(m *troubled) {
		for range leastLoops - 1 {
			m.loop()
		}
	}, nil},
	"own writes, each beside an event of a Pod": {func(m *troubled) {
		for range 3 * leastLoops {
			m.loop(podCause(m.at, semconv.CauseUpdate, semconv.ByOther, "p", m.anew(), "status"))
		}
	}, nil},
	"own writes that change nothing": {func(m *troubled) {
		for range 3 * leastLoops {
			m.next(0, job{causes: []Cause{m.own()}, object: web(2, 2, m.now())})
		}
	}, nil},
	"swallowed-error": {func(m *troubled) {
		m.next(0, job{writes: []Write{fail("POST", "pods", 403, "Forbidden")}})
	}, []string{"swallowed-error"}},
	"swallowed, and it came right by itself": {func(m *troubled) {
		m.next(0, job{writes: []Write{fail("POST", "pods", 403, "Forbidden")}})
		m.next(atRest/2, job{writes: []Write{m.pod(true)}})
		m.next(0, job{causes: []Cause{podCause(m.at, semconv.CauseAdd, semconv.BySelf, "p1", "101")}})
	}, nil},
	"an error that is returned": {func(m *troubled) {
		m.next(0, job{writes: []Write{fail("POST", "pods", 403, "Forbidden")}, result: semconv.ResultError, errorType: "Forbidden", delayMS: 5, requeues: 1})
	}, nil},
	"what may be passed over": {func(m *troubled) {
		m.next(0, job{writes: []Write{fail("DELETE", "pods", 404, "NotFound"), fail("POST", "pods", 409, "AlreadyExists"), refusedStatus("100")}})
	}, nil},
	"blind-update": {func(m *troubled) {
		r := refusedStatus("100")
		m.next(0, job{writes: []Write{r, r, r}, result: semconv.ResultError, errorType: "Conflict", delayMS: 5, requeues: 1})
	}, []string{"blind-update"}},
	"a conflict that is read again before each try": {func(m *troubled) {
		m.next(0, job{writes: []Write{refusedStatus("100"), refusedStatus("101"), refusedStatus("102"), writeStatus("103", "104")}})
	}, nil},
	"duplicate-create": {func(m *troubled) {
		m.next(0, job{object: wants(3), reads: podReads(semconv.StaleNo, 1), writes: []Write{m.pod(true), m.pod(true)}})
		m.next(1000, job{object: wants(3), reads: podReads(semconv.StaleYes, 1), writes: []Write{m.pod(true), m.pod(true)}})
		m.next(1000, job{causes: []Cause{podCause(m.at, semconv.CauseAdd, semconv.BySelf, "p1", "101"), podCause(m.at, semconv.CauseAdd, semconv.BySelf, "p2", "102"), podCause(m.at, semconv.CauseAdd, semconv.BySelf, "p3", "103"), podCause(m.at, semconv.CauseAdd, semconv.BySelf, "p4", "104")}})
	}, []string{"duplicate-create"}},
	"more are asked for while the cache lags": {func(m *troubled) {
		m.next(0, job{object: wants(3), reads: podReads(semconv.StaleNo, 1), writes: []Write{m.pod(true), m.pod(true)}})
		m.next(1000, job{object: wants(5), reads: podReads(semconv.StaleYes, 1), writes: []Write{m.pod(true), m.pod(true)}})
		m.next(1000, job{causes: []Cause{podCause(m.at, semconv.CauseAdd, semconv.BySelf, "p1", "101"), podCause(m.at, semconv.CauseAdd, semconv.BySelf, "p2", "102"), podCause(m.at, semconv.CauseAdd, semconv.BySelf, "p3", "103"), podCause(m.at, semconv.CauseAdd, semconv.BySelf, "p4", "104")}})
	}, nil},
	"requeue-after-with-error": {func(m *troubled) {
		m.next(0, job{result: semconv.ResultError, errorType: "Forbidden", delayMS: 5, requeues: 1, ignoredMS: 30_000})
	}, []string{"requeue-after-with-error"}},
	"no-owner-reference": {func(m *troubled) {
		m.next(0, job{writes: []Write{m.pod(false), m.pod(false)}})
		m.next(0, job{result: "gone", causes: webGone(m.at)})
	}, []string{"no-owner-reference"}},
	"no owner, and the controller deletes them itself": {func(m *troubled) {
		w := m.pod(false)
		m.next(0, job{writes: []Write{w}})
		w.Method, w.After, w.Status = methodDelete, "", 200
		m.next(0, job{object: deleting(), writes: []Write{w}})
		m.next(0, job{result: "gone", causes: webGone(m.at)})
	}, nil},
	"owned, and the owner goes": {func(m *troubled) {
		m.next(0, job{writes: []Write{m.pod(true)}})
		m.next(0, job{result: "gone", causes: webGone(m.at)})
	}, nil},
	"missing-watch": {func(m *troubled) {
		m.next(0, job{writes: []Write{m.pod(true)}})
		m.next(0, job{reads: podReads(semconv.StaleNo, 1)})
	}, []string{"missing-watch"}},
	"the event of a Pod comes late": {func(m *troubled) {
		m.next(0, job{writes: []Write{m.pod(true)}})
		m.next(0, job{reads: podReads(semconv.StaleNo, 1)})
		m.next(2*atRest, job{causes: []Cause{podCause(m.at, semconv.CauseAdd, semconv.BySelf, "p1", "101")}})
	}, nil},
	"the cache does not show a Pod yet": {func(m *troubled) {
		m.next(0, job{writes: []Write{m.pod(true)}})
		m.next(0, job{reads: podReads(semconv.StaleYes, 0)})
	}, nil},
	"finalizer-stuck": {func(m *troubled) {
		m.next(0, job{object: deleting("demo.example/clean-up")})
	}, []string{"finalizer-stuck"}},
	"held by the garbage collector": {func(m *troubled) {
		m.next(0, job{object: deleting("foregroundDeletion")})
	}, nil},
	"waiting for what it has deleted": {func(m *troubled) {
		m.next(0, job{object: deleting("demo.example/clean-up"), writes: []Write{{Method: methodDelete, Resource: "pods", UID: "uid-p", Status: 200}}})
		m.next(0, job{object: deleting("demo.example/clean-up")})
	}, nil},
	"observed-generation": {func(m *troubled) {
		m.next(0, job{object: web(3, 2, "100")})
	}, []string{"observed-generation"}},
	"the status is being written": {func(m *troubled) {
		m.next(0, job{object: web(3, 2, "100"), writes: []Write{writeStatus("100", "101")}})
		m.next(0, job{object: web(3, 3, "101")})
	}, nil},
	"a child is made first":               {func(m *troubled) { m.next(0, job{object: web(3, 2, "100"), writes: []Write{m.pod(true)}}) }, nil},
	"a status without observedGeneration": {func(m *troubled) { m.next(0, job{object: web(3, 0, "100")}) }, nil},
}

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
