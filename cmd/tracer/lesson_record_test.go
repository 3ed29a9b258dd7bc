package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/reconcile-tracer/tracer/cmd/tracer/internal/demotest"
	"github.com/reconcile-tracer/tracer/internal/standin"
	"github.com/reconcile-tracer/tracer/lessons/engine"
	"github.com/reconcile-tracer/tracer/lessons/format"
	"github.com/reconcile-tracer/tracer/lessons/play"
	"github.com/reconcile-tracer/tracer/server"
	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/server/journal"
	"github.com/reconcile-tracer/tracer/server/otlp"
	"github.com/reconcile-tracer/tracer/server/recording"
)

// A lesson needs nothing that runs already, and what it records has its beats
// and not the folder that it ran in, which is gone.
func TestLessonRunsAloneAndIsRecorded(t *testing.T) {
	bin, err := demotest.Find()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file, session := filepath.Join(dir, "alone.yaml"), filepath.Join(dir, "alone.jsonl")
	if err := writeStarter(file); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), bin.Tracer, "lesson", "run", file, "--record", session, "--localcluster", bin.Localcluster)
	cmd.Env = append(os.Environ(), "TMPDIR="+dir)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "to "+session) {
		t.Fatalf("%v:\n%s", err, out)
	}
	text := read(t, session)
	if strings.Contains(text, dir) || !strings.Contains(text, standin.Folder+"/") {
		t.Errorf("the recording names the folder %s, or nothing stands in for it", dir)
	}
	beats := rowsIn[*flow.Beat](t, text)
	l, err := readLesson(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(beats) != len(l.Beats) {
		t.Errorf("%d beats are recorded, want %d: %+v", len(beats), len(l.Beats), beats)
	}
	for i, b := range beats {
		if b.N != i+1 || b.Run == "" || b.To == 0 || b.Heading != l.Beats[i].Title {
			t.Errorf("beat %d is %+v", i+1, b)
		}
	}
	// What it made is taken away so that the controller finds nothing to do about it.
	passes := rowsIn[*flow.Reconcile](t, text)
	for _, r := range passes {
		if r.FailedWrites > 0 {
			t.Errorf("reconcile %s had %d writes refused: %+v", r.Key, r.FailedWrites, r.Writes)
		}
	}
	if len(passes) == 0 {
		t.Error("no reconcile is recorded")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "tracer-*")); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// rowsIn are the rows of a kind that a recorded session makes.
