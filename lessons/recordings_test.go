package lessons_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/reconcile-tracer/tracer/lessons"
	"github.com/reconcile-tracer/tracer/lessons/engine"
	"github.com/reconcile-tracer/tracer/lessons/format"
	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/server/journal"
	"github.com/reconcile-tracer/tracer/server/otlp"
	"github.com/reconcile-tracer/tracer/server/recording"
)

// maxRecording bounds one recorded lesson, and maxRecordings all of them
// together, in bytes: they are in everybody's binary.
const (
	maxRecording  = 120_000
	maxRecordings = 400_000
)

// TestRecordedLessons: the recorded form of each lesson is small, names nothing
// of the machine that it was made on, and proves the lesson once more, with no
// cluster: the engine gets the rows of the recording at their times, and finds
// all that it waits for.
func TestRecordedLessons(t *testing.T) {
	total := 0
	for _, l := range lessons.All() {
		t.Run(l.ID, func(t *testing.T) {
			file := recorded(t, l.ID)
			total += len(file)
			if len(file) > maxRecording {
				t.Errorf("it has %d bytes, the limit is %d", len(file), maxRecording)
			}
			tellsNothing(t, file)
			blocks := fold(t, file)
			rightFindings(t, l, blocks[len(blocks)-1].rows)
			rows := blocks[len(blocks)-1].rows
			beats := beatsOf(t, l, rows)
			commandsIn(t, l, rows)
			nothingElse(t, beats[0].Run, rows)
			newStudent(t, l, beats).watch(blocks)
		})
	}
	if total > maxRecordings {
		t.Errorf("the recordings have %d bytes together, the limit is %d", total, maxRecordings)
	}
}

