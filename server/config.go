package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/reconcile-tracer/tracer/server/flow"
)

// Actions is what the page's "Try it" panel can do to a cluster.
type Actions interface {
	// Do does one action and returns what it did, in a sentence. Its error may
	// have a method HTTPStatus() int, which chooses the answer's status; 500
	// otherwise. The error's text is shown to the user. It may be called
	// concurrently, and must heed ctx.
	Do(ctx context.Context, action string, args map[string]string) (summary string, err error)
}

// Config says how a hub is to run. Data is required; the zero value of all
// else is its default.
type Config struct {
	// Listen is the address of the page, the API and OTLP over HTTP. Empty is
	// 127.0.0.1:7780; port 0 is any free port. An address that is not loopback
	// needs TLS or InsecureBehindProxy.
	Listen string
	// OTLPGRPC is the address of OTLP over gRPC; empty or "off" is none.
	OTLPGRPC string
	// Data is the folder of the journal and of the tokens.
	Data string
	// Token is the presenter's, ViewerToken the viewers', IngestToken the
	// emitters'. Empty is a random one that is kept in Data, so that links and
	// cookies outlive a restart.
	Token       string
	ViewerToken string
	IngestToken string
	// ControlToken is that of controllers that take commands; as above.
	ControlToken string
	// Share is the address of a second listener, which serves the viewer's role
	// alone: in plain HTTP on any address, unless there is a TLS certificate.
	// Empty is none.
	Share string
	// ShareViewers is how many may watch by it at once, ShareConnections how many
	// connections to it one address may have. 0 is 200, and 100.
	ShareViewers, ShareConnections int
	// TLSCert and TLSKey are files in PEM; both or none. They serve both
	// listeners.
	TLSCert, TLSKey string
	// ShareTLSCert and ShareTLSKey are those of the viewers' listener alone, in
	// place of the ones above.
	ShareTLSCert, ShareTLSKey string
	// InsecureBehindProxy says that somebody else ends TLS in front of the hub.
	InsecureBehindProxy bool
	// AllowedHosts are further names by which browsers may call the hub, as
	// name or name:port. Loopback names are always allowed.
	AllowedHosts []string
	// EmbedAncestors are the origins, as https://course.example, of the sites
	// that may show /embed in a frame; none may by default.
	EmbedAncestors []string
	// Actions does what the page's buttons say; nil is no cluster. Cluster
	// names the cluster on the page.
	Actions Actions
	Cluster string
	// Recordings are recorded sessions that the page can open.
	Recordings []Recording
	// Replay is the name of the one that the page shows when none is asked for;
	// the hub is there for it alone, and takes no spans. "" is what is live. New
	// folds it, and fails when it cannot be read.
	Replay string
	// Lessons plays lessons; nil is nobody.
	Lessons Lessons
	// OnReady is called once, when the page can be opened: the hub listens and
	// has folded its journal. nil is nothing. It must not block.
	OnReady func()
	// Version is shown on the page and in the metrics.
	Version string
	// Limits bound the rows that are kept.
	Limits flow.Limits
	// JournalBytes and JournalAge bound the history on disk. 0 is 1 GiB, and
	// no limit.
	JournalBytes int64
	JournalAge   time.Duration
	// MaxViewers is how many may watch at once. 0 is 10,000.
	MaxViewers int
	// Log is where the hub logs; nil is slog.Default(). No token is ever logged.
	Log *slog.Logger
}

const defaultListen = "127.0.0.1:7780"

