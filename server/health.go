package server

import (
	"fmt"
	"net/http"
)

// healthz says that the process answers.
func (h *Hub) healthz(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	fmt.Fprintln(w, "ok")
}

// readyz says whether the hub takes spans and shows rows, and if not, why.
func (h *Hub) readyz(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	switch err := h.journal.Check(); {
	case err != nil:
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprintf(w, "not ready: the journal cannot be written: %v: check the disk of --data\n", err)
	case !h.ready.Load():
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprintf(w, "not ready: reading the journal, block %d of %d\n", h.fold.blocks.Load(), h.journal.Last())
	default:
		fmt.Fprintln(w, "ready: the journal is embedded, each block is synced to disk before it is acknowledged")
	}
}
