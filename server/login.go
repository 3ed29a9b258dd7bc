package server

import (
	"net"
	"net/http"

	"github.com/reconcile-tracer/tracer/templates"
)

// sessionName is the name of a role's cookie.
func (h *Hub) sessionName(r *http.Request, who role) string {
	if who == viewer {
		return h.cookieName(r, "tracer-viewer-")
	}
	return h.cookieName(r, "tracer-")
}

// cookieName ends a cookie's name. It has the port in it, since cookies ignore
// ports and a machine may run several hubs.
func (h *Hub) cookieName(r *http.Request, name string) string {
	addr := h.Addr()
	if shared(r) {
		addr = h.ShareAddr()
	}
	_, port, _ := net.SplitHostPort(addr)
	if h.secure(r) {
		return "__Host-" + name + port
	}
	return name + port
}

// secure says whether the browser of a request speaks TLS: to the hub, or to
// the proxy in front of it. By a loopback name it has not come through that,
// nor has a viewer by the viewers' listener.
func (h *Hub) secure(r *http.Request) bool {
	return h.tlsOf(r) != nil || h.cfg.InsecureBehindProxy && !shared(r) && !IsLoopback(hostOf(r.Host))
}

// origin is where the browser of a request finds the listener that it came by.
func (h *Hub) origin(r *http.Request) string {
	switch {
	case !shared(r):
		return h.URL()
	case h.shareTLS != nil:
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// login exchanges the token in the link for a cookie, and leaves the token out
// of the address that the browser then shows.
func (h *Hub) login(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	who := h.roleOfToken(r, r.URL.Query().Get("token"))
	if who == nobody {
		h.say(w, r, templates.Notice{
			Status: http.StatusForbidden,
			Title:  "This link does not open this hub",
			Text: "Its token is not the one that this hub has now. Open the login link that the hub printed when it " +
				"started. It looks like this:",
			Command: h.origin(r) + "/login?token=…",
		})
		return
	}
	// The viewers' link ends no presenter's session: any of them could make the
	// presenter's browser open it.
	if who == presenter || shared(r) || !h.hasCookie(r, presenter) {
		h.openSession(w, r, who)
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// openSession gives a browser the cookie of a role, in place of another role's.
func (h *Hub) openSession(w http.ResponseWriter, r *http.Request, who role) {
	other := viewer + presenter - who
	if _, err := r.Cookie(h.sessionName(r, other)); err == nil {
		http.SetCookie(w, h.cookie(r, other, "", -1))
	}
	http.SetCookie(w, h.cookie(r, who, h.secretOf(who).cookie(), 0))
}

// logout ends the session of this browser.
func (h *Hub) logout(w http.ResponseWriter, r *http.Request) {
	if err := h.cross.Check(r); err != nil {
		fail(w, http.StatusForbidden, "a page of another site cannot log you out: %v", err)
		return
	}
	for _, who := range []role{presenter, viewer} {
		http.SetCookie(w, h.cookie(r, who, "", -1))
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (h *Hub) cookie(r *http.Request, who role, value string, maxAge int) *http.Cookie {
	return h.cookieOf(r, h.sessionName(r, who), value, maxAge)
}

func (h *Hub) cookieOf(r *http.Request, name, value string, maxAge int) *http.Cookie {
	return &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: maxAge,
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
