package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/net/netutil"
	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/reconcile-tracer/tracer/server/control"
	"github.com/reconcile-tracer/tracer/server/journal"
	"github.com/reconcile-tracer/tracer/server/otlp"
	"github.com/reconcile-tracer/tracer/server/watch"
)

// maxEmitters is how many connections OTLP over gRPC may have.
const maxEmitters = 1000

// Hub is one hub. New opens all that it needs, Run runs it.
type Hub struct {
	cfg     Config
	token   secret
	viewer  secret
	ingest  secret
	control secret // of controllers that take commands
	embeds  secret // signs view tokens
	// browsers signs the cookies by which browsers are known again.
	browsers  secret
	newcomers newcomers
	kept      Kept
	listen    net.Listener
	local     *local
	grpcOn    net.Listener // nil when there is none
	tls       *tls.Config  // nil when there is none
	journal   *journal.Journal
	fold      *fold
	watch     *watch.Hub
	otlp      *otlp.Receiver
	desk      *control.Desk
	http      *http.Server
	grpc      *grpc.Server
	cross     *http.CrossOriginProtection
	ready     atomic.Bool
	metrics   http.Handler
	share     *share // nil when nothing is shared
	// shareTLS is what viewers are served by, nil for plain HTTP.
	shareTLS *tls.Config
	room     *room

	recordings *recordings
}

// New checks the configuration, takes the ports and opens the journal. What it
// returns must be Run, which closes all of it. An error says which setting is
// wrong, why, and what to do.
func New(ctx context.Context, cfg Config) (*Hub, error) {
	told := watch.NewRoom()
	h := &Hub{cfg: cfg.withDefaults(), local: newLocal(), room: newRoom(told.Set),
		newcomers: newcomers{even: map[netip.Prefix]time.Time{}}}
	if err := h.cfg.check(); err != nil {
		return nil, err
	}
	h.recordings = newRecordings(ctx, h.cfg, told)
	if err := h.open(ctx); err != nil {
		h.abandon()
		return nil, err
	}
	h.watch = watch.New(watch.Config{MaxViewers: h.cfg.MaxViewers, Room: told, Log: h.cfg.Log})
	h.fold.publish = h.watch.Publish
	h.otlp = otlp.New(otlp.Config{Store: h.store, Authorize: h.ingest.is})
	h.desk = control.New(control.Config{Record: h.recordControl, Log: h.cfg.Log})
	h.cross = http.NewCrossOriginProtection()
	h.metrics = h.newMetrics()
	h.http = &http.Server{
		Handler:           h.routes(),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(h.cfg.Log.Handler(), slog.LevelWarn),
	}
	if h.grpcOn != nil {
		h.grpc = h.newGRPC()
	}
	if h.share != nil {
		h.share.http = h.newShare()
	}
	return h, nil
}

func (h *Hub) open(ctx context.Context) error {
	var err error
	if h.cfg.Replay != "" {
		if _, _, err = h.recordings.find(ctx, h.cfg.Replay); err != nil {
			return err
		}
	}
	if err = h.openFolder(); err != nil {
		return err
	}
	if err = h.openTLS(); err != nil {
		return err
	}
	if h.listen, err = listen(ctx, "--listen", h.cfg.Listen); err != nil {
		return err
	}
	if h.cfg.OTLPGRPC != "" {
		if h.grpcOn, err = listen(ctx, "--otlp-grpc", h.cfg.OTLPGRPC); err != nil {
			return err
		}
	}
	if err := h.openShare(ctx); err != nil {
		return err
	}
	h.fold = newFold(h.cfg.Limits, h.cfg.Log)
	h.journal, err = journal.Open(ctx, journal.Config{
		Dir: h.cfg.Data, MaxBytes: h.cfg.JournalBytes, MaxAge: h.cfg.JournalAge, OnBlock: h.fold.offer, Log: h.cfg.Log,
	})
	if errors.Is(err, journal.ErrLocked) {
		return fmt.Errorf("--data %s: %w", h.cfg.Data, err)
	}
	return err
}

