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
	"github.com/reconcile-tracer/tracer/server/journal"
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
	log    *slog.Logger
	// life ends when the viewers are let go.
	life context.Context
	end  context.CancelFunc
	runs sync.WaitGroup
}

// recorded is one of them.
type recorded struct {
	Recording
	mu   sync.Mutex // held while it is folded, so that this is done once
	seen *session   // nil until then
}

// session is a recording that has been folded.
type session struct {
	watch *watch.Hub
	from  time.Time
	to    time.Time
	sum   recording.Summary
}

func newRecordings(ctx context.Context, cfg Config) *recordings {
	rs := &recordings{limits: cfg.Limits, log: cfg.Log}
	rs.life, rs.end = context.WithCancel(context.WithoutCancel(ctx))
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

func (rs *recordings) has(name string) bool {
	return slices.ContainsFunc(rs.list, func(r *recorded) bool { return r.Name == name })
}

// close lets the viewers go and returns when they are.
func (rs *recordings) close() {
	rs.end()
	rs.runs.Wait()
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

// find returns the recording of that name, folded.
func (rs *recordings) find(name string) (*recorded, *session, error) {
	var names []string
	for _, r := range rs.list {
		if r.Name == name {
			s, err := r.fold(rs)
			return r, s, err
		}
		names = append(names, r.Name)
	}
	return nil, nil, &errNoRecording{name, names}
}

// fold folds the recording, the first time.
func (r *recorded) fold(rs *recordings) (*session, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seen != nil {
		return r.seen, nil
	}
	file, err := r.Open()
	if err != nil {
		return nil, &RecordingError{r.Name, err}
	}
	defer file.Close()
	began := time.Now()
	s, err := foldFile(file, rs.limits, rs.log)
	if err != nil {
		return nil, &RecordingError{r.Name, err}
	}
	rs.log.Info("a recording is folded", "name", r.Name, "requests", s.sum.Requests, "spans", s.sum.Spans, "took", time.Since(began))
	rs.runs.Go(func() {
		_ = s.watch.Run(rs.life) // it has no error
		s.watch.Wait()
	})
	r.seen = s
	return s, nil
}

// foldFile folds a file from its beginning to its end.
func foldFile(file io.Reader, limits flow.Limits, log *slog.Logger) (*session, error) {
	p := &player{fold: newFold(limits, log), watch: watch.New(watch.Config{Limit: watch.MaxLimit, Log: log})}
	p.fold.publish = p.watch.Publish
	sum, err := recording.Read(file, p.take)
	if err != nil {
		return nil, err
	}
	if !sum.Marked {
		p.pass(p.last + settle)
	}
	if len(p.fold.state.Rows()) == 0 {
		return nil, &recording.FormatError{
			What:   fmt.Sprintf("it holds %d spans and %d log records, and none that the span contract knows", sum.Spans, sum.Logs),
			Remedy: "record a controller that is instrumented; tracer check-spans says what is missing",
		}
	}
	p.watch.Stamp(p.fold.state.Now())
	p.watch.Ready("r" + sum.Digest)
	return &session{watch: p.watch, from: time.UnixMicro(p.first), to: time.UnixMicro(p.fold.state.Now()), sum: sum}, nil
}

// settle is how long after the end of a file that does not tell how time
// passed what was missing in it is known to be, in microseconds.
const settle = 3_000_000

// player folds the blocks of a file.
type player struct {
	fold        *fold
	watch       *watch.Hub
	first, last int64
}

func (p *player) take(b journal.Block) error {
	if p.first == 0 {
		p.first, p.last = b.At, b.At
	}
	if b.Seq == 0 { // of no journal: nobody has noted how time passed
		p.pass(b.At)
	}
	p.last = b.At
	return p.fold.take(b)
}

// secondsOfSilence is for how long time passes by the second in a file's
// silence; it then goes on at once.
const secondsOfSilence = 3600

// pass lets time pass up to a moment, by the second, as it does in a live hub
// while something waits for it.
func (p *player) pass(to int64) {
	for range secondsOfSilence {
		if p.last+1_000_000 >= to || !p.fold.state.Pending() {
			break
		}
		p.last += 1_000_000
		p.step(p.last)
	}
	p.step(to)
}

func (p *player) step(now int64) {
	p.watch.Publish(p.fold.offset, p.fold.state.Step(flow.Input{Offset: p.fold.offset, Now: now}))
}

// recordingStatus is the status of an error of find.
func recordingStatus(err error) int {
	if _, missing := errors.AsType[*errNoRecording](err); missing {
		return http.StatusNotFound
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

// recordingWatch is watch, and recordingRows rows, of a recording.
func (h *Hub) recordingWatch(w http.ResponseWriter, r *http.Request) {
	if s := h.recording(w, r); s != nil {
		s.watch.ServeHTTP(w, r)
	}
}

func (h *Hub) recordingRows(w http.ResponseWriter, r *http.Request) {
	if s := h.recording(w, r); s != nil {
		h.sendRows(w, r, s.watch)
	}
}

// recording finds the recording that a request names, or answers why not.
func (h *Hub) recording(w http.ResponseWriter, r *http.Request) *session {
	_, s, err := h.recordings.find(chi.URLParam(r, "name"))
	if err != nil {
		fail(w, recordingStatus(err), "%v", err)
	}
	return s
}
