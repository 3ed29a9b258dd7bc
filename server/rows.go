package server

import (
	"bufio"
	"encoding/json"
	"net/http"
	"time"

	"github.com/reconcile-tracer/tracer/server/watch"
)

// PositionHeader says of which position in the stream an answer is.
const PositionHeader = "Tracer-Position"

// rowsTimeout bounds how long a reader may take for the next part of an answer.
const rowsTimeout = 30 * time.Second

// rows answers with the rows of what is live.
func (h *Hub) rows(w http.ResponseWriter, r *http.Request) {
	if !h.ready.Load() {
		w.Header().Set("Retry-After", "1")
		fail(w, http.StatusServiceUnavailable, "%v", watch.ErrNotReady)
		return
	}
	h.sendRows(w, r, h.watch)
}

// sendRows answers with rows as JSON, one a line, ordered by kind and time.
func (h *Hub) sendRows(w http.ResponseWriter, r *http.Request, of *watch.Hub) {
	q, err := watch.ParseQuery(r.URL.RawQuery)
	var f watch.Filter
	if err == nil {
		f, err = watch.ParseFilter(q, time.Now())
	}
	if err != nil {
		fail(w, http.StatusBadRequest, "%v", err)
		return
	}
	rows, epoch, offset := of.Rows(f)
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set(PositionHeader, watch.Position{Epoch: epoch, Offset: offset}.String())
	out := bufio.NewWriterSize(w, 64<<10)
	lines := json.NewEncoder(out)
	control := http.NewResponseController(w)
	for i, row := range rows {
		if i%100 == 0 {
			_ = control.SetWriteDeadline(time.Now().Add(rowsTimeout))
		}
		if err := lines.Encode(row); err != nil {
			h.cfg.Log.Debug("rows were not sent whole", "error", err)
			return
		}
	}
	_ = out.Flush()
}
