package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	lessoncluster "github.com/reconcile-tracer/tracer/lessons/cluster"
	"github.com/reconcile-tracer/tracer/lessons/engine"
	"github.com/reconcile-tracer/tracer/lessons/format"
	"github.com/reconcile-tracer/tracer/lessons/play"
	"github.com/reconcile-tracer/tracer/server"
	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/server/recording"
)

// anyController is a hub that hears every controller.
type anyController struct{ *play.Remote }

// Check implements play.Hub.
func (anyController) Check(context.Context, string, bool) error { return nil }

// Free implements play.Hub.
func (anyController) Free(context.Context, string, string) error { return nil }

// namespaces is an API server that has nothing but namespaces, all of one UID,
// and makes and deletes them.
func namespaces(t *testing.T) *rest.Config {
	t.Helper()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"lesson-short","uid":"1"}}`)
	}))
	t.Cleanup(web.Close)
	return &rest.Config{Host: web.URL}
}

// servePlaying serves a hub in a folder while in runs, and stops it in order.
// The hub plays a lesson of one beat.
func servePlaying(t *testing.T, data string, in func(o *serveOptions, told <-chan *engine.State)) {
	t.Helper()
	said, out := io.Pipe()
	o := &serveOptions{io: streams{out: out, err: io.Discard}, log: logOptions{level: "error", format: "text"}}
	o.hub.Listen, o.hub.Data = "127.0.0.1:0", data
	acts, err := lessoncluster.New(namespaces(t))
	if err != nil {
		t.Fatal(err)
	}
	l, err := format.Parse("short.yaml", []byte("id: short\ntitle: x\nabout: x\nminutes: 1\nbeats:\n  - title: x\n    words: We look.\n"))
	if err != nil {
		t.Fatal(err)
	}
	acts.Keep(filepath.Join(data, "lessons"), nil)
	o.lessonCluster = acts
	told := make(chan *engine.State, 100)
	o.player = play.New(play.Config{Hub: anyController{&o.lessonHub}, Cluster: acts, Lessons: []*format.Lesson{l},
		OnChange: func(s *engine.State) { told <- s }})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		ended <- o.run(ctx)
		_ = out.Close()
	}()
	if line, err := bufio.NewReader(said).ReadString('\n'); err != nil || !strings.HasPrefix(line, "ready: ") {
		t.Fatalf("the hub said %q, %v", line, err)
	}
	in(o, told)
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("the hub ended with %v", err)
	}
}

func beatsOfFolder(t *testing.T, data string) []*flow.Beat {
	t.Helper()
	var session bytes.Buffer
	if _, err := server.ExportFolder(t.Context(), data, recording.Window{}, false, &session, func(recording.Counts) {}); err != nil {
		t.Fatal(err)
	}
	return rowsIn[*flow.Beat](t, session.String())
}

// A hub that stops in the middle of a lesson has its last beat's end in the
// history; one that was killed has it when it is back.
func TestBeatsEndWithTheHub(t *testing.T) {
	data := t.TempDir()
	killed := &flow.Beat{
		Row: flow.RowBeat, Lesson: "killed", Run: "lesson-killed", N: 2, Of: 3, Title: "x", Heading: "x", Words: "x",
		Controller: "podset", Item: "lesson-killed/web", From: time.Now().Add(-time.Minute).UnixMicro(),
	}
	servePlaying(t, data, func(o *serveOptions, told <-chan *engine.State) {
		if err := o.lessonHub.Record(t.Context(), killed); err != nil {
			t.Fatal(err)
		}
		if err := o.player.Start("short"); err != nil {
			t.Fatal(err)
		}
		for s := range told {
			if s == nil || s.State == "failed" {
				t.Fatalf("the lesson is %+v", s)
			}
			if s.State == "done" {
				break
			}
		}
	})
	beats := beatsOfFolder(t, data)
	if len(beats) != 2 || beats[0].Lesson != "killed" || beats[0].To != 0 || beats[1].To == 0 {
		t.Fatalf("after the first hub the beats are %+v", beats)
	}
	// The ledger says that the killed lesson was the hub's own, so the room is told.
	left := []byte(`{"namespace":"lesson-killed","uid":"7","process":-1}`)
	if err := os.WriteFile(filepath.Join(data, "lessons", "7.json"), left, 0o600); err != nil {
		t.Fatal(err)
	}
	servePlaying(t, data, func(o *serveOptions, told <-chan *engine.State) {
		if s := <-told; s == nil || s.ID != "killed" || s.State != "failed" || !strings.Contains(s.Error, "ended when the hub stopped, in beat 2 of 3") {
			t.Errorf("the room is told %+v", s)
		}
		if err := o.player.Do(t.Context(), "next"); err == nil {
			t.Error("what has ended goes on")
		}
		if err := o.player.Do(t.Context(), "stop"); err != nil {
			t.Error(err)
		}
		if s := <-told; s != nil || o.player.Current() != nil {
			t.Errorf("after it was closed there is %+v", s)
		}
	})
	servePlaying(t, data, func(o *serveOptions, _ <-chan *engine.State) {
		if s := o.player.Current(); s != nil {
			t.Errorf("the next hub tells of it again: %+v", s)
		}
	})
	for _, b := range beatsOfFolder(t, data) {
		if b.To < b.From || b.Words == "" || b.Run == "" {
			t.Errorf("after the second hub there is %+v", b)
		}
	}
}

// A lesson that somebody else plays against the hub goes on when the hub starts
// again; a beat that nobody has ended for long ends then.
func TestBeatsOfOthersOutliveTheHub(t *testing.T) {
	data := t.TempDir()
	beat := func(run string, ago time.Duration) *flow.Beat {
		return &flow.Beat{Row: flow.RowBeat, Lesson: run, Run: run, N: 1, Of: 3, Title: "x", Heading: "x", Words: "x",
			Controller: "podset", Item: run + "/web", From: time.Now().Add(-ago).UnixMicro()}
	}
	servePlaying(t, data, func(o *serveOptions, _ <-chan *engine.State) {
		for _, b := range []*flow.Beat{beat("lesson-played", time.Minute), beat("lesson-abandoned", 2*time.Hour)} {
			if err := o.lessonHub.Record(t.Context(), b); err != nil {
				t.Fatal(err)
			}
		}
	})
	servePlaying(t, data, func(o *serveOptions, _ <-chan *engine.State) {
		if s := o.player.Current(); s != nil {
			t.Errorf("the room is told of a lesson that the hub has not played: %+v", s)
		}
		played := beat("lesson-played", time.Minute)
		for _, b := range beatsOfHub(t, o) {
			if (b.To == 0) != (b.Run == "lesson-played") {
				t.Errorf("after the start there is %+v", b)
			}
			if b.Run == "lesson-played" {
				played = &b
			}
		}
		played.To = time.Now().UnixMicro()
		if err := o.lessonHub.Record(t.Context(), played); err != nil {
			t.Fatal(err)
		}
	})
	for _, b := range beatsOfFolder(t, data) {
		if b.To <= b.From {
			t.Errorf("in the end there is %+v", b)
		}
	}
}

// beatsOfHub waits until one of two beats has ended, and returns both.
func beatsOfHub(t *testing.T, o *serveOptions) (beats []flow.Beat) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	err := poll(ctx, 10*time.Millisecond, func(ctx context.Context) bool {
		var err error
		beats, err = play.Rows[flow.Beat](ctx, &o.lessonHub, "row=beat")
		return err == nil && len(beats) == 2 && beats[0].To+beats[1].To != 0
	})
	if err != nil {
		t.Fatalf("the hub has the beats %+v, %v", beats, err)
	}
	return beats
}

// A cluster that does not answer keeps nobody waiting for the hub.
func TestReadyIsSaidBeforeTheClusterIsAsked(t *testing.T) {
	said, out := io.Pipe()
	o := &serveOptions{io: streams{out: out, err: io.Discard}, log: logOptions{level: "error", format: "text"}}
	o.hub.Listen, o.hub.OTLPGRPC, o.hub.Data = "127.0.0.1:0", "off", t.TempDir()
	read := make(chan struct{})
	o.reach = func(within time.Duration) error {
		select {
		case <-read:
		case <-time.After(within):
			t.Error("the cluster is asked before the hub says that it is ready")
		}
		return nil
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- o.run(ctx) }()
	if line, err := bufio.NewReader(said).ReadString('\n'); err != nil || !strings.HasPrefix(line, "ready: ") {
		t.Fatalf("the hub said %q, %v", line, err)
	}
	close(read)
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("the hub ended with %v", err)
	}
}
