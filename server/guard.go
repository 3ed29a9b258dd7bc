package server

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/reconcile-tracer/tracer/server/flow"
)

// fail answers with an error in JSON, as all of the API does.
func fail(w http.ResponseWriter, status int, format string, args ...any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	body := json.NewEncoder(w)
	body.SetEscapeHTML(false) // "<token>" is for a terminal, and the type is JSON
	_ = body.Encode(map[string]string{"error": fmt.Sprintf(format, args...)})
}

// checkHost refuses requests that reached the hub by a name that is not its
// own: a page of another site whose name was made to point here.
func (h *Hub) checkHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if host := strings.ToLower(r.Host); !h.ownHost(host) && (!shared(r) || !h.ownShareHost(r, hostOf(host))) {
			fail(w, http.StatusMisdirectedRequest,
				"the hub is not known as %q: call it by a loopback name, or start it with --allow-host", flow.Brief(r.Host))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// ownHost says whether a Host header names this hub: a loopback name with any
// port (port-forward), the address it listens on, or what was configured.
func (h *Hub) ownHost(hostport string) bool {
	hostport = strings.ToLower(hostport)
	host := hostOf(hostport)
	if IsLoopback(host) || slices.Contains(h.cfg.AllowedHosts, hostport) || slices.Contains(h.cfg.AllowedHosts, host) {
		return true
	}
	own, _, _ := net.SplitHostPort(h.cfg.Listen)
	ip := net.ParseIP(own)
	return own != "" && (ip == nil || !ip.IsUnspecified()) && strings.EqualFold(own, host)
}

func hostOf(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return strings.Trim(hostport, "[]")
}

// sameOrigin says whether a request's Origin is this hub's page. Without an
// Origin it is not a page's doing, or it is one's plain GET.
func (h *Hub) sameOrigin(r *http.Request) (same, there bool) {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return false, false
	}
	u, err := url.Parse(origin)
	if err != nil || !strings.EqualFold(u.Host, r.Host) {
		return false, true
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	// Behind a proxy that ends TLS, only the browser knows the scheme.
	return u.Scheme == scheme || h.cfg.InsecureBehindProxy && (u.Scheme == "http" || u.Scheme == "https"), true
}

// checkOrigin guards the websocket, which browsers let any page open: with a
// cookie the Origin must be there and be ours, with a bearer token it may be
// missing.
func (h *Hub) checkOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		same, there := h.sameOrigin(r)
		site := r.Header.Get("Sec-Fetch-Site")
		switch {
		case there && !same, !there && h.bearerRole(r) == nobody:
			fail(w, http.StatusForbidden, "the websocket's Origin %q is not this hub's page: open %s, or send a bearer token without Origin",
				briefOrigin(r), h.origin(r))
		case site != "" && site != "same-origin" && site != "none":
			fail(w, http.StatusForbidden, "the websocket was opened by a page of another site")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func briefOrigin(r *http.Request) string { return flow.Brief(r.Header.Get("Origin")) }
