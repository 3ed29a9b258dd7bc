package flow

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

var update = flag.Bool("update", false, "rewrite the files in testdata")

// scenario is a file that the tests of the fold and those of the page's model
// share: what comes in, what each input puts out, and which rows there are in
// the end.
type scenario struct {
	About   string
	Inputs  []json.RawMessage
	Outputs [][]json.RawMessage
	Rows    []json.RawMessage
}

const t0 = int64(1_767_225_600_000_000) // 2026-01-01T00:00:00Z

// ms is a time in the scenario.
func ms(n int64) int64 { return t0 + n*1000 }

func TestScenarios(t *testing.T) {
	for name, s := range map[string]struct {
		about string
		make  func() *sim
	}{
		"scale":        {"A PodSet of 3 is scaled to 5: one pass creates two Pods, the next ones follow from its own writes and from the Pods becoming ready.", scaleSim},
		"backoff":      {"A pass fails twice and is tried again after a back-off that grows.", backoffSim},
		"conflict":     {"A status write meets a conflict; the pass is tried again at once and succeeds.", conflictSim},
		"five-updates": {"One worker is held on item a while b is updated five times: one pass of b with five causes.", fiveUpdatesSim},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("testdata", "scenarios", name+".json")
			if *update {
				writeFile(t, path, encodeScenario(t, record(t, s.about, s.make().inputs())))
			}
			want := readScenario(t, path)
			got := record(t, want.About, decodeInputs(t, want.Inputs))
			if diff := cmp.Diff(string(encodeScenario(t, want)), string(encodeScenario(t, got))); diff != "" {
				t.Errorf("the fold gives other rows than %s (-file +now; -update rewrites it):\n%s", path, diff)
			}
		})
	}
}

// record folds inputs and notes all of it.
func record(t *testing.T, about string, inputs []Input) scenario {
	t.Helper()
	sc := scenario{About: about}
	s := New(Limits{})
	for _, in := range inputs {
		sc.Inputs = append(sc.Inputs, raw(t, in))
		out := []json.RawMessage{}
		for _, o := range s.Step(in) {
			out = append(out, raw(t, o))
		}
		sc.Outputs = append(sc.Outputs, out)
	}
	for _, r := range s.Rows() {
		sc.Rows = append(sc.Rows, raw(t, r))
	}
	return sc
}

func raw(t failer, v any) json.RawMessage {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// encodeScenario writes one thing a line, so that a difference can be read.
func encodeScenario(t *testing.T, sc scenario) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\n\"about\": %s,\n\"inputs\": [\n", raw(t, sc.About))
	writeLines(&b, sc.Inputs)
	b.WriteString("],\n\"outputs\": [\n")
	for i, out := range sc.Outputs {
		b.WriteString("[\n")
		writeLines(&b, out)
		b.WriteString("]" + comma(i, len(sc.Outputs)) + "\n")
	}
	b.WriteString("],\n\"rows\": [\n")
	writeLines(&b, sc.Rows)
	b.WriteString("]\n}\n")
	return b.Bytes()
}

func writeLines(b *bytes.Buffer, lines []json.RawMessage) {
	for i, l := range lines {
		b.Write(l)
		b.WriteString(comma(i, len(lines)) + "\n")
	}
}

func comma(i, n int) string {
	if i < n-1 {
		return ","
	}
	return ""
}

