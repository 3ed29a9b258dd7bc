package engine

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/reconcile-tracer/tracer/lessons/format"
	"github.com/reconcile-tracer/tracer/server/flow"
)

var update = flag.Bool("update", false, "write the transcripts in testdata anew")

// TestTranscripts plays what stands after "> " in testdata/*.txt and compares
// what the engine does and says with what stands below it. Review them after
// go test ./lessons/engine -update.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) < 5 {
		t.Fatalf("transcripts: %v, %v", files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := transcript(t, string(text))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(text), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// script is a transcript on its way.
type script struct {
	t      *testing.T
	engine *Engine
	now    int64
	out    strings.Builder
	last   string
}

// transcript plays the inputs of a text and returns it with the outputs of now.
func transcript(t *testing.T, text string) string {
	s := &script{t: t, now: 1_000_000}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "> "):
			fmt.Fprintln(&s.out, line)
			s.play(strings.TrimPrefix(line, "> "))
		case strings.HasPrefix(line, "#"), line == "":
			fmt.Fprintln(&s.out, line)
		}
	}
	return s.out.String()
}

func (s *script) play(line string) {
	verb, rest, _ := strings.Cut(line, " ")
	in := Input{}
	switch verb {
	case "start":
		s.start(rest)
		return
	case "result", "failed":
		in.Result = s.result(verb, rest)
	case "after":
		d, err := time.ParseDuration(rest)
		if err != nil {
			s.t.Fatal(err)
		}
		s.now += d.Microseconds()
	case "answer":
		in.Answer = &Answer{}
		if _, err := fmt.Sscan(rest, &in.Answer.Viewer, &in.Answer.Beat, &in.Answer.Choice); err != nil {
			s.t.Fatalf("%s: %v", line, err)
		}
	case "mine":
		choice, ok := s.engine.State().Mine(rest)
		fmt.Fprintf(&s.out, "mine %d %v\n", choice, ok)
		return
	case "item", "reconcile", "wait", "control":
		in.Rows = []flow.Row{s.row(verb, rest)}
	case "all": // a row, or none
		in.All = true
		if kind, text, found := strings.Cut(rest, " "); found {
			in.Rows = []flow.Row{s.row(kind, text)}
		}
	case "lost":
		in.Lost = errors.New(rest)
	case "gone":
		kind, key, _ := strings.Cut(rest, " ")
		in.Gone = []flow.RowRef{{Kind: flow.RowKind(kind), ID: key}}
	default:
		in.Command = Command(verb)
	}
	in.Now = s.now
	effects, err := s.engine.Step(in)
	if err != nil {
		fmt.Fprintf(&s.out, "refused: %v\n", err)
	}
	s.show(effects)
}

// start starts a lesson, at a beat where one is named after it.
func (s *script) start(rest string) {
	file, at, _ := strings.Cut(rest, " ")
	beat := 1
	if at != "" {
		beat, _ = strconv.Atoi(at)
	}
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		s.t.Fatal(err)
	}
	l, err := format.Parse(file, text)
	if err != nil {
		s.t.Fatal(err)
	}
	var effects []Effect
	s.engine, effects = New(l, s.now, beat)
	s.show(effects)
}

// result answers the newest effect; old=true answers one that was overtaken.
func (s *script) result(verb, rest string) *Result {
	r := &Result{Seq: s.engine.seq}
	for word := range strings.FieldsSeq(rest) {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "run":
			r.Run = value
		case "gave":
			r.Gave = strings.Split(value, ",")
		case "old":
			r.Seq--
		case "at":
			r.At, _ = strconv.Atoi(value)
		}
	}
	if verb == "failed" {
		r.Err = errors.New("it did not go: mend it")
	} else if r.Run == "" {
		r.Did = []string{"did it"}
	}
	return r
}

func (s *script) row(kind, text string) flow.Row {
	var row flow.Row
	switch kind {
	case "item":
		row = &flow.Item{Row: flow.RowItem}
	case "wait":
		row = &flow.Wait{Row: flow.RowWait}
	case "control":
		row = &flow.Control{Row: flow.RowControl}
	default:
		row = &flow.Reconcile{Row: flow.RowReconcile}
	}
	if err := json.Unmarshal([]byte(text), row); err != nil {
		s.t.Fatalf("%s: %v", text, err)
	}
	return row
}

// show writes the effects, and the state where it has changed.
func (s *script) show(effects []Effect) {
	for _, f := range effects {
		switch {
		case f.Prepare != nil:
			fmt.Fprintf(&s.out, "prepare %d: %s\n", f.Prepare.Seq, f.Prepare.Name)
		case f.Act != nil:
			fmt.Fprintf(&s.out, "act %d: beat %d in %s: %s\n", f.Act.Seq, f.Act.Beat+1, f.Act.Run, verbsOf(f.Act.Actions))
		case f.Undo != nil:
			fmt.Fprintf(&s.out, "undo %d: to before beat %d\n", f.Undo.Seq, f.Undo.Beat+1)
		case f.Clean != nil:
			fmt.Fprintf(&s.out, "clean %d: %s\n", f.Clean.Seq, f.Clean.Run)
		case f.Record != nil:
			r := f.Record
			answer := ""
			if r.Right != 0 || r.Because != "" {
				answer = " with the answer"
			}
			fmt.Fprintf(&s.out, "record: %s from %d acted %d done %d to %d%s\n", r.Key, r.From, r.Acted, r.Done, r.To, answer)
		}
	}
	state := s.state()
	if state != s.last {
		fmt.Fprint(&s.out, state)
	}
	s.last = state
}

func verbsOf(actions []format.Action) string {
	var verbs []string
	for _, a := range actions {
		verbs = append(verbs, a.Verb)
	}
	return strings.Join(verbs, ", ")
}

// state is the lesson's state in a few lines.
func (s *script) state() string {
	st := s.engine.State()
	if st == nil {
		return "= no lesson\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "= beat %d of %d, %s: %s\n", st.Beat, st.Of, st.State, st.Words)
	if st.WaitingFor != "" {
		fmt.Fprintf(&b, "  waits for %s\n", st.WaitingFor)
	}
	for _, c := range st.Came {
		fmt.Fprintf(&b, "  came %s: %s %v\n", c.Condition, c.What, c.Holds)
	}
	if q := st.Question; q != nil {
		text, _ := json.Marshal(q)
		fmt.Fprintf(&b, "  question %s\n", text)
	}
	if st.Sel.Reconcile != "" {
		fmt.Fprintf(&b, "  selects %s %s\n", st.Sel.Item, st.Sel.Reconcile)
	}
	if st.Then != "" {
		fmt.Fprintf(&b, "  then %s\n", st.Then)
	}
	if st.Lifted != "" {
		fmt.Fprintf(&b, "  lifted %s Button: %s\n", st.Lifted, st.Next)
	}
	if st.Error != "" {
		fmt.Fprintf(&b, "  error %s\n", st.Error)
	}
	return b.String()
}