func (c Config) withDefaults() Config {
	if c.Listen == "" {
		c.Listen = defaultListen
	}
	if c.OTLPGRPC == "off" {
		c.OTLPGRPC = ""
	}
	if c.MaxViewers == 0 {
		c.MaxViewers = 10_000
	}
	if c.ShareViewers == 0 {
		c.ShareViewers = defaultShareViewers
	}
	if c.ShareConnections == 0 {
		c.ShareConnections = defaultShareConnections
	}
	if c.OnReady == nil {
		c.OnReady = func() {}
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	c.AllowedHosts, c.EmbedAncestors = lower(c.AllowedHosts), lower(c.EmbedAncestors)
	if c.Version == "" {
		c.Version = "dev"
	}
	return c
}

// ConfigError is in New's error when a setting is wrong whatever the machine is
// like: to try again without changing it is of no use.
type ConfigError struct{ err error }

// Error implements error.
func (e *ConfigError) Error() string { return e.err.Error() }

// Unwrap gives what is wrong.
func (e *ConfigError) Unwrap() error { return e.err }

// check finds what is wrong in a configuration, by the flags' names. The error
// is a ConfigError.
func (c Config) check() error {
	if err := c.findFault(); err != nil {
		return &ConfigError{err}
	}
	return nil
}

func (c Config) findFault() error {
	switch {
	case c.Data == "":
		return errors.New("--data is empty: name a folder for the journal")
	case (c.TLSCert == "") != (c.TLSKey == ""):
		return errors.New("--tls-cert and --tls-key go together: give both or none")
	case c.ShareViewers < 0:
		return fmt.Errorf("--share-viewers is %d: use at least 1, or 0 for %d", c.ShareViewers, defaultShareViewers)
	case c.ShareConnections < 0:
		return fmt.Errorf("the limit of a viewers' address is %d connections: use at least 1, or 0 for %d", c.ShareConnections, defaultShareConnections)
	case c.JournalBytes < 0 || c.JournalBytes > 0 && c.JournalBytes < 1<<20:
		return fmt.Errorf("the journal's limit is %d bytes: use at least 1 MiB, or 0 for 1 GiB", c.JournalBytes)
	case c.JournalAge < 0:
		return fmt.Errorf("the journal's age limit is %s: use 0 for none, or a positive one", c.JournalAge)
	}
	if err := errors.Join(c.checkAddresses(), checkRecordings(c.Recordings)); err != nil {
		return err
	}
	for _, host := range c.AllowedHosts {
		if err := checkAllowedHost(host); err != nil {
			return err
		}
	}
	for _, origin := range c.EmbedAncestors {
		if err := CheckAncestor(origin); err != nil {
			return err
		}
	}
	return CheckTokens(Tokens{c.Token, c.IngestToken, c.ViewerToken, c.ControlToken})
}

func (c Config) checkAddresses() error {
	if err := c.checkAddress("--listen", c.Listen); err != nil {
		return err
	}
	if err := c.checkShare(); err != nil || c.OTLPGRPC == "" {
		return err
	}
	return c.checkAddress("--otlp-grpc", c.OTLPGRPC)
}

// checkShare lets viewers be served on any address: their role alone is what
// can be overheard there.
func (c Config) checkShare() error {
	if err := CheckShareTLS(c.Share, c.ShareTLSCert, c.ShareTLSKey); err != nil || c.Share == "" {
		return err
	}
	return CheckAddress("--share", c.Share)
}

// CheckAddress checks the form of an address to listen on.
func CheckAddress(flag, value string) error {
	_, port, err := net.SplitHostPort(value)
	if err != nil {
		return fmt.Errorf("%s %q: not an address (give host:port, for example %s; port 0 takes a free one)", flag, value, defaultListen)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return fmt.Errorf("%s %q: port %q is not between 0 and 65535 (0 takes a free one)", flag, value, port)
	}
	return nil
}

func (c Config) checkAddress(flag, addr string) error {
	if err := CheckAddress(flag, addr); err != nil {
		return err
	}
	if host, _, _ := net.SplitHostPort(addr); IsLoopback(host) || c.TLSCert != "" || c.InsecureBehindProxy {
		return nil
	}
	return fmt.Errorf("%s %s can be reached from other machines, and tokens would cross the network in the clear: "+
		"use 127.0.0.1, or give --tls-cert and --tls-key, or --insecure-behind-proxy if something in front of the hub does TLS",
		flag, addr)
}

// checkAllowedHost takes what a Host header can be.
func checkAllowedHost(hostport string) error {
	host := hostOf(hostport)
	u, err := url.Parse("http://" + hostport)
	if err == nil && host != "" && u.Host == hostport && strings.Trim(host, hostCharacters) == "" {
		return nil
	}
	return fmt.Errorf("--allow-host %q is not a name or name:port: give it as a browser shows it, without a scheme or a path", hostport)
}

// hostCharacters are those of names and addresses, in lower case.
const hostCharacters = "abcdefghijklmnopqrstuvwxyz0123456789-_.:"

func lower(hosts []string) []string {
	out := make([]string, 0, len(hosts))
	for _, h := range hosts {
		out = append(out, strings.ToLower(h))
	}
	return out
}

// IsLoopback says whether a host is this machine, to this machine alone.
func IsLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
