package server

import (
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"github.com/reconcile-tracer/tracer/server/otlp"
	"github.com/reconcile-tracer/tracer/tracer/control/wire"
)

func (h *Hub) routes() http.Handler {
	r := chi.NewRouter()
	r.Use(middleware.GetHead, secureHeaders)

	// For machines: any Host, no cookie.
	r.Get("/healthz", h.healthz)
	r.Get("/readyz", h.readyz)
	if h.cfg.Replay == "" {
		r.Method(http.MethodPost, "/v1/traces", h.otlp.Handler(otlp.Traces))
		r.Method(http.MethodPost, "/v1/logs", h.otlp.Handler(otlp.Logs))
	}
	r.With(h.needBearer).Method(http.MethodGet, "/metrics", h.metrics)
	r.With(h.needControl).Get(wire.Path, h.takeCommands)

	// For browsers, and for curl.
	r.Group(func(r chi.Router) {
		r.Use(h.checkHost)
		h.pageRoutes(r)
		r.Get("/embed", h.embed)
		r.Get("/api/v1/embed/watch", h.embedWatch)
		r.Route("/api/v1", func(r chi.Router) {
			r.Group(h.viewerRoutes)
			r.Group(h.presenterRoutes)
		})
	})
	h.answerNothing(r, h.whereElse())
	return r
}

// whereElse says where to look for what this hub does not serve.
func (h *Hub) whereElse() string {
	if h.cfg.Replay != "" {
		return "this hub shows a recording, and takes neither spans nor commands; docs/rows.md has what it answers"
	}
	return "the API is under /api/v1, see docs/rows.md, docs/control.md and docs/classroom.md; spans go to /v1/traces and logs to /v1/logs"
}

// pageRoutes are the page and the way to it, at either listener.
func (h *Hub) pageRoutes(r chi.Router) {
	r.Get("/login", h.login)
	r.Post("/logout", h.logout)
	r.Get("/static/*", h.static().ServeHTTP)
	r.Get("/", h.page)
}

// viewerRoutes are what viewers may call, at either listener.
func (h *Hub) viewerRoutes(r chi.Router) {
	r.Use(h.needViewer)
	r.Get("/rows", h.rows)
	r.With(h.checkOrigin).Get("/watch", h.watchRoom)
	r.Put("/room/following", h.follow)
	r.Post("/room/answer", h.answerPoll)
	r.Get("/room/answer", h.myAnswer)
	r.Get("/recordings", h.listRecordings)
	r.Get("/recordings/{name}/rows", h.recordingRows)
	r.With(h.checkOrigin).Get("/recordings/{name}/watch", h.recordingWatch)
	h.lessonViewerRoutes(r)
}

// presenterRoutes are what the presenter alone may call, and only at the hub's
// own listener.
func (h *Hub) presenterRoutes(r chi.Router) {
	r.Use(h.needSession)
	r.Post("/actions/{action}", h.act)
	if h.cfg.Replay == "" {
		r.Post("/control", h.giveCommand)
		r.Post("/embed", h.makeEmbed)
		r.Get("/export", h.export)
	}
	h.lessonRoutes(r)
	r.Put("/room/presenter", h.present)
	r.Post("/room/call", h.callBack)
	r.Get("/share/qr.svg", h.shareQR)
}

// policy lets the page load what the hub serves, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
	"connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'"

func secureHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("Content-Security-Policy", policy)
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("X-Frame-Options", "DENY")
		head.Set("Referrer-Policy", "no-referrer")
		head.Set("Cross-Origin-Opener-Policy", "same-origin")
		head.Set("Cross-Origin-Resource-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}
