package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/server/recording"
	"github.com/reconcile-tracer/tracer/server/watch"
)

// Recording is a recorded session that a hub shows beside what is live.
type Recording struct {
	// Name is what it is called in addresses: a-z, 0-9 and -, up to 64 of them.
	Name string
	// Title is what the page calls it; "" is Name.
	Title string
	// Open opens the file, plain or gzipped. It is called when somebody wants to
	// see the recording, once unless that fails.
	Open func() (io.ReadCloser, error)
}

// recordings are the recorded sessions of a hub. Each is folded when it is
// asked for, by itself, and kept: a file does not change.
type recordings struct {
	list   []*recorded
	limits flow.Limits
	room   *watch.Room
	log    *slog.Logger
	// life ends when the viewers are let go, reading when nothing more is folded.
	life    context.Context
	end     context.CancelFunc
	reading context.Context
	refuse  context.CancelFunc

	mu   sync.Mutex // so that no run begins once reading has ended
	runs sync.WaitGroup
}

// recorded is one of them.
type recorded struct {
	Recording
	mu  sync.Mutex
	now *folding // under way or well done, else nil
}

// session is a recording that has been folded.
type session struct {
	watch *watch.Hub
	from  time.Time
	to    time.Time
	sum   recording.Summary
}

func newRecordings(ctx context.Context, cfg Config, room *watch.Room) *recordings {
	rs := &recordings{limits: cfg.Limits, room: room, log: cfg.Log}
	rs.life, rs.end = context.WithCancel(context.WithoutCancel(ctx))
	rs.reading, rs.refuse = context.WithCancel(rs.life)
	for _, r := range builtIn(cfg) {
		if r.Title == "" {
			r.Title = r.Name
		}
		rs.list = append(rs.list, &recorded{Recording: r})
	}
	return rs
}

// builtIn adds the sample session to a hub's recordings, unless there is one
// of its name, or the hub is there for another alone.
func builtIn(cfg Config) []Recording {
	if cfg.Replay != "" || slices.ContainsFunc(cfg.Recordings, func(r Recording) bool { return r.Name == recording.SampleName }) {
		return cfg.Recordings
	}
	return append([]Recording{{Name: recording.SampleName, Open: recording.OpenSample}}, cfg.Recordings...)
}

// named returns the recording of that name, or an error that says which there are.
func (rs *recordings) named(name string) (*recorded, error) {
	var names []string
	for _, r := range rs.list {
		if r.Name == name {
			return r, nil
		}
		names = append(names, r.Name)
	}
	return nil, &errNoRecording{name, names}
}

// close lets the viewers go and returns when they are.
func (rs *recordings) close() {
	rs.mu.Lock()
	rs.end()
	rs.mu.Unlock()
	rs.runs.Wait()
}

// run runs something that close waits for, unless nothing is to begin any more.
func (rs *recordings) run(what func()) error {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.reading.Err() == nil {
		rs.runs.Go(what)
	}
	return rs.reading.Err()
}

// recordingName is what a name may be.
var recordingName = regexp.MustCompile(`^[a-z0-9-]{1,64}$`)

func checkRecordings(list []Recording) error {
	seen := map[string]bool{}
	for _, r := range list {
		switch {
		case !recordingName.MatchString(r.Name):
			return fmt.Errorf("the recording's name %q is not one: use a-z, 0-9 and -, at most 64 of them", flow.Brief(r.Name))
		case seen[r.Name]:
			return fmt.Errorf("there are two recordings named %q: name one of them otherwise", r.Name)
		case r.Open == nil:
			return fmt.Errorf("the recording %q has nothing to open", r.Name)
		}
		seen[r.Name] = true
	}
	return nil
}

// RecordingError says that a recording cannot be shown. Err is of its Open, or
// a *recording.FormatError.
type RecordingError struct {
	Name string
	Err  error
}

// Error names the recording, and what is wrong with it.
func (e *RecordingError) Error() string {
	return fmt.Sprintf("the recording %s cannot be shown: %v", e.Name, e.Err)
}

// Unwrap gives what is wrong with it.
func (e *RecordingError) Unwrap() error { return e.Err }

// errNoRecording says that there is none of that name, and which there are.
type errNoRecording struct {
	name  string
	names []string
}

func (e *errNoRecording) Error() string {
	if len(e.names) == 0 {
		return fmt.Sprintf("there is no recording %q, nor any other: open a file with tracer replay", flow.Brief(e.name))
	}
	return fmt.Sprintf("there is no recording %q: use one of: %s", flow.Brief(e.name), strings.Join(e.names, ", "))
}

// find returns the recording of that name, folded. It does not wait longer than
// ctx.
func (rs *recordings) find(ctx context.Context, name string) (*recorded, *session, error) {
	r, err := rs.named(name)
	if err != nil {
		return nil, nil, err
	}
	s, err := r.ask(ctx, rs)
	return r, s, err
}

// recordingStatus is the status of an error of find.
func recordingStatus(err error) int {
	if _, missing := errors.AsType[*errNoRecording](err); missing {
		return http.StatusNotFound
	}
	if errors.Is(err, context.Canceled) {
		return http.StatusServiceUnavailable
	}
	return http.StatusUnprocessableEntity
}

// listed is a recording as the list has it.
type listed struct {
	Name  string `json:"name"`
	Title string `json:"title"`
}

func (h *Hub) listRecordings(w http.ResponseWriter, _ *http.Request) {
	all := []listed{}
	for _, r := range h.recordings.list {
		all = append(all, listed{r.Name, r.Title})
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(map[string][]listed{"recordings": all})
}

// recordingWatch is watch, and recordingRows rows, of a recording. Who watches one
// is in the room too.
func (h *Hub) recordingWatch(w http.ResponseWriter, r *http.Request) {
	if s := h.recording(w, r); s != nil {
		h.watchIn(s.watch, w, r)
	}
}

func (h *Hub) recordingRows(w http.ResponseWriter, r *http.Request) {
	if s := h.recording(w, r); s != nil {
		h.sendRows(w, r, s.watch)
	}
}

// recording finds the recording that a request names, or answers why not.
func (h *Hub) recording(w http.ResponseWriter, r *http.Request) *session {
	_, s, err := h.recordings.find(r.Context(), chi.URLParam(r, "name"))
	if err != nil {
		fail(w, recordingStatus(err), "%v", err)
	}
	return s
}
