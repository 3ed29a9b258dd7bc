package format

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
)

// good is a lesson that is fine; the tests change a part of it.
const good = `id: good
title: A lesson
about: What it is about.
minutes: 3
needs: [control]
beats:
  - title: Make
    words: We make {item}.
    highlight: [queue, cache-queue]
    question:
      text: How often?
      choices:
        - text: Once
          right: true
          when: reconcile count=1
        - text: Twice
          when: reconcile count=2
      because: So it is.
    do:
      - apply:
          apiVersion: demo.reconcile-tracer.io/v1alpha1
          kind: PodSet
          metadata: {name: web}
      - edit: {object: PodSet/web, set: spec.replicas, each: [1, 2]}
      - control: {command: pause, phase: compute}
    wait:
      within: 20s
      steady: 1s
      for:
        - reconcile item=web result=success count>=1 show=took_ms
    then: It took {1}.
`

func TestGoodLesson(t *testing.T) {
	l, err := Parse("good.yaml", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	b := l.Beats[0]
	if l.ID != "good" || b.Line != 7 || b.Question.Right != 0 || len(b.Do) != 3 || b.Wait.Within != 20_000_000 || b.Do[1].Line != 24 {
		t.Errorf("parsed as %+v", l)
	}
}

// TestBadLessons replaces one part of the good lesson, and wants one fault:
// its line, its field, the limit and the remedy.
func TestBadLessons(t *testing.T) {
	for _, c := range []struct{ name, old, now, want string }{
		{"unknown field", "minutes: 3", "minutes: 3\nauthor: me", "good.yaml:5: author: the field is not known: use id, title, about, minutes, needs, controller, item, beats"},
		{"missing field", "title: A lesson\n", "", "good.yaml:1: title is missing: add it"},
		{"twice", "minutes: 3", "minutes: 3\nminutes: 4", "good.yaml:5: minutes: the field is there twice: leave one of them out"},
		{"bad id", "id: good", "id: Good Lesson", `good.yaml:1: id: "Good Lesson" is not a name: use at most 40 of a-z, 0-9 and -`},
		{"no number", "minutes: 3", "minutes: ten", `good.yaml:4: minutes: "ten" is not a whole number from 1 to 60: give one`},
		{"long title", "title: A lesson", "title: " + strings.Repeat("x", 81), "good.yaml:2: title: it has 81 characters, the limit is 80: shorten it"},
		{"unknown node", "[queue, cache-queue]", "[queue, buffer]", `good.yaml:9: beats[0].highlight[1]: "buffer" is not known: use one of waiting, queue, dequeue`},
		{"unknown action", "- control: {command: pause, phase: compute}", "- explode: {}", "good.yaml:25: beats[0].do[2].explode: the field is not known: use apply, create, edit, scale, delete, delete-child, write-old, control, refused"},
		{"no action", "- control: {command: pause, phase: compute}", "- refused: Invalid", "good.yaml:25: beats[0].do[2]: there is no action: use one of apply, create"},
		{"two actions", "- control: {command: pause, phase: compute}", "- {control: {command: pause}, delete: {object: PodSet/web}}", "good.yaml:25: beats[0].do[2]: it is control and delete at once: write two actions"},
		{"unknown command", "command: pause", "command: halt", `good.yaml:25: beats[0].do[2].control: command "halt" is not known: use pause, resume, step`},
		{"fault without one", "{command: pause, phase: compute}", "{command: fault}", "good.yaml:25: beats[0].do[2].control: fault is empty: use 409, 429"},
		{"slow without a factor", "{command: pause, phase: compute}", "{command: slow, phase: compute}", "good.yaml:25: beats[0].do[2].control: factor is 0, and must be over 1"},
		{"break at everything", "{command: pause, phase: compute}", "{command: break, any: true}", "good.yaml:25: beats[0].do[2].control: a break needs a phase, an item or when"},
		{"break at nothing there is", "{command: pause, phase: compute}", "{command: break, when: resul = error}", `good.yaml:25: beats[0].do[2].control: when: at 1: "resul" is nothing to test`},
		{"a field of another command", "{command: pause, phase: compute}", "{command: pause, factor: 3}", "good.yaml:25: beats[0].do[2].control: factor does not go with pause"},
		{"too many times", "{command: pause, phase: compute}", "{command: fault, fault: 409, count: 1001}", `good.yaml:25: beats[0].do[2].control.count: "1001" is not a whole number from 1 to 1000`},
		{"control unasked", "needs: [control]\n", "", "good.yaml:24: beats[0].do: it controls the controller, which must be able to take commands: add needs: [control] to the lesson"},
		{"too short a hold", good[strings.Index(good, "      - control"):], "      - control: {command: fault, fault: hold_watch, seconds: 9}\n  - title: Look\n    words: Look.\n    continues: true\n", "good.yaml:25: beats[1].continues: what the beat before holds ends after 9 seconds, and nobody is that quick: hold it for 10 or more"},
		{"unknown kind", "kind: PodSet", "kind: Gadget", `beats[0].do[0].apply: kind "Gadget" is not known: use one of ConfigMap, Deployment, Pod, PodSet, ReplicaSet`},
		{"wrong apiVersion", "reconcile-tracer.io/v1alpha1", "reconcile-tracer.io/v1", "apiVersion is not that of a PodSet: write demo.reconcile-tracer.io/v1alpha1"},
		{"a namespace", "{name: web}", "{name: web, namespace: default}", "metadata.namespace is the lesson's own, which is made for each run: leave it out"},
		{"not an object", "object: PodSet/web", "object: web", `"web" is not an object: write Kind/name, as in PodSet/web`},
		{"not a field", "set: spec.replicas", "set: status.replicas", `good.yaml:24: beats[0].do[1].edit.set: "status.replicas" is not a field that can be set: write a path below spec or metadata`},
		{"a number that JSON has not", "each: [1, 2]", "each: [1, .nan]", "good.yaml:24: beats[0].do[1].edit.each[1]: it cannot be read: .nan is no number in JSON: write a plain value"},
		{"too large a number", "each: [1, 2]", "each: [1, 18446744073709551615]", "beats[0].do[1].edit.each[1]: it cannot be read: 18446744073709551615 is larger than any number here: write a plain value"},
		{"neither to nor each", ", each: [1, 2]", "", "good.yaml:24: beats[0].do[1].edit: give either to, one value, or each"},
		{"unknown row", "reconcile item=web", "reconcil item=web", `good.yaml:30: beats[0].wait.for[0]: row "reconcil" is not known: use one of edge, finding, hold, item, reconcile, wait`},
		{"unknown row field", "item=web result", "itm=web result", `field "itm": reconcile has none of that name: use one of by, cause`},
		{"unknown operator", "result=success", "result>=success", "operator >= does not go with result: use = != ~"},
		{"no operator", "result=success", "success", `term "success" has no operator: write field=value, with =, !=, <, <=, >, >= or ~`},
		{"can never be", "result=success", "result=fine", "result=fine can never be: use one of success, requeue, requeue_after, error"},
		{"count can never be", "count>=1 show", "count<0 show", "count<0 can never be: compare it with a whole number from 0 to 100"},
		{"below zero", "count>=1 show", "generation<0 show", "good.yaml:30: beats[0].wait.for[0]: generation<0 says nothing: it is never below 0: compare it with 0 or more"},
		{"negative", "count>=1 show", "requeues!=-1 show", "requeues!=-1 says nothing"},
		{"no reason to wait", "reconcile item=web result=success count>=1 show=took_ms", "wait why=bakoff", "good.yaml:30: beats[0].wait.for[0]: why=bakoff can never be: use one of requeue, initial_list"},
		{"nothing holds it", "result=success", "result~fine", "result~fine can never be: use one of success"},
		{"no rule", "reconcile item=web result=success count>=1 show=took_ms", "finding rule!=hot-lop", "rule!=hot-lop can never be: use one of hot-loop, swallowed-error"},
		{"no name", "item=web", "item=Web", "item=Web can never be: give the name of an object, as web"},
		{"no kind", "reconcile item=web result=success count>=1 show=took_ms", "edge kind=pods", "kind=pods can never be: give a kind, as Pod"},
		{"no HTTP status", "result=success", "status=40", "status=40 can never be: give an HTTP status, as 409, or 0 for none"},
		{"not read from", "result=success", "read_from=etcd", "read_from=etcd can never be: use one of cache, api"},
		{"no quotation mark", "item=web result", `plan~"x result`, "a quotation mark is missing in reconcile plan~\"x result=success"},
		{"unknown show", "show=took_ms", "show=tookms", `reconcile has no field "tookms": use show= with one of`},
		{"no timeout", "      within: 20s\n", "", "good.yaml:27: beats[0].wait: within is missing: add it"},
		{"timeout beyond the limit", "within: 20s", "within: 5m", `good.yaml:27: beats[0].wait.within: "5m" is not a duration from 1s to 2m0s: give one, as in 20s`},
		{"steady too long", "steady: 1s", "steady: 20s", "good.yaml:27: beats[0].wait: steady is as long as within, so it can never hold: make steady shorter"},
		{"no right choice", "          right: true\n", "", "good.yaml:11: beats[0].question: 0 choices are marked right, and there must be one: write right: true under it"},
		{"two right choices", "text: Twice", "text: Twice\n          right: true", "good.yaml:11: beats[0].question: 2 choices are marked right"},
		{"nothing proves it", "          when: reconcile count=1\n", "", `good.yaml:11: beats[0].question: nothing proves the right choice "Once": give it a condition with when`},
		{"unknown mark", "We make {item}.", "We make {name}.", "good.yaml:7: beats[0].words: {name} stands for nothing here: use {item} or {namespace}"},
		{"mark of no condition", "It took {1}.", "It took {2}.", "good.yaml:7: beats[0].then: {2} stands for nothing here"},
		{"an alias", "metadata: {name: web}", "metadata: &m {name: web}", "good.yaml:23: anchors and aliases are not taken: write it out"},
		{"not YAML", "title: A lesson", "title: [A lesson", "good.yaml:"},
		{"two documents", "id: good", "id: good\n---\nid: bad", "the file has more than one document: leave out what comes after ---"},
		{"empty", good, "", "good.yaml:1: the file is empty: begin with what tracer lesson new writes"},
		{"a list", good, "- a", "good.yaml:1: it is a list: write a mapping with id, title"},
		{"no beats", good[strings.Index(good, "beats:"):], "beats: []\n", "good.yaml:6: beats: it has 0 parts, and must have 1 to 30: add some"},
		{"large", good, strings.Repeat("#", MaxFile+1), "good.yaml:1: the file has 65537 bytes, the limit is 65536: shorten it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(good, c.old) {
				t.Fatalf("the good lesson has no %q", c.old)
			}
			_, err := Parse("good.yaml", []byte(strings.Replace(good, c.old, c.now, 1)))
			var faults Faults
			if !errors.As(err, &faults) {
				t.Fatalf("error %v, want faults", err)
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("said:\n%v\nwant:\n%s", err, c.want)
			}
		})
	}
}