func rowsIn[T flow.Row](t *testing.T, session string) []T {
	t.Helper()
	state := flow.New(flow.Limits{})
	_, err := recording.Read(strings.NewReader(session), func(b journal.Block) error {
		for _, r := range b.Records {
			if batch, ok := r.Value.(otlp.Batch); ok {
				state.Step(flow.Input{Offset: b.Offset, Now: b.At, Spans: batch.Spans, Logs: batch.Logs, Emitters: batch.Emitters})
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var rows []T
	for _, row := range state.Rows() {
		if r, ok := row.(T); ok {
			rows = append(rows, r)
		}
	}
	return rows
}

// killedHub kills the hub in the middle of a lesson: when it is back, the
// lesson's namespace goes, and its beat ends.
func (e *demoEnv) killedHub(t *testing.T) {
	if status, answer := e.call(t, "/api/v1/lessons/lesson-1/start", ""); status != http.StatusOK {
		t.Fatalf("start: %d %s", status, answer)
	}
	e.lessonIs(t, 1, "done")
	if names := e.lessonNamespaces(t); len(names) != 1 {
		t.Fatalf("while a lesson is played there are the namespaces %v", names)
	}
	e.kill(t, "hub")
	e.eventually(t, "the lesson's namespace is gone", func() error {
		if left := e.lessonNamespaces(t); len(left) > 0 {
			return fmt.Errorf("namespaces %v", left)
		}
		return nil
	})
	e.eventually(t, "every beat has ended", func() error {
		rows, err := demotest.Rows[flow.Beat](e.ctx, e.demo, url.Values{"row": {"beat"}})
		for _, r := range rows {
			if r.To == 0 {
				return fmt.Errorf("%s goes on", r.Key)
			}
		}
		return err
	})
	if s := e.lessonIs(t, 1, "failed"); !strings.Contains(s.Error, "ended when the hub stopped, in beat 1 of") {
		t.Errorf("the room is told %q", s.Error)
	}
	// It begins again, here at the beat after that.
	if status, answer := e.call(t, "/api/v1/lessons/lesson-1/start", `{"beat":2}`); status != http.StatusOK {
		t.Fatalf("start at beat 2: %d %s", status, answer)
	}
	e.lessonIs(t, 2, "ready")
	if status, answer := e.call(t, "/api/v1/lesson/stop", ""); status != http.StatusOK {
		t.Errorf("stop: %d %s", status, answer)
	}
}

// The hub's clock is an hour ahead: what is recorded begins with the first beat
// by that clock, and has no end that was too early.
func TestRecordingIsCutByTheHubsClock(t *testing.T) {
	l, err := format.Parse("x.yaml", []byte("id: x\ntitle: x\nabout: x\nminutes: 1\nbeats:\n  - title: x\n    words: We look.\n"))
	if err != nil {
		t.Fatal(err)
	}
	const ahead = time.Hour
	began := time.Now()
	from := began.Add(time.Second)
	var asked url.Values
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/v1/watch":
			conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{"tracer.v1"}})
			if err != nil {
				return
			}
			_ = conn.Write(r.Context(), websocket.MessageText, fmt.Appendf(nil, `{"type":"snapshot","now":%d}`, time.Now().Add(ahead).UnixMicro()))
			_, _, _ = conn.Read(r.Context())
		case "/api/v1/rows":
			if r.URL.Query().Get("row") == "beat" {
				fmt.Fprintf(w, `{"row":"beat","lesson":"x","run":"lesson-x","n":1,"from":%d,"to":%d}`, from.UnixMicro(), from.UnixMicro()+1)
			}
		case "/api/v1/export":
			asked = r.URL.Query()
			for _, name := range []string{server.TrailerRequests, server.TrailerSpans, server.TrailerLogs} {
				w.Header().Set(http.TrailerPrefix+name, "0")
			}
		}
	}))
	defer web.Close()
	hub := &play.Remote{URL: web.URL, Client: web.Client()}
	watching, stop := context.WithCancel(t.Context())
	_ = hub.Watch(watching, "lesson-x", func(play.Change) { stop() })
	o := &lessonOptions{record: filepath.Join(t.TempDir(), "x.jsonl"), io: streams{out: io.Discard, err: io.Discard}}
	if err := o.recordRun(t.Context(), l, hub, began, ""); err != nil {
		t.Fatal(err)
	}
	since, err := strconv.ParseInt(asked.Get("since"), 10, 64)
	late := time.UnixMicro(since).Sub(from.Add(ahead))
	if err != nil || late > 0 || late < -time.Minute || asked.Has("until") {
		t.Errorf("it asked for %v, which begins %v after the first beat", asked, late)
	}
}

func TestRecordFlag(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--record", "lesson.yaml"}, `--record "lesson.yaml": it is no recording's name (end it in .jsonl.gz, or .jsonl)`},
		{[]string{"--record", "a.jsonl.gz", "--hub", "http://127.0.0.1:1", "--token", strings.Repeat("x", 20)}, "give its --ingest-token"},
	} {
		t.Setenv("TRACER_INGEST_TOKEN", "")
		cmd := newLesson(streams{in: bytes.NewReader(nil), out: io.Discard, err: io.Discard})
		cmd.SetArgs(append([]string{"run", "1"}, c.args...))
		cmd.SetOut(io.Discard)
		cmd.SetErr(io.Discard)
		if err := cmd.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %s", c.args, err, c.want)
		}
	}
}

func TestRecordedBeatsStayToBeRead(t *testing.T) {
	words := func(n int) string { return strings.Repeat("word ", n) }
	for _, c := range []struct {
		state engine.State
		want  time.Duration
	}{
		{engine.State{State: "ready", Words: words(40)}, 4 * time.Second},
		{engine.State{State: "ready", Words: words(3)}, restAtLeast},
		{engine.State{State: "question", Words: words(20), Question: &engine.Question{Text: words(5), Choices: []string{words(5)}}}, 3 * time.Second},
		{engine.State{State: "done", Words: words(300)}, restAtMost},
		{engine.State{State: "done", Words: words(300), Did: []string{"x"}, Then: words(30)}, restDrawn},
		{engine.State{State: "done", Words: words(300), Did: []string{"x"}, Then: words(60)}, 6 * time.Second},
	} {
		if got := restFor(&c.state); got != c.want {
			t.Errorf("%+v stays for %v, want %v", c.state, got, c.want)
		}
	}
}
