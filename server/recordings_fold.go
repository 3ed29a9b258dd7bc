package server

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/server/journal"
	"github.com/reconcile-tracer/tracer/server/recording"
	"github.com/reconcile-tracer/tracer/server/watch"
)

// folding is one run through the file, for all who ask meanwhile or, where it
// went well, later.
type folding struct {
	askers int // under recorded's lock; nobody folds for none
	stop   context.CancelFunc
	done   chan struct{} // closed when the rest is there
	seen   *session
	err    error
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
		if r.now == f {
			r.now = nil
		}
	}
	return nil, context.Cause(ctx)
}

// begin returns the folding that is under way, or has been done.
func (r *recorded) begin(rs *recordings) (*folding, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
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
		f.seen, r.now = s, f
	} else {
		f.err = &RecordingError{r.Name, err}
		if r.now == f {
			r.now = nil
		}
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
	s, err := foldFile(ctx, file, rs)
	if err == nil {
		rs.log.Info("a recording is folded", "name", r.Name, "requests", s.sum.Requests, "spans", s.sum.Spans, "took", time.Since(began))
	}
	return s, err
}

// foldFile folds a file from its beginning to its end, or to that of ctx.
func foldFile(ctx context.Context, file io.Reader, rs *recordings) (*session, error) {
	shown := watch.New(watch.Config{Limit: watch.MaxLimit, Room: rs.room, Log: rs.log})
	p := &player{ctx: ctx, fold: newFold(rs.limits, rs.log), watch: shown}
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