// Commands that the controller takes are taken, with its own limits.
func TestGoodCommands(t *testing.T) {
	for _, text := range []string{
		"{command: break}", "{command: break, any: true, when: result = error}", "{command: slow, factor: 1.5}",
		"{command: fault, fault: 409, count: 1000}", "{command: fault, fault: latency, delay_ms: 60000, verb: get}",
		"{command: fault, fault: hold_watch, seconds: 600, any: true}", "{command: step, by: reconcile}", "{command: lift, any: true}",
	} {
		if _, err := Parse("good.yaml", []byte(strings.Replace(good, "{command: pause, phase: compute}", text, 1))); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// The key of an annotation or a label is one part of a path, with its dots.
func TestKeysWithDots(t *testing.T) {
	for text, want := range map[string][]string{
		"spec.replicas":                         {"spec", "replicas"},
		"metadata.annotations.example.test/a.b": {"metadata", "annotations", "example.test/a.b"},
		"metadata.labels.example.test/a":        {"metadata", "labels", "example.test/a"},
		"metadata.finalizers":                   {"metadata", "finalizers"},
	} {
		l, err := Parse("good.yaml", []byte(strings.Replace(good, "set: spec.replicas", "set: "+text, 1)))
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := l.Beats[0].Do[1].Path; !slices.Equal(got, want) {
			t.Errorf("%s is read as %q", text, got)
		}
	}
}

func TestAllFaultsAreSaidInOrder(t *testing.T) {
	text := strings.NewReplacer("title: A lesson\n", "title: ''\n", "within: 20s", "within: 0s", "[queue, cache-queue]", "[q]").Replace(good)
	_, err := Parse("good.yaml", []byte(text))
	var faults Faults
	if !errors.As(err, &faults) || len(faults) != 3 || faults[0].Line != 2 || faults[1].Line != 9 || faults[2].Line != 27 {
		t.Errorf("said:\n%v\nwant faults in the lines 2, 9 and 27", err)
	}
}

// FuzzParse: whatever the file holds, there is a lesson or there are faults
// with a line in the file.
func FuzzParse(f *testing.F) {
	f.Add(good)
	f.Add("")
	f.Add("id: [")
	f.Add(strings.Replace(good, "{name: web}", "*x", 1))
	for _, name := range []string{"../lesson-1.yaml", "../starter.txt"} {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		l, err := Parse("fuzz.yaml", []byte(text))
		if err == nil {
			if l.ID == "" || len(l.Beats) == 0 {
				t.Errorf("a lesson without id or beats was taken: %+v", l)
			}
			for _, b := range l.Beats {
				for _, a := range b.Do {
					runtime.DeepCopyJSONValue([]any{a.Values, a.Manifest}) // panics at what is not JSON
				}
			}
			return
		}
		var faults Faults
		if l != nil || !errors.As(err, &faults) || len(faults) == 0 {
			t.Fatalf("lesson %v, error %v; want faults alone", l, err)
		}
		for _, fault := range faults {
			if fault.Line < 1 || fault.Line > strings.Count(text, "\n")+2 || fault.Text == "" {
				t.Errorf("fault %+v is of no line of the file", fault)
			}
		}
	})
}
