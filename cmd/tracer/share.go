package main

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/reconcile-tracer/tracer/internal/qr"
	"github.com/reconcile-tracer/tracer/server"
)

// shareAuto is --share without an address.
const shareAuto = "auto"

// shareOptions are the flags with which others are let watch.
type shareOptions struct {
	// address is where viewers are served, "" for nowhere.
	address string
	viewers int
	token   string
	// tlsCert and tlsKey are the files of the viewers' certificate, which is
	// cert; "" and nil for plain HTTP.
	tlsCert, tlsKey string
	cert            *x509.Certificate
}

// addFlags adds them; auto is where viewers are served when no address is given.
func (o *shareOptions) addFlags(f *pflag.FlagSet, auto string) {
	f.StringVar(&o.address, "share", "", "let others on the network watch, by a link of their own, with nothing that they could change; "+
		"plain HTTP without a certificate; at this address (auto: "+auto+", of every network)")
	f.Lookup("share").NoOptDefVal = shareAuto
	f.IntVar(&o.viewers, "share-viewers", 200, "how many may watch at once by --share")
	f.StringVar(&o.tlsCert, "share-tls-cert", "", "the TLS certificate of the viewers' address alone, a file in PEM")
	f.StringVar(&o.tlsKey, "share-tls-key", "", "its key, a file in PEM")
	tokenFlag(f, &o.token, "viewer-token", "TRACER_VIEWER_TOKEN", "the viewers' token (default: made at the first start and kept)")
}

// The ports of --share without an address: serve's, and that of demo and attach,
// which keep it for the next start.
const (
	shareAutoServe = "port 7781"
	shareAutoKept  = "the port of the last start, else 7781, else a free one, which is said"
)

// shareHelp is what the commands that share say of it.
const shareHelp = `With --share, others on the network can watch: it prints a link and its QR code
for them. Viewers follow what the presenter shows, and can change nothing; the
presenter's own page stays on this machine. --share=192.168.1.20:7781 chooses the
address. It is plain HTTP, unless --share-tls-cert and --share-tls-key name a
certificate for the viewers' address.`

// check finds what is wrong with the flags, and with the tokens: others are all
// but the viewers'.
func (o *shareOptions) check(others server.Tokens) error {
	o.token = or(o.token, os.Getenv("TRACER_VIEWER_TOKEN"))
	others.Viewer = o.token
	if err := checkTokens(others); err != nil {
		return err
	}
	if o.viewers < 1 {
		return usagef("--share-viewers %d: nobody could watch (give at least 1)", o.viewers)
	}
	if err := server.CheckShareTLS(o.address, o.tlsCert, o.tlsKey); err != nil {
		return &usageError{err}
	}
	if o.address != "" && o.address != shareAuto {
		return checkAddress("share", o.address)
	}
	return nil
}

// settle chooses the address where it was left open: that of the last start, so
// that a link on a slide stays right, else the usual port, else a free one; one
// that is not what was to be expected is said. It finds out early that an address
// or a certificate cannot be used.
func (o *shareOptions) settle(ctx context.Context, folder *runFolder, say sayer) (err error) {
	if o.address == "" {
		return nil
	}
	if o.cert, err = server.ShareCertificate(o.tlsCert, o.tlsKey); err != nil {
		return err
	}
	wanted := []string{o.address}
	if o.address == shareAuto {
		wanted = []string{server.ShareDefault, ":0"}
		if last, err := os.ReadFile(folder.lastShare()); err == nil {
			wanted = append([]string{string(last)}, wanted...)
		}
	}
	var taken error
	for _, address := range wanted {
		if o.address, err = tryAddress(ctx, address); err == nil {
			break
		}
		if taken == nil {
			taken = err
		}
	}
	if err != nil {
		return fmt.Errorf("--share: %w (choose an address of this machine, for example --share=:7781)", err)
	}
	if taken != nil {
		say("viewers are served at %s: %v; a link that was given out before does not lead there", o.address, taken)
	}
	if err := os.WriteFile(folder.lastShare(), []byte(o.address), 0o600); err != nil {
		return explainFolder(folder.path, err)
	}
	return nil
}

func (f *runFolder) lastShare() string { return filepath.Join(f.path, "share") }

// tryAddress finds out whether an address is free, and which port it is.
func tryAddress(ctx context.Context, address string) (string, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return "", fmt.Errorf("%s is in use", address)
	}
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// args are the flags of a hub that shares, none where it does not.
func (o *shareOptions) args() []string {
	if o.address == "" {
		return nil
	}
	args := []string{"--share=" + o.address, "--share-viewers", strconv.Itoa(o.viewers)}
	if o.cert != nil {
		args = append(args, "--share-tls-cert", o.tlsCert, "--share-tls-key", o.tlsKey)
	}
	return args
}

// shareLines say how others come to watch: the likeliest link with its code,
// then the others.
func shareLines(links []server.ViewerLink, color bool) string {
	if len(links) == 0 {
		return ""
	}
	var out strings.Builder
	out.WriteString("to let others watch, who can change nothing:\n  " + links[0].URL + on(links[0]) + "\n")
	if code, err := qr.Of(links[0].URL); err == nil {
		out.WriteString(code.Terminal(color))
	}
	for i, link := range links[1:] {
		if i == 0 {
			out.WriteString("or, on another network of this machine:\n")
		}
		out.WriteString("  " + link.URL + on(link) + "\n")
	}
	if links[0].Warns {
		out.WriteString("The certificate is not for these addresses: browsers warn before they open the page.\n")
	}
	if strings.HasPrefix(links[0].URL, "http:") {
		out.WriteString("It is plain HTTP: who can read the network's traffic can read what viewers see.")
	}
	return strings.TrimSuffix(out.String(), "\n")
}

func on(link server.ViewerLink) string {
	if link.Interface == "" {
		return ""
	}
	return " (" + link.Interface + ")"
}

// sayShare tells how others come to watch, once the hub is there.
func (d *crew) sayShare() error {
	if d.share.address == "" {
		return nil
	}
	token := d.share.token
	if token == "" {
		text, err := os.ReadFile(filepath.Join(d.folder.hub(), "viewer-token"))
		if err != nil {
			return fmt.Errorf("reading the viewers' token: %w", err)
		}
		token = strings.TrimSpace(string(text))
	}
	d.say("%s", shareLines(server.ViewerLinks(d.share.address, token, d.share.cert), writesToTerminal(d.io.err)))
	return nil
}

// writesToTerminal says whether colors are understood there.
func writesToTerminal(out any) bool {
	f, ok := out.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
