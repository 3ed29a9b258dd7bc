package engine

import (
	"regexp"
	"strings"
	"testing"

	"github.com/reconcile-tracer/tracer/lessons"
	"github.com/reconcile-tracer/tracer/lessons/format"
	"github.com/reconcile-tracer/tracer/tracer/control/wire"
)

func TestConditionWords(t *testing.T) {
	for text, want := range map[string]string{
		"reconcile item=web wrote=status.readyReplicas=1":                                       "a reconcile of web writes status.readyReplicas=1",
		"reconcile item=web error=Conflict count=1":                                             "exactly 1 reconcile of web ends with Conflict",
		`reconcile item=web plan~"delete 1 Pod" result=success`:                                 "a reconcile of web plans “delete 1 Pod” and succeeds",
		"reconcile item=web result=error count=0":                                               "no reconcile of web fails",
		"reconcile item=web writes>=2 count>=3":                                                 "at least 3 times a reconcile of web writes at least 2 times",
		"wait why=backoff delay_ms>=9 delay_ms<=11 count=6":                                     "an item waits 9 to 11 ms in back-off, exactly 6 times",
		"reconcile item=web read_from=api count=0":                                              "no reconcile of web reads from the API server",
		"reconcile item=web writes=0 stale=yes stale_by=1":                                      "a reconcile of web writes nothing, reads what is stale and misses 1 of its own writes",
		"reconcile item=web stale=no stale!=yes":                                                "a reconcile of web reads what is new and reads nothing stale",
		"item item=web active=true dirty=false":                                                 "web is with a worker and has not come again",
		"item item=web idle=true":                                                               "web is idle",
		"wait item=web why=backoff state=delayed delay_ms>=5000 requeues=11 over=false":         "web waits at least 5 s in back-off, its 11th in a row",
		"wait item=web why=backoff count=0":                                                     "web does not wait in back-off",
		"wait item=web state=ready over=true":                                                   "web has waited in the queue",
		"wait item=web delay_ms>=900 delay_ms<=5120":                                            "web waits 900 ms to 5.1 s",
		"hold item=web phase=apply standing=true count=0":                                       "web is not held before apply",
		"hold item=web standing=false count=2":                                                  "web was held, exactly 2 times",
		"edge item=web self=true":                                                               "web is set off by the controller's own write",
		"edge item=web kind=Pod count>=3":                                                       "web is set off by a write of a Pod, at least 3 times",
		"reconcile item=web cause=update result=error":                                          "a reconcile of web comes from an update and fails",
		"reconcile item=web result=error status=500 took_ms>=1500":                              "a reconcile of web fails, has a write answered with 500 and takes at least 1.5 s",
		`reconcile item=web plan~"create 2 Pods" plan~"update status" writes=3 failed_writes=0`: "a reconcile of web plans “create 2 Pods” and “update status”, writes 3 times and gets every write through",
		"reconcile item=web":                                                                    "a reconcile of web runs",
		"reconcile writes=1 failed_writes>=1":                                                   "a reconcile writes once and has at least 1 refused write",
		"finding item=web rule=hot-loop standing=true":                                          "a finding of web is “hot-loop” and stands",
		"item idle=true": "an item is idle",
		"hold item=web phase=apply standing=true": "web is held before apply",
		"wait item=web why=backoff":               "web waits in back-off",
	} {
		c, err := format.ParseCondition(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := conditionWords(&c); got != want {
			t.Errorf("%s is said as %q, want %q", text, got, want)
		}
	}
}

// What came is said as people say a time, and not to the millisecond from a second on.
func TestTimesThatCameAreSaidInWords(t *testing.T) {
	for ms, want := range map[int64]string{0: "0 ms", 160: "160 ms", 999: "999 ms", 1000: "1 s", 5120: "5.1 s", 60_000: "60 s"} {
		if got := show("delay_ms", ms); got != want {
			t.Errorf("%d ms is said as %q, want %q", ms, got, want)
		}
	}
}

// No sentence has a value that is no word, nor words for many of what is said of one.
func TestConditionsAreSaidInWords(t *testing.T) {
	bare := regexp.MustCompile(`\b(true|false|yes|unknown)\b|\bno$|\b(reconcile|wait|hold|item|edge|finding)s\b.* (is|has|fails)\b`)
	check := func(c *format.Condition) {
		if words := conditionWords(c); bare.MatchString(words) {
			t.Errorf("%s is said as %q", c.Text, words)
		}
	}
	for _, l := range lessons.All() {
		for i := range l.Beats {
			if l.Beats[i].Wait == nil {
				continue
			}
			for n := range l.Beats[i].Wait.For {
				check(&l.Beats[i].Wait.For[n])
			}
		}
	}
	for row, fields := range format.Rows() {
		for name, field := range fields {
			values := field.OneOf
			switch field.Type {
			case format.Number:
				values = []string{"2"}
			case format.Bool:
				values = []string{"true", "false"}
			}
			for _, value := range values {
				c, err := format.ParseCondition(row + " " + name + "=" + value + " count=3")
				if err != nil {
					t.Fatal(err)
				}
				check(&c)
				if field.Type == format.Number && !strings.Contains(conditionWords(&c), " 2") {
					t.Errorf("%s is said as %q", c.Text, conditionWords(&c))
				}
			}
		}
	}
}

func TestNextSaysWhatItDoes(t *testing.T) {
	scale := format.Action{Verb: format.DoScale, Kind: "PodSet", Name: "web", Values: []any{2}}
	apply := format.Action{Verb: format.DoApply, Kind: "PodSet", Name: "web"}
	control := func(c wire.Command) format.Action {
		return format.Action{Verb: format.DoControl, Control: &c}
	}
	for _, c := range []struct {
		want    string
		actions []format.Action
	}{
		{"scale PodSet/web to 2", []format.Action{scale}},
		{"apply PodSet/web, scale it to 2", []format.Action{apply, scale}},
		{"hold it before apply, scale PodSet/web to 2", []format.Action{control(wire.Command{Command: "pause", Phase: "apply"}), scale}},
		{"let it go on", []format.Action{control(wire.Command{Command: "resume"}), control(wire.Command{Command: "lift"})}},
		{"let requests fail", []format.Action{control(wire.Command{Command: "fault", Fault: "409"})}},
		{"hold the watch", []format.Action{control(wire.Command{Command: "fault", Fault: "hold_watch"})}},
	} {
		if got := deeds(c.actions); got != c.want {
			t.Errorf("it says %q, want %q", got, c.want)
		}
	}
	lesson := &format.Lesson{ID: "x", Beats: []format.Beat{
		{Do: []format.Action{scale}}, {Question: &format.Question{}}, {Question: &format.Question{}, Wait: &format.Wait{}}, {},
	}}
	e, _ := New(lesson, 1, 1)
	for _, c := range []struct {
		beat int
		stage
		want string
	}{
		{0, preparing, ""}, {0, ready, "Next: scale PodSet/web to 2"}, {0, waiting, ""}, {0, done, "Next beat"},
		{1, asking, "Next: show the answer"}, {2, asking, "Next: wait for the answer"}, {3, done, "End the lesson"},
	} {
		e.beat, e.stage = c.beat, c.stage
		if got := e.nextWords(); got != c.want {
			t.Errorf("in beat %d, %s, Next says %q, want %q", c.beat+1, c.stage, got, c.want)
		}
	}
}