// The files in the data folder that keep the tokens of viewers, of emitters and of
// controllers that take commands, and the secrets behind view tokens and browsers' cookies.
const (
	viewerFile  = "viewer-token"
	ingestFile  = "ingest-token"
	controlFile = "control-token"
	embedFile   = "embed-secret"
	browserFile = "browser-secret"
)

func (h *Hub) openFolder() error {
	if err := os.MkdirAll(h.cfg.Data, 0o700); err != nil {
		return fmt.Errorf("--data %s cannot be made: %w: choose a folder that you may write", h.cfg.Data, err)
	}
	for _, t := range []struct {
		into        *secret
		given, file string
	}{
		{&h.token, h.cfg.Token, "token"}, {&h.ingest, h.cfg.IngestToken, ingestFile},
		{&h.viewer, h.cfg.ViewerToken, viewerFile}, {&h.control, h.cfg.ControlToken, controlFile},
		{&h.embeds, "", embedFile}, {&h.browsers, "", browserFile},
	} {
		var err error
		if *t.into, err = loadToken(t.given, h.cfg.Data, t.file); err != nil {
			return fmt.Errorf("--data %s cannot be used: %w: choose a folder that you may write", h.cfg.Data, err)
		}
	}
	h.kept = KeptIn(h.cfg.Data, h.ingest.value, h.control.value)
	if h.cfg.IngestToken == "" {
		h.cfg.Log.Info("the ingest token is kept", "file", h.kept.Ingest)
	}
	// One that is given may be one that is kept.
	if err := (Tokens{h.token.value, h.ingest.value, h.viewer.value, h.control.value}).checkApart(); err != nil {
		return &ConfigError{fmt.Errorf("with the tokens that --data %s keeps: %w", h.cfg.Data, err)}
	}
	return nil
}

func listen(ctx context.Context, flag, addr string) (net.Listener, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s %s is taken by another process: stop it, or choose another port (port 0 is any free one)", flag, addr)
	}
	if err != nil {
		return nil, fmt.Errorf("%s %s cannot be used: %w: choose an address of this machine and a port above 1023", flag, addr, err)
	}
	return l, nil
}

// abandon closes what open had opened before it failed.
func (h *Hub) abandon() {
	for _, l := range []net.Listener{h.listen, h.grpcOn} {
		if l != nil {
			_ = l.Close()
		}
	}
	h.recordings.close()
	if h.share != nil {
		_ = h.share.listen.Close()
	}
}

func (h *Hub) newGRPC() *grpc.Server {
	if h.tls != nil {
		return h.otlp.GRPC(grpc.Creds(credentials.NewTLS(h.tls)))
	}
	return h.otlp.GRPC()
}

// Addr is the address that the hub listens on, as host:port.
func (h *Hub) Addr() string { return h.listen.Addr().String() }

// GRPCAddr is the address of OTLP over gRPC, "" where there is none.
func (h *Hub) GRPCAddr() string {
	if h.grpcOn == nil {
		return ""
	}
	return h.grpcOn.Addr().String()
}

// URL is where a browser finds the hub, without a slash at the end.
func (h *Hub) URL() string {
	scheme := "http"
	if h.tls != nil {
		scheme = "https"
	}
	host, port, _ := net.SplitHostPort(h.Addr())
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return scheme + "://" + net.JoinHostPort(host, port)
}

// LoginURL is the link that opens a session. It holds the presenter's token:
// print it for the user, do not log it.
func (h *Hub) LoginURL() string { return h.URL() + "/login?token=" + url.QueryEscape(h.token.value) }

// IngestToken is the token that emitters must send. Do not log it.
func (h *Hub) IngestToken() string { return h.ingest.value }

// ControlToken is the token that controllers must send which take commands. Do
// not log it.
func (h *Hub) ControlToken() string { return h.control.value }

// Kept are the files that keep the tokens of controllers.
func (h *Hub) Kept() Kept { return h.kept }

