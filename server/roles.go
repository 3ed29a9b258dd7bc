package server

import (
	"context"
	"net/http"

	"github.com/reconcile-tracer/tracer/server/otlp"
)

// role is what somebody may do. Each has a token and a cookie of its own, which
// open nothing of another's.
type role int

const (
	nobody role = iota
	// viewer sees the page, its rows and its recordings, and changes nothing but
	// whether it follows.
	viewer
	// presenter may do all that the page offers.
	presenter
)

// String is the role as the page and the messages name it.
func (r role) String() string { return [...]string{"nobody", "viewer", "presenter"}[r] }

// sharedKey marks, in a request's context, that it came in by the viewers'
// listener.
type sharedKey struct{}

func markShared(ctx context.Context) context.Context {
	return context.WithValue(ctx, sharedKey{}, true)
}

// shared says whether a request came in by the viewers' listener, where the
// presenter's token and cookie are worth nothing: they would cross the network
// in the clear.
func shared(r *http.Request) bool { return r.Context().Value(sharedKey{}) != nil }

// bearerRole is the role that a request has by its bearer token.
func (h *Hub) bearerRole(r *http.Request) role {
	return h.roleOfToken(r, otlp.Bearer(r.Header.Get("Authorization")))
}

// roleOfToken is the role that a token opens at the listener of a request.
func (h *Hub) roleOfToken(r *http.Request, token string) role {
	switch {
	case !shared(r) && h.token.is(token):
		return presenter
	case h.viewer.is(token):
		return viewer
	}
	return nobody
}

// roleOf is the role that a request has by its bearer token or its cookies.
func (h *Hub) roleOf(r *http.Request) role {
	if who := h.bearerRole(r); who != nobody {
		return who
	}
	switch {
	case !shared(r) && h.hasCookie(r, presenter):
		return presenter
	case h.hasCookie(r, viewer):
		return viewer
	}
	return nobody
}

func (h *Hub) hasCookie(r *http.Request, who role) bool {
	c, err := r.Cookie(h.sessionName(r, who))
	return err == nil && (secret{h.secretOf(who).cookie()}).is(c.Value)
}

func (h *Hub) secretOf(who role) secret {
	if who == presenter {
		return h.token
	}
	return h.viewer
}

// needSession lets the presenter in, by cookie or bearer token.
func (h *Hub) needSession(next http.Handler) http.Handler { return h.needRole(presenter, next) }

// needViewer lets viewers in, and the presenter.
func (h *Hub) needViewer(next http.Handler) http.Handler { return h.needRole(viewer, next) }

func (h *Hub) needRole(least role, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch who := h.roleOf(r); {
		case who >= least:
			next.ServeHTTP(w, r)
		case who == nobody:
			unauthorized(w, least, "log in with the link that the hub printed, or send \"Authorization: Bearer <token>\"")
		default:
			fail(w, http.StatusForbidden, "this is the presenter's to do, and you are a viewer: viewers watch, follow or go on by themselves")
		}
	})
}

// needBearer is for what programs call, with the presenter's token.
func (h *Hub) needBearer(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch h.bearerRole(r) {
		case presenter:
			next.ServeHTTP(w, r)
		case viewer:
			fail(w, http.StatusForbidden, "this needs the presenter's token, and the one that was sent is the viewers'")
		default:
			unauthorized(w, presenter, "send \"Authorization: Bearer <token>\" with the presenter's token")
		}
	})
}

func unauthorized(w http.ResponseWriter, least role, remedy string) {
	w.Header().Set("WWW-Authenticate", `Bearer realm="tracer"`)
	fail(w, http.StatusUnauthorized, "this needs the %s's token: %s", least, remedy)
}
