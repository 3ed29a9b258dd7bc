package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"golang.org/x/net/netutil"
)

// share is the viewers' listener: a second one, on the network, for the
// viewer's role alone.
type share struct {
	listen net.Listener
	http   *http.Server
}

// ShareDefault is where viewers are served when no other address is chosen.
const ShareDefault = ":7781"

// defaultShareViewers and defaultShareConnections bound the viewers' listener:
// viewers in all, and connections from one address, behind which there may be a
// whole room.
const (
	defaultShareViewers     = 200
	defaultShareConnections = 100
)

func (h *Hub) openShare(ctx context.Context) error {
	if h.cfg.Share == "" {
		return nil
	}
	l, err := listen(ctx, "--share", h.cfg.Share)
	if err != nil {
		return err
	}
	h.share = &share{listen: l}
	return nil
}

// newShare makes the server of the viewers' listener. Its times are shorter
// than the presenter's: anybody on the network may call.
func (h *Hub) newShare() *http.Server {
	return &http.Server{
		Handler:           h.shareRoutes(),
		BaseContext:       func(net.Listener) context.Context { return markShared(context.Background()) },
		ConnContext:       markCrowded,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       30 * time.Second,
		MaxHeaderBytes:    8 << 10,
		ErrorLog:          slog.NewLogLogger(h.cfg.Log.Handler(), slog.LevelDebug), // a scan of the network is no news
	}
}

func (h *Hub) serveShare() error {
	all := netutil.LimitListener(h.share.listen, 4*h.cfg.ShareViewers+100)
	var l net.Listener = newAddressLimit(all, h.cfg.ShareConnections)
	if h.shareTLS != nil {
		l = tls.NewListener(l, h.shareTLS)
	}
	if err := h.share.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving viewers: %w", err)
	}
	return nil
}

// shareRoutes are what is served to the network: nothing that takes spans in,
// acts, controls or exports.
func (h *Hub) shareRoutes() http.Handler {
	r := chi.NewRouter()
	r.Use(middleware.GetHead, secureHeaders, h.notCrowded, h.checkHost)
	h.pageRoutes(r)
	r.Route("/api/v1", h.viewerRoutes)
	h.answerNothing(r, "this is the viewers' address, which serves the page, rows and the watch; all else is at the presenter's")
	return r
}

// notCrowded turns away what is over the connections that one address may have.
func (h *Hub) notCrowded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !crowded(r) {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Connection", "close")
		w.Header().Set("Retry-After", "5")
		fail(w, http.StatusServiceUnavailable, "full: your address has more than %d connections to this hub, the limit: close other pages of it", h.cfg.ShareConnections)
	})
}

// ShareAddr is the address at which viewers are served, "" where they are not.
func (h *Hub) ShareAddr() string {
	if h.share == nil {
		return ""
	}
	return h.share.listen.Addr().String()
}

// ViewerLinks are the links for viewers, the likeliest first; none where
// nothing is shared. They hold the viewers' token, which opens no more than the
// viewer's role.
func (h *Hub) ViewerLinks() []ViewerLink {
	if h.share == nil {
		return nil
	}
	return ViewerLinks(h.ShareAddr(), h.viewer.value, leafOf(h.shareTLS))
}

// ownShareHost says whether a Host header names the viewers' listener: the
// address at which a request came in, this machine's name, one that the
// certificate is for, or what was configured. A name that somebody else has
// pointed here is none of them.
func (h *Hub) ownShareHost(r *http.Request, host string) bool {
	if ip := net.ParseIP(host); ip != nil {
		local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
		return ok && ip.Equal(local.IP)
	}
	if cert := leafOf(h.shareTLS); cert != nil && cert.VerifyHostname(host) == nil {
		return true
	}
	name, err := os.Hostname()
	name = strings.ToLower(name)
	return err == nil && name != "" && (host == name || host == name+".local")
}