// Run serves until ctx ends or something fails, and returns when all is
// closed: first nothing more is let in, then what is under way is stored, then
// the viewers are let go. It returns nil when ctx has ended.
func (h *Hub) Run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	folded := make(chan struct{})
	viewing, stopViewing := context.WithCancel(context.WithoutCancel(ctx))
	g.Go(func() error { return h.serveHTTP() })
	g.Go(func() error { return h.serveLocal() })
	if h.share != nil {
		g.Go(func() error { return h.serveShare() })
	}
	if h.grpc != nil {
		g.Go(func() error { return h.serveGRPC() })
	}
	g.Go(func() error {
		defer close(folded)
		return h.runFold(ctx)
	})
	g.Go(func() error { return h.passTime(ctx) })
	g.Go(func() error { return h.watch.Run(viewing) })
	g.Go(func() error {
		<-ctx.Done()
		defer stopViewing()
		defer h.recordings.end()
		return h.stop(folded)
	})
	err := g.Wait()
	h.watch.Wait()
	h.recordings.close()
	return err
}

func (h *Hub) serveHTTP() error {
	l := netutil.LimitListener(h.listen, h.cfg.MaxViewers+1000)
	if h.tls != nil {
		l = tls.NewListener(l, h.tls)
	}
	if err := h.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving HTTP: %w", err)
	}
	return nil
}

func (h *Hub) serveLocal() error {
	if err := h.http.Serve(h.local); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving within the process: %w", err)
	}
	return nil
}

func (h *Hub) serveGRPC() error {
	// A server that was stopped before it began to serve says so; that is no
	// fault.
	if err := h.grpc.Serve(netutil.LimitListener(h.grpcOn, maxEmitters)); err != nil && !errors.Is(err, grpc.ErrServerStopped) {
		return fmt.Errorf("serving OTLP over gRPC: %w", err)
	}
	return nil
}

// runFold folds the journal, opens the hub, and folds on until the journal is
// closed.
func (h *Hub) runFold(ctx context.Context) error {
	began := time.Now()
	err := h.journal.Replay(ctx, 0, h.fold.take)
	select {
	case <-ctx.Done():
		return nil // stopped before it was ready
	default:
	}
	if err != nil {
		return err
	}
	h.fold.replayed.Store(int64(time.Since(began)))
	h.desk.Recover(ctx, h.fold.state.Standing()) // what it stores, the fold takes next
	h.watch.Ready(h.journal.Epoch())
	h.ready.Store(true)
	h.cfg.Log.Info("the journal is folded", "blocks", h.fold.blocks.Load(), "took", time.Since(began))
	h.cfg.OnReady()
	h.fold.run()
	return nil
}

// passTime journals an empty block a second while the fold waits for time to
// pass, unless other blocks tell the time anyway.
func (h *Hub) passTime(ctx context.Context) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	var seen int64
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		blocks, _ := h.journal.Written()
		if blocks == seen && h.ready.Load() && h.fold.pending.Load() {
			if err := h.journal.Append(ctx); err != nil && ctx.Err() == nil {
				h.cfg.Log.Warn("time stands still", "error", err)
			}
			blocks++
		}
		seen = blocks
	}
}

// store makes a request durable for the receiver.
func (h *Hub) store(ctx context.Context, kind otlp.Kind, payload []byte, batch otlp.Batch) error {
	if !h.ready.Load() {
		return errors.New("the hub is reading its journal")
	}
	return storeError(h.journal.Append(ctx, journal.Record{Kind: journal.Kind(kind), Payload: payload, Value: batch}))
}

// storeError says in the receiver's words when to send again.
func storeError(err error) error {
	if errors.Is(err, journal.ErrFull) {
		return fmt.Errorf("%w: %w", otlp.ErrBusy, err)
	}
	if errors.Is(err, journal.ErrTooLarge) {
		return fmt.Errorf("%w: %w", otlp.ErrTooLarge, err)
	}
	return err
}