func writeFile(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func readScenario(t *testing.T, path string) scenario {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var sc scenario
	if err := json.Unmarshal(data, &sc); err != nil {
		t.Fatalf("reading %s: %v", path, err)
	}
	return sc
}

// decodeInputs reads inputs back: whole numbers are int64 as the decoder of
// OTLP has them, lists are of strings.
func decodeInputs(t failer, raws []json.RawMessage) []Input {
	t.Helper()
	var inputs []Input
	for _, r := range raws {
		d := json.NewDecoder(bytes.NewReader(r))
		d.UseNumber()
		d.DisallowUnknownFields()
		var in Input
		if err := d.Decode(&in); err != nil {
			t.Fatal(err)
		}
		for i := range in.Spans {
			plainAttrs(t, in.Spans[i].Attrs)
			for _, e := range in.Spans[i].Events {
				plainAttrs(t, e.Attrs)
			}
		}
		for i := range in.Logs {
			plainAttrs(t, in.Logs[i].Attrs)
		}
		inputs = append(inputs, in)
	}
	return inputs
}

func plainAttrs(t failer, a Attrs) {
	t.Helper()
	for k, v := range a {
		switch v := v.(type) {
		case json.Number:
			n, err := v.Int64()
			if err != nil {
				t.Fatal(err)
			}
			a[k] = n
		case []any:
			var list []string
			for _, e := range v {
				list = append(list, e.(string))
			}
			a[k] = list
		}
	}
}

// web is the PodSet that the scenarios are about.
func web(generation, observed int64, version string) Object {
	return Object{
		APIVersion: "demo.reconcile-tracer.io/v1alpha1", UID: "uid-web",
		ResourceVersion: version, Generation: generation, ObservedGeneration: observed,
	}
}

func podSetCause(at int64, what, by, version string, changed ...string) Cause {
	return Cause{At: at, What: what, By: by, Kind: "PodSet", Namespace: "default", Name: "web", UID: "uid-web", ResourceVersion: version, Changed: changed}
}

func podCause(at int64, what, by, name, version string, changed ...string) Cause {
	return Cause{At: at, What: what, By: by, Kind: "Pod", Namespace: "default", Name: name, UID: "uid-" + name, ResourceVersion: version, Changed: changed}
}

func reads(pods int) []Read { return []Read{{Kind: "PodSet", Count: 1}, {Kind: "Pod", Count: pods}} }

func createPod(name, version string) Write {
	return Write{Method: "POST", Resource: "pods", Namespace: "default", Name: name, UID: "uid-" + name, After: version, Status: 201}
}

func writeStatus(before, after string) Write {
	return Write{
		Method: "PUT", Resource: "podsets", Subresource: "status", Namespace: "default", Name: "web", UID: "uid-web",
		Before: before, After: after, Status: 200,
	}
}

func scaleSim() *sim {
	m := newSim("podset", "PodSet")
	m.beat(ms(0), ms(6000))
	m.run(job{
		item: "default/web", ready: ms(100), taken: ms(101), result: semconv.ResultSuccess, reads: reads(3), object: web(1, 1, "100"),
		causes: []Cause{podSetCause(ms(99), semconv.CauseInitialList, semconv.ByUnknown, "100")},
	})
	scaled := podSetCause(ms(2000), semconv.CauseUpdate, semconv.ByOther, "110", "spec")
	scaled.Manager = "kubectl"
	one := m.run(job{
		item: "default/web", ready: ms(2000), taken: ms(2003), result: semconv.ResultSuccess, reads: reads(3), object: web(2, 1, "110"),
		causes: []Cause{scaled},
		plan:   []Action{{Verb: "create", Kind: "Pod", Summary: "create 2 Pods"}, {Verb: "update", Kind: "PodSet", Summary: "update the status"}},
		writes: []Write{createPod("web-4", "111"), createPod("web-5", "112"), writeStatus("110", "113")},
	})
	own := podCause(one.to-6000, semconv.CauseAdd, semconv.BySelf, "web-4", "111")
	own.Write = &one.writes[0] // resolved by the emitter; the others by the hub
	m.run(job{
		item: "default/web", ready: one.to, taken: one.to + 400, result: semconv.ResultSuccess, reads: reads(5), object: web(2, 2, "113"),
		causes: []Cause{
			own,
			podCause(one.to-4000, semconv.CauseAdd, semconv.ByUnknown, "web-5", "112"),
			podSetCause(one.to-1000, semconv.CauseUpdate, semconv.ByUnknown, "113", "status"),
		},
	})
	three := m.run(job{
		item: "default/web", ready: ms(3500), taken: ms(3501), result: semconv.ResultSuccess, reads: reads(5), object: web(2, 2, "113"),
		causes: []Cause{
			podCause(ms(3500), semconv.CauseUpdate, semconv.ByOther, "web-4", "120", "status"),
			podCause(ms(3501)-200, semconv.CauseUpdate, semconv.ByOther, "web-5", "121", "status"),
		},
		plan:   []Action{{Verb: "update", Kind: "PodSet", Summary: "update the status"}},
		writes: []Write{writeStatus("113", "122")},
	})
	m.run(job{
		item: "default/web", ready: three.to, taken: three.to + 300, result: semconv.ResultSuccess, reads: reads(5), object: web(2, 2, "122"),
		causes: []Cause{podSetCause(three.to-500, semconv.CauseUpdate, semconv.ByUnknown, "122", "status")},
	})
	return m
}

func backoffSim() *sim {
	m := newSim("podset", "PodSet")
	m.beat(ms(0), ms(5000))
	failed := Write{Method: "POST", Resource: "pods", Namespace: "default", Status: 500, Error: "InternalError"}
	plan := []Action{{Verb: "create", Kind: "Pod", Summary: "create 1 Pod"}}
	at := ms(100)
	cause := podSetCause(at, semconv.CauseUpdate, semconv.ByOther, "110", "spec")
	for i, delay := range []int64{1000, 2000} {
		e := m.run(job{
			item: "default/web", ready: at, taken: at + 1000, result: semconv.ResultError, errorType: "InternalError",
			reads: reads(2), object: web(2, 1, "110"), causes: []Cause{cause}, plan: plan, writes: []Write{failed},
			delayMS: delay, requeues: i + 1,
		})
		at = e.to - 50 + delay*1000
		cause = Cause{At: at, What: semconv.CauseBackoff, By: semconv.BySelf}
	}
	m.run(job{
		item: "default/web", ready: at, taken: at + 1000, result: semconv.ResultSuccess, requeues: 2,
		reads: reads(2), object: web(2, 1, "110"), causes: []Cause{cause}, plan: plan, writes: []Write{createPod("web-3", "130")},
	})
	return m
}

func conflictSim() *sim {
	m := newSim("podset", "PodSet")
	m.beat(ms(0), ms(2000))
	conflict := writeStatus("110", "")
	conflict.Status, conflict.Error = 409, "Conflict"
	one := m.run(job{
		item: "default/web", ready: ms(500), taken: ms(501), result: semconv.ResultError, errorType: "Conflict",
		reads: reads(3), object: web(2, 1, "110"), writes: []Write{conflict}, delayMS: 5, requeues: 1,
		causes: []Cause{podSetCause(ms(500), semconv.CauseUpdate, semconv.ByOther, "110", "spec")},
		plan:   []Action{{Verb: "update", Kind: "PodSet", Summary: "update the status"}},
	})
	at := one.to + 4950
	m.run(job{
		item: "default/web", ready: at, taken: at + 200, result: semconv.ResultSuccess, requeues: 1,
		reads: reads(3), object: web(3, 1, "115"), writes: []Write{writeStatus("115", "116")},
		causes: []Cause{
			podSetCause(ms(502), semconv.CauseUpdate, semconv.ByOther, "115", "spec"),
			{At: at, What: semconv.CauseBackoff, By: semconv.BySelf},
		},
		plan: []Action{{Verb: "update", Kind: "PodSet", Summary: "update the status"}},
	})
	return m
}

func fiveUpdatesSim() *sim {
	m := newSim("podset", "PodSet")
	m.beat(ms(0), ms(3000))
	held := m.run(job{
		item: "default/a", ready: ms(100), taken: ms(101), result: semconv.ResultSuccess, extra: 1_500_000, reads: reads(3),
		causes: []Cause{{At: ms(100), What: semconv.CauseUpdate, By: semconv.ByOther, Kind: "PodSet", Namespace: "default", Name: "a", UID: "uid-a", ResourceVersion: "200"}},
	})
	var causes []Cause
	for i := range int64(5) {
		causes = append(causes, Cause{
			At: ms(300 + 100*i), What: semconv.CauseUpdate, By: semconv.ByOther, Kind: "PodSet", Namespace: "default", Name: "b",
			UID: "uid-b", ResourceVersion: fmt.Sprint(201 + i), Changed: []string{"spec"}, Manager: "kubectl",
		})
	}
	m.run(job{
		item: "default/b", ready: ms(300), taken: held.to + 100, depth: 1, result: semconv.ResultSuccess, reads: reads(3), causes: causes,
	})
	return m
}

func TestFiveUpdatesAreOneReconcileWithFiveCauses(t *testing.T) {
	s := New(Limits{})
	for _, in := range fiveUpdatesSim().inputs() {
		s.Step(in)
	}
	var versions []string
	for _, r := range s.Rows() {
		if r, ok := r.(*Reconcile); ok && r.Item == "default/b" {
			for _, c := range r.Causes {
				versions = append(versions, c.What+" "+c.ResourceVersion)
			}
		}
	}
	want := "update 201, update 202, update 203, update 204, update 205"
	if got := strings.Join(versions, ", "); got != want {
		t.Errorf("causes of b: %s; want %s", got, want)
	}
}

// failer is what helpers need of *testing.T and *rapid.T.
type failer interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}
