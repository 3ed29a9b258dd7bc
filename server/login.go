package server

import (
	"net"
	"net/http"

	"github.com/reconcile-tracer/tracer/templates"
)

// cookieName has the port in it, since cookies ignore ports and a machine may
// run several hubs.
func (h *Hub) cookieName(r *http.Request) string {
	_, port, _ := net.SplitHostPort(h.Addr())
	if h.secure(r) {
		return "__Host-tracer-" + port
	}
	return "tracer-" + port
}

// secure says whether the browser of a request speaks TLS: to the hub, or to
// the proxy in front of it. By a loopback name it has not come through that.
func (h *Hub) secure(r *http.Request) bool {
	return h.tls != nil || h.cfg.InsecureBehindProxy && !isLoopback(hostOf(r.Host))
}

// login exchanges the token in the link for a cookie, and leaves the token out
// of the address that the browser then shows.
func (h *Hub) login(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if !h.token.is(r.URL.Query().Get("token")) {
		h.say(w, r, templates.Notice{
			Status: http.StatusForbidden,
			Title:  "This link does not open this hub",
			Text: "Its token is not the one that this hub has now. Open the login link that the hub printed when it " +
				"started. It looks like this:",
			Command: h.URL() + "/login?token=…",
		})
		return
	}
	http.SetCookie(w, h.cookie(r, h.token.cookie(), 0))
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// logout ends the session of this browser.
func (h *Hub) logout(w http.ResponseWriter, r *http.Request) {
	if err := h.cross.Check(r); err != nil {
		fail(w, http.StatusForbidden, "a page of another site cannot log you out: %v", err)
		return
	}
	http.SetCookie(w, h.cookie(r, "", -1))
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (h *Hub) cookie(r *http.Request, value string, maxAge int) *http.Cookie {
	return &http.Cookie{
		Name: h.cookieName(r), Value: value, Path: "/", MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: h.secure(r),
	}
}

func (h *Hub) say(w http.ResponseWriter, r *http.Request, n templates.Notice) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(n.Status)
	if err := templates.Say(n).Render(r.Context(), w); err != nil {
		h.cfg.Log.Debug("a page was not sent whole", "error", err)
	}
}
