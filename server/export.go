package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/server/journal"
	"github.com/reconcile-tracer/tracer/server/recording"
	"github.com/reconcile-tracer/tracer/server/watch"
)

// The trailers of an export say what was sent. An answer without them has
// broken off.
const (
	TrailerRequests = "Tracer-Requests"
	TrailerSpans    = "Tracer-Spans"
	TrailerLogs     = "Tracer-Logs"
)

// exportTypes are the media types of a recording, plain and gzipped.
var exportTypes = map[bool]string{false: "application/x-ndjson", true: "application/gzip"}

// export answers with what the journal holds, or a part of it, as a recording.
func (h *Hub) export(w http.ResponseWriter, r *http.Request) {
	window, zipped, err := parseExport(r.URL.RawQuery, time.Now())
	if err != nil {
		fail(w, http.StatusBadRequest, "%v", err)
		return
	}
	if !h.ready.Load() {
		w.Header().Set("Retry-After", "1")
		fail(w, http.StatusServiceUnavailable, "%v", watch.ErrNotReady)
		return
	}
	rows, _, _ := h.watch.Rows(watch.Filter{Kinds: []flow.RowKind{flow.RowController, flow.RowReconcile}})
	cut, err := recording.Plan(rows, window)
	if err != nil {
		fail(w, http.StatusBadRequest, "%v", err)
		return
	}
	name := "tracer-" + time.Now().UTC().Format("20060102-150405") + ".jsonl"
	if zipped {
		name += ".gz"
	}
	head := w.Header()
	head.Set("Content-Type", exportTypes[zipped])
	head.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	head.Set("Cache-Control", "no-store")
	head.Set("Trailer", strings.Join([]string{TrailerRequests, TrailerSpans, TrailerLogs}, ", "))
	h.sendExport(w, r, cut, zipped)
}

func (h *Hub) sendExport(w http.ResponseWriter, r *http.Request, cut recording.Cut, zipped bool) {
	control := http.NewResponseController(w)
	extend := func(recording.Counts) { _ = control.SetWriteDeadline(time.Now().Add(rowsTimeout)) }
	counts, err := copyJournal(r.Context(), h.journal, cut, recording.NewWriter(w, zipped, cut), extend)
	if err != nil {
		h.cfg.Log.Warn("an export was not sent whole", "error", err)
		panic(http.ErrAbortHandler) // so that the reader sees that it is not
	}
	head := w.Header()
	head.Set(TrailerRequests, strconv.FormatInt(counts.Requests, 10))
	head.Set(TrailerSpans, strconv.FormatInt(counts.Spans, 10))
	head.Set(TrailerLogs, strconv.FormatInt(counts.Logs, 10))
}

// parseExport reads since, until, controller and gzip.
func parseExport(raw string, now time.Time) (w recording.Window, zipped bool, err error) {
	q, err := watch.ParseQuery(raw)
	if err != nil {
		return w, false, err
	}
	for name := range q {
		if !slices.Contains([]string{"since", "until", "controller", "gzip"}, name) {
			return w, false, fmt.Errorf("parameter %q is not known: use since, until, controller, gzip", flow.Brief(name))
		}
	}
	if zipped, err = parseFlag(q, "gzip"); err != nil {
		return w, false, err
	}
	until, err := watch.ParseTime(q, "until", now)
	if err != nil {
		return w, false, err
	}
	q.Del("until")
	q.Del("gzip")
	f, err := watch.ParseFilter(q, now)
	return recording.Window{Since: f.Since, Until: until, Controllers: f.Controllers}, zipped, err
}

func parseFlag(q url.Values, name string) (bool, error) {
	if !q.Has(name) {
		return false, nil
	}
	on, err := strconv.ParseBool(q.Get(name))
	if err != nil {
		return false, fmt.Errorf("%s=%s is neither true nor false: use one, or leave it out", name, flow.Brief(q.Get(name)))
	}
	return on, nil
}

// errCutOver ends a replay behind the cut.
var errCutOver = errors.New("behind the cut")

// copyJournal writes the blocks of a journal that are within a cut, and tells
// after each how far it is.
func copyJournal(ctx context.Context, j *journal.Journal, cut recording.Cut, w *recording.Writer, tell func(recording.Counts)) (recording.Counts, error) {
	err := j.Replay(ctx, 0, func(b journal.Block) error {
		if cut.Over(b) {
			return errCutOver
		}
		err := w.Write(b)
		tell(w.Counts())
		return err
	})
	if err == nil || errors.Is(err, errCutOver) {
		err = w.Close()
	}
	return w.Counts(), err
}

// ExportFolder writes what the journal in a hub's data folder holds, or a part
// of it, as a recording, while no hub runs there. Tell hears after each block
// how far it is. The error wraps fs.ErrNotExist when there is no journal, and
// journal.ErrLocked when a hub has it.
func ExportFolder(ctx context.Context, dir string, window recording.Window, zipped bool, to io.Writer, tell func(recording.Counts)) (recording.Counts, error) {
	if _, err := os.Stat(filepath.Join(dir, "journal")); err != nil {
		return recording.Counts{}, err
	}
	log := slog.New(slog.DiscardHandler)
	j, err := journal.Open(ctx, journal.Config{Dir: dir, OnBlock: func(journal.Block) {}, Log: log})
	if err != nil {
		return recording.Counts{}, err
	}
	defer func() { _ = j.Close(context.WithoutCancel(ctx)) }()
	f := newFold(flow.Limits{}, log)
	f.publish = func(uint64, []flow.Output) {}
	if err := j.Replay(ctx, 0, f.take); err != nil {
		return recording.Counts{}, err
	}
	cut, err := recording.Plan(f.state.Rows(), window)
	if err != nil {
		return recording.Counts{}, err
	}
	return copyJournal(ctx, j, cut, recording.NewWriter(to, zipped, cut), tell)
}

// IsInUse says of ExportFolder's error that a hub runs in the folder.
func IsInUse(err error) bool { return errors.Is(err, journal.ErrLocked) }

// Runs says whether a hub runs in a data folder, and since when it has it.
func Runs(dir string) (since time.Time, runs bool) { return journal.InUse(dir) }

// IsMissing says of ExportFolder's error that the folder has no journal: no hub
// has ever run there.
func IsMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
