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
	mu   sync.Mutex
	seen *session // nil until it is folded
	now  *folding // nil while it is not folded
}

// folding is one run through the file, for all who ask meanwhile.
type folding struct {
	askers int // under recorded's lock; nobody folds for none
	stop   context.CancelFunc
	done   chan struct{} // closed when the rest is there
	seen   *session
	err    error
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

func (rs *recordings) has(name string) bool {
	return slices.ContainsFunc(rs.list, func(r *recorded) bool { return r.Name == name })
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
	var names []string
	for _, r := range rs.list {
		if r.Name == name {
			s, err := r.ask(ctx, rs)
			return r, s, err
		}
		names = append(names, r.Name)
	}
	return nil, nil, &errNoRecording{name, names}
}

// ask folds the recording, the first time, and stops when everyone who asked has
// gone.
func (r *recorded) ask(ctx context.Context, rs *recordings) (*session, error) {
	f, err := r.begin(rs)
	if err != nil {
		return nil, err
	}
	select {
	case <-f.done:
	case <-ctx.Done():
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-f.done:
		return f.seen, f.err
	default:
	}
	if f.askers--; f.askers == 0 {
		f.stop()
		r.now = nil
	}
	return nil, context.Cause(ctx)
}

// begin returns the folding that is under way, or has been done.
func (r *recorded) begin(rs *recordings) (*folding, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seen != nil {
		done := make(chan struct{})
		close(done)
		return &folding{seen: r.seen, done: done}, nil
	}
	if r.now == nil {
		ctx, stop := context.WithCancel(rs.reading)
		f := &folding{stop: stop, done: make(chan struct{})}
		if err := rs.run(func() { defer stop(); r.end(f, rs, func() (*session, error) { return r.fold(ctx, rs) }) }); err != nil {
			stop()
			return nil, &RecordingError{r.Name, err}
		}
		r.now = f
	}
	r.now.askers++
	return r.now, nil
}

// end folds, and tells who waits for it.
func (r *recorded) end(f *folding, rs *recordings, fold func() (*session, error)) {
	s, err := fold()
	if err == nil {
		err = rs.run(func() {
			_ = s.watch.Run(rs.life) // it has no error
			s.watch.Wait()
		})
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		f.seen, r.seen = s, s
	} else {
		f.err = &RecordingError{r.Name, err}
	}
	if r.now == f {
		r.now = nil
	}
	close(f.done)
}

func (r *recorded) fold(ctx context.Context, rs *recordings) (*session, error) {
	file, err := r.Open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	began := time.Now()
	s, err := foldFile(ctx, file, rs.limits, rs.log)
	if err == nil {
		rs.log.Info("a recording is folded", "name", r.Name, "requests", s.sum.Requests, "spans", s.sum.Spans, "took", time.Since(began))
	}
	return s, err
}

// foldFile folds a file from its beginning to its end, or to that of ctx.
func foldFile(ctx context.Context, file io.Reader, limits flow.Limits, log *slog.Logger) (*session, error) {
	p := &player{ctx: ctx, fold: newFold(limits, log), watch: watch.New(watch.Config{Limit: watch.MaxLimit, Log: log})}
	p.fold.publish = p.watch.Publish
	sum, err := recording.Read(&readerUntil{ctx, file}, p.take)
	if err == nil && !sum.Marked {
		p.pass(p.last + settle)
	}
	if gone := context.Cause(ctx); gone != nil {
		err = gone
	}
	if err != nil {
		return nil, err
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

// readerUntil reads until ctx ends.
type readerUntil struct {
	ctx context.Context
	in  io.Reader
}

// Read implements io.Reader.
func (r *readerUntil) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.in.Read(p)
}

// player folds the blocks of a file, until ctx ends.
type player struct {
	ctx         context.Context
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
	if err := p.ctx.Err(); err != nil {
		return err
	}
	return p.fold.take(b)
}

// secondsOfSilence is for how long time passes by the second in a file's
// silence; it then goes on at once.
const secondsOfSilence = 3600

// pass lets time pass up to a moment, by the second, as it does in a live hub
// while something waits for it.
func (p *player) pass(to int64) {
	for range secondsOfSilence {
		if p.last+1_000_000 >= to || !p.fold.state.Pending() || p.ctx.Err() != nil {
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

// recordingWatch is watch, and recordingRows rows, of a recording.
func (h *Hub) recordingWatch(w http.ResponseWriter, r *http.Request) {
	if s := h.recording(w, r); s != nil {
		full, left := h.admit(r)
		defer left()
		s.watch.ServeGuest(w, r, watch.Guest{Full: full})
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
