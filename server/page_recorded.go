package server

import (
	"errors"
	"net/http"

	"github.com/reconcile-tracer/tracer/templates"
)

// recordingAddress is the page of a recording.
func recordingAddress(name string) string { return "/?recording=" + name }

// recordedPage serves the page of a recording, or says why it cannot, and which
// there are instead.
func (h *Hub) recordedPage(w http.ResponseWriter, r *http.Request, who role, name string) {
	rec, s, err := h.recordings.find(r.Context(), name)
	if err != nil {
		h.say(w, r, h.noRecording(err))
		return
	}
	p := templates.Page{
		Version: h.cfg.Version,
		Role:    who.String(),
		Recorded: &templates.Recorded{
			Name: rec.Name, Title: rec.Title, From: s.from, To: s.to,
			Live: h.cfg.Replay == "",
		},
	}
	if who == presenter {
		p.Share = h.shareModel()
	}
	h.show(w, r, withRows(p, s.watch))
}

func (h *Hub) noRecording(err error) templates.Notice {
	n := templates.Notice{Status: recordingStatus(err), Title: "This recording cannot be shown", Text: err.Error()}
	if _, missing := errors.AsType[*errNoRecording](err); missing {
		n.Title = "There is no such recording"
	}
	for _, r := range h.recordings.list {
		n.Links = append(n.Links, templates.Link{Text: r.Title, Address: recordingAddress(r.Name)})
	}
	if h.cfg.Replay == "" {
		n.Links = append(n.Links, templates.Link{Text: "Back to live", Address: "/"})
	}
	return n
}
