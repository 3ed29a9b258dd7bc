package server

import (
	"net/http"
	"strconv"

	"github.com/reconcile-tracer/tracer/internal/qr"
	"github.com/reconcile-tracer/tracer/templates"
)

// shareModel is what the presenter's page says of sharing.
func (h *Hub) shareModel() templates.Share {
	s := templates.Share{Plain: h.shareTLS == nil}
	for i, link := range h.ViewerLinks() {
		s.Warns = link.Warns
		s.Links = append(s.Links, templates.ShareLink{
			URL: link.URL, Interface: link.Interface, Code: "/api/v1/share/qr.svg?link=" + strconv.Itoa(i),
		})
	}
	return s
}

// shareQR draws the code of a viewers' link, by its place in the list.
func (h *Hub) shareQR(w http.ResponseWriter, r *http.Request) {
	links := h.ViewerLinks()
	i, err := strconv.Atoi(r.URL.Query().Get("link"))
	if err != nil || i < 0 || i >= len(links) {
		fail(w, http.StatusNotFound, "there is no viewers' link of that number: this hub has %d, counted from 0; start it with --share to have some", len(links))
		return
	}
	code, err := qr.Of(links[i].URL)
	if err != nil {
		fail(w, http.StatusInternalServerError, "%v", err)
		return
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(code.SVG())
}