func recorded(t *testing.T, id string) []byte {
	t.Helper()
	in, err := lessons.Recording(id)
	if err != nil {
		t.Fatalf("%v: make lesson-recordings", err)
	}
	defer in.Close()
	file, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// private is what must not be in a recording: folders of a machine, and what
// looks like a token (crypto/rand.Text makes them).
var private = regexp.MustCompile(`"(/private)?/(tmp|home|root|Users|var|work|opt|mnt|usr|etc)/[^"]*"|Bearer|\b[A-Z2-7]{26}\b`)

func tellsNothing(t *testing.T, file []byte) {
	zip, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(zip)
	if err != nil {
		t.Fatal(err)
	}
	if found := private.Find(plain); found != nil {
		t.Errorf("it has %s in it", found)
	}
}

func TestPrivateIsFound(t *testing.T) {
	for text, want := range map[string]bool{
		`{"a":"/tmp/tracer-1/etcd.sock"}`: true, `"/home/somebody"`: true, `"Authorization: Bearer x"`: true,
		`"TGG3NFMLICPQ2OSRLWNG7HWLYR"`: true, `"/demo/cluster/etcd.sock"`: false, `"/api/v1/namespaces/lesson-1/pods"`: false,
	} {
		if private.MatchString(text) != want {
			t.Errorf("%s is said to be private: %v", text, !want)
		}
	}
}

// block is what one block of a recording changed, and the rows after it.
type block struct {
	at      int64
	changed []flow.Row
	gone    []flow.RowRef
	rows    []flow.Row // of the last block only
}

// fold folds a recording, in which nothing may be damaged or missing.
func fold(t *testing.T, file []byte) []block {
	t.Helper()
	state := flow.New(flow.Limits{})
	var blocks []block
	sum, err := recording.Read(bytes.NewReader(file), func(b journal.Block) error {
		if b.Err != nil {
			t.Errorf("block %d is damaged: %v", b.Offset, b.Err)
		}
		var batch otlp.Batch
		for _, r := range b.Records {
			part, ok := r.Value.(otlp.Batch)
			if !ok {
				t.Errorf("block %d has a record of kind %d", b.Offset, r.Kind)
			}
			batch.Add(part)
		}
		now := block{at: b.At}
		for _, o := range state.Step(flow.Input{Offset: b.Offset, Now: b.At, Spans: batch.Spans, Logs: batch.Logs, Emitters: batch.Emitters}) {
			if o.Row != nil {
				now.changed = append(now.changed, o.Row)
			} else {
				now.gone = append(now.gone, *o.Gone)
			}
		}
		blocks = append(blocks, now)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if sum.Left > 0 || sum.Skipped > 0 || !sum.Marked || len(blocks) == 0 {
		t.Fatalf("it reads as %+v", sum)
	}
	blocks[len(blocks)-1].rows = state.Rows()
	for _, row := range state.Rows() {
		// What the controller sent before the first beat is not in a part.
		if gap, ok := row.(*flow.Gap); ok && (gap.Reason != "retention" || gap.First != 1) {
			t.Errorf("something is missing: %+v", gap)
		}
	}
	return blocks
}

// beatsOf are the beats in a recording: each of the lesson's once, in order, as
// the lesson has it now.
func beatsOf(t *testing.T, l *format.Lesson, rows []flow.Row) []*flow.Beat {
	t.Helper()
	var beats []*flow.Beat
	for _, row := range rows {
		if b, ok := row.(*flow.Beat); ok {
			beats = append(beats, b)
		}
	}
	if len(beats) != len(l.Beats) {
		t.Fatalf("it has %d beats, the lesson %d: make lesson-recordings", len(beats), len(l.Beats))
	}
	var last int64
	for i, b := range beats {
		want := &l.Beats[i]
		if b.Lesson != l.ID || b.Title != l.Title || b.Run == "" || b.N != i+1 || b.Of != len(beats) || b.Controller != l.Controller {
			t.Errorf("beat %d is %+v: make lesson-recordings", i+1, b)
		}
		if diff := cmp.Diff(shownBy(want, b), shownOf(b)); diff != "" {
			t.Errorf("beat %d does not show what the lesson has now (-lesson +recording): make lesson-recordings\n%s", i+1, diff)
		}
		if (b.Acted != 0) != (len(want.Do) > 0) || b.From < last || b.Done < max(b.From, b.Acted) || b.To < b.Done {
			t.Errorf("beat %d is from %d, acted %d, done %d, to %d", b.N, b.From, b.Acted, b.Done, b.To)
		}
		last = b.To
	}
	return beats
}

// shown is what a beat shows, in words and on the map.
type shown struct {
	Heading, Words, Then, Question, Because string
	Highlight, Choices                      []string
	Right                                   int
}

// whatCame is what stands for what came for a condition, quoted.
var whatCame = regexp.MustCompile(`\\\{[0-9]+\\\}`)

// shownBy is what a beat of a lesson shows in the run that is recorded as b,
// where what came for a condition may be anything.
func shownBy(beat *format.Beat, b *flow.Beat) shown {
	fill := strings.NewReplacer(format.MarkItem, b.Item, format.MarkNamespace, b.Run).Replace
	s := shown{Heading: beat.Title, Words: fill(beat.Words), Then: fill(beat.Then), Highlight: beat.Highlight}
	like := whatCame.ReplaceAllString(regexp.QuoteMeta(s.Then), ".+")
	if regexp.MustCompile("^" + like + "$").MatchString(b.Then) {
		s.Then = b.Then
	}
	if q := beat.Question; q != nil {
		s.Question, s.Because, s.Right = fill(q.Text), fill(q.Because), q.Right
		for _, c := range q.Choices {
			s.Choices = append(s.Choices, fill(c.Text))
		}
	}
	return s
}

func shownOf(b *flow.Beat) shown {
	return shown{b.Heading, b.Words, b.Then, b.Question, b.Because, b.Highlight, b.Choices, b.Right}
}

// TestStaleRecordingIsFound: whatever of a beat is not in the lesson any more,
// and nothing else, is a difference.
func TestStaleRecordingIsFound(t *testing.T) {
	beat := &format.Beat{
		Title: "Heading", Words: "Of {item}.", Then: "It took {1}.", Highlight: []string{"queue"},
		Question: &format.Question{Text: "Why?", Choices: []format.Choice{{Text: "A"}, {Text: "B"}}, Right: 1, Because: "So."},
	}
	as := func(change func(*flow.Beat)) string {
		b := &flow.Beat{
			Item: "ns/web", Heading: "Heading", Words: "Of ns/web.", Then: "It took 5 ms, 10 ms.", Highlight: []string{"queue"},
			Question: "Why?", Choices: []string{"A", "B"}, Right: 1, Because: "So.",
		}
		change(b)
		return cmp.Diff(shownBy(beat, b), shownOf(b))
	}
	if diff := as(func(*flow.Beat) {}); diff != "" {
		t.Errorf("a new one is said to be stale:\n%s", diff)
	}
	for what, change := range map[string]func(*flow.Beat){
		"heading": func(b *flow.Beat) { b.Heading = "Old" }, "words": func(b *flow.Beat) { b.Words = "Old." },
		"then": func(b *flow.Beat) { b.Then = "It was 5 ms." }, "highlight": func(b *flow.Beat) { b.Highlight = nil },
		"question": func(b *flow.Beat) { b.Question = "Old?" }, "choices": func(b *flow.Beat) { b.Choices[0] = "Old" },
		"right": func(b *flow.Beat) { b.Right = 0 }, "because": func(b *flow.Beat) { b.Because = "Old." },
	} {
		if as(change) == "" {
			t.Errorf("that the %s is another is not found", what)
		}
	}
}

// commandsIn checks that every command of the lesson's beats is in a recording,
// but for those that end another.
func commandsIn(t *testing.T, l *format.Lesson, rows []flow.Row) {
	t.Helper()
	want, got := 0, 0
	for i := range l.Beats {
		for _, a := range l.Beats[i].Do {
			if a.Verb == format.DoControl && a.Control.Command != "resume" && a.Control.Command != "lift" {
				want++
			}
		}
	}
	for _, row := range rows {
		if c, ok := row.(*flow.Control); ok && c.Command != "resume" && c.Command != "lift" {
			got++
		}
	}
	if got != want {
		t.Errorf("it has %d commands of the presenter, the lesson %d", got, want)
	}
}

// nothingElse checks that a recording has only what went on in the lesson's own
// namespace, nothing of what was taken away before it began.
func nothingElse(t *testing.T, namespace string, rows []flow.Row) {
	t.Helper()
	for _, row := range rows {
		item := ""
		switch r := row.(type) {
		case *flow.Reconcile:
			item = r.Item
		case *flow.Wait:
			item = r.Item
		case *flow.Hold:
			item = r.Item
		case *flow.Item:
			item = r.Item
		}
		if item != "" && !strings.HasPrefix(item, namespace+"/") {
			t.Errorf("it has a %s of %s, and the lesson is in %s: make lesson-recordings", row.Kind(), item, namespace)
		}
	}
}

// student plays a lesson on what is recorded.
type student struct {
	t      *testing.T
	beats  []*flow.Beat
	engine *engine.Engine
	plan   []moment
	silent map[int]bool // the beats that have waited, and told nothing
}

// moment is something that the presenter or the cluster did then.
type moment struct {
	at int64
	do func() engine.Input
}

func newStudent(t *testing.T, l *format.Lesson, beats []*flow.Beat) *student {
	s := &student{t: t, beats: beats, silent: map[int]bool{}}
	var first []engine.Effect
	s.engine, first = engine.New(l, beats[0].From, 1)
	s.later(beats[0].From, engine.Input{Result: &engine.Result{Seq: first[0].Prepare.Seq, Run: beats[0].Run}})
	for _, b := range beats {
		if b.Acted != 0 {
			s.later(b.Acted, engine.Input{Command: engine.Next})
		}
		s.plan = append(s.plan, moment{b.To, func() engine.Input {
			s.mustBeDone(b)
			return engine.Input{Command: engine.Next}
		}})
	}
	return s
}

func (s *student) later(at int64, in engine.Input) {
	s.plan = append(s.plan, moment{at, func() engine.Input { return in }})
}

func (s *student) mustBeDone(b *flow.Beat) {
	if now := s.engine.State(); now == nil || now.Beat != b.N || now.State != "done" {
		s.t.Fatalf("at the end of beat %d the lesson is %+v", b.N, now)
	}
}

// watch gives the blocks to the engine, and does between them what was done.
func (s *student) watch(blocks []block) {
	for _, b := range blocks {
		s.until(b.at)
		s.step(b.at, engine.Input{Rows: b.changed, Gone: b.gone})
	}
	s.until(1 << 62)
	if state := s.engine.State(); !s.engine.Over() || state != nil {
		s.t.Errorf("in the end the lesson is %+v", state)
	}
	for _, b := range s.beats {
		if b.Question != "" && b.Acted != 0 && !s.silent[b.N] {
			s.t.Errorf("beat %d was not seen to wait", b.N)
		}
	}
}

// until does all that was done before a time, and lets time pass.
func (s *student) until(at int64) {
	for {
		due := s.engine.Deadline()
		switch {
		case due != 0 && due <= at && (len(s.plan) == 0 || due <= s.plan[0].at):
			s.step(due, engine.Input{})
		case len(s.plan) > 0 && s.plan[0].at <= at:
			next := s.plan[0]
			s.plan = s.plan[1:]
			s.step(next.at, next.do())
		default:
			return
		}
	}
}

// step steps the engine; what it wants done has been done.
func (s *student) step(at int64, in engine.Input) {
	in.Now = at
	effects, err := s.engine.Step(in)
	if err != nil {
		s.t.Fatal(err)
	}
	s.tellsNoAnswer(at)
	for _, f := range effects {
		switch {
		case f.Act != nil:
			s.step(at, engine.Input{Result: &engine.Result{Seq: f.Act.Seq}})
		case f.Clean != nil:
			if state := s.engine.State(); state != nil {
				s.t.Errorf("the lesson ended: %s", state.Error)
			}
			s.plan = nil
			s.step(at, engine.Input{Result: &engine.Result{Seq: f.Clean.Seq}})
		}
	}
}
