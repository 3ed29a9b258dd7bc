package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/reconcile-tracer/tracer/internal/standin"
	"github.com/reconcile-tracer/tracer/internal/zip"
	"github.com/reconcile-tracer/tracer/lessons/engine"
	"github.com/reconcile-tracer/tracer/lessons/format"
	"github.com/reconcile-tracer/tracer/lessons/play"
	"github.com/reconcile-tracer/tracer/server/flow"
)

const (
	// quietWithin is how long, after a lesson, the hub may take to hear the last
	// of it, and its items may wait in a back-off; quietEvery is how often it is
	// asked.
	quietWithin = 90 * time.Second
	quietEvery  = 200 * time.Millisecond
)

// A recorded lesson is read while it plays: each beat stays for as long as its
// words take to glance over, and no longer, since a reader may stop the time.
const (
	restAtLeast = 2 * time.Second
	restAtMost  = 8 * time.Second
	restAWord   = 100 * time.Millisecond
	// restDrawn is how long the page takes to draw what came of a beat.
	restDrawn = 4500 * time.Millisecond
)

// restFor is how long a recorded beat stays as it is.
func restFor(s *engine.State) time.Duration {
	said := s.Words
	q := s.Question
	atLeast := restAtLeast
	switch {
	case s.State != "done" && q != nil:
		said += " " + q.Text + " " + strings.Join(q.Choices, " ")
	case s.State == "done" && len(s.Did) > 0:
		said = s.Then // the words have been read
		atLeast = restDrawn
		if q != nil {
			said += " " + q.Because
		}
	}
	return min(restAtMost, max(atLeast, time.Duration(len(strings.Fields(said)))*restAWord))
}

// checkRecord checks --record.
func (o *lessonOptions) checkRecord() error {
	switch {
	case o.record == "":
		return nil
	case !strings.HasSuffix(o.record, ".jsonl") && !strings.HasSuffix(o.record, ".jsonl.gz"):
		return usagef("--record %q: it is no recording's name (end it in .jsonl.gz, or .jsonl)", o.record)
	case o.hub != "" && o.ingest == "":
		return usagef("--record %q: the beats have to be in that hub's history (give its --ingest-token, better TRACER_INGEST_TOKEN, too)", o.record)
	}
	return nil
}

// recordRun writes what the hub holds of the run of a lesson that began at a
// time, from its first beat until what it made is gone.
func (o *lessonOptions) recordRun(ctx context.Context, l *format.Lesson, hub *play.Remote, began time.Time, folder string) error {
	first, err := o.awaitQuiet(ctx, l, hub, began)
	if err != nil {
		return fmt.Errorf("recording %s: %w", l.ID, err)
	}
	// The history is cut by the hub's clock, and the beats have this process's.
	since := time.UnixMicro(first).Add(hub.Lead()).UTC().Format(time.RFC3339Nano)
	e := &exportOptions{out: o.record, hub: hub.URL, token: hub.Token, since: since, io: o.io}
	var plain bytes.Buffer
	if _, err := e.fromHub(ctx, source{url: hub.URL}, &countingWriter{to: &plain}, newProgress(o.io.err)); err != nil {
		return fmt.Errorf("recording %s: %w", l.ID, err)
	}
	out, err := e.create()
	if err != nil {
		return err
	}
	sized := &countingWriter{to: out}
	err = writeSession(sized, standin.For(folder, plain.Bytes()), strings.HasSuffix(o.record, ".gz"))
	if err = errors.Join(err, out.end(err == nil)); err != nil {
		return fmt.Errorf("recording %s: %w", l.ID, err)
	}
	fmt.Fprintf(o.io.out, "wrote %s to %s; next: tracer replay %s\n", bytesSaid(sized.n), o.record, o.record)
	return nil
}

// writeSession writes a session, gzipped or as it is.
func writeSession(to io.Writer, session []byte, zipped bool) (err error) {
	if zipped {
		if session, err = zip.Bytes(session); err != nil {
			return err
		}
	}
	_, err = to.Write(session)
	return err
}

// awaitQuiet waits until the hub has every beat of the run, over, and nothing
// of the run goes on any more; it returns when the first beat began.
func (o *lessonOptions) awaitQuiet(ctx context.Context, l *format.Lesson, hub *play.Remote, began time.Time) (first int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, quietWithin)
	defer cancel()
	var what error
	if err := poll(ctx, quietEvery, func(ctx context.Context) bool {
		at, missing := quiet(ctx, l, hub, began.UnixMicro())
		if ctx.Err() == nil {
			first, what = at, missing
		}
		return missing == nil
	}); err != nil {
		return 0, fmt.Errorf("%w after %v", what, quietWithin)
	}
	return first, nil
}

func quiet(ctx context.Context, l *format.Lesson, hub *play.Remote, began int64) (int64, error) {
	beats, err := play.Rows[flow.Beat](ctx, hub, "row=beat")
	if err != nil {
		return 0, err
	}
	over := map[int]bool{}
	var first int64
	run := ""
	for _, b := range beats {
		if b.Lesson != l.ID || b.From < began || b.To == 0 {
			continue
		}
		if first == 0 || b.From < first {
			first = b.From
		}
		over[b.N], run = true, b.Run
	}
	if len(over) < len(l.Beats) {
		return 0, fmt.Errorf("the hub has %d of the %d beats in its history", len(over), len(l.Beats))
	}
	items, err := play.Rows[flow.Item](ctx, hub, "row=item&item="+run+"/*")
	if err != nil {
		return 0, err
	}
	for _, i := range items {
		if i.Ready || i.Delayed || i.Active || i.Dirty || i.Current != "" {
			return 0, fmt.Errorf("the controller is still busy with %s", i.Item)
		}
	}
	return first, nil
}
