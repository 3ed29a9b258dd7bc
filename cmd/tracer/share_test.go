package main

import (
	"crypto/x509"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/reconcile-tracer/tracer/internal/certtest"
	"github.com/reconcile-tracer/tracer/server"
)

// What demo and attach share by TLS, their hub serves so, and the words follow.
func TestShareByTLS(t *testing.T) {
	cert, key, _ := certtest.Write(t, "class.example")
	o := shareOptions{address: "127.0.0.1:0", viewers: 5, tlsCert: cert, tlsKey: key}
	if err := o.settle(t.Context(), &runFolder{path: t.TempDir()}, streams{err: io.Discard}.sayer("demo")); err != nil {
		t.Fatal(err)
	}
	if args := o.args(); !slices.Equal(args[3:], []string{"--share-tls-cert", cert, "--share-tls-key", key}) {
		t.Errorf("the hub is started with %v", args)
	}
	lines := shareLines(server.ViewerLinks(o.address, "x", o.cert), false)
	if !strings.Contains(lines, "https://class.example:") || strings.Contains(lines, "HTTP:") || strings.Contains(lines, "warn") {
		t.Errorf("it says:\n%s", lines)
	}
	lines = shareLines(server.ViewerLinks(o.address, "x", &x509.Certificate{}), false)
	if !strings.Contains(lines, "browsers warn") {
		t.Errorf("of a certificate for another address it says:\n%s", lines)
	}
}

// A certificate that cannot be used is said before anything is started.
func TestShareByAnUnusableCertificate(t *testing.T) {
	cert, _, _ := certtest.Write(t)
	_, others, _ := certtest.Write(t)
	for key, want := range map[string]string{filepath.Join(t.TempDir(), "none"): "no such file", cert: "PEM", others: "does not match"} {
		o := shareOptions{address: "127.0.0.1:0", tlsCert: cert, tlsKey: key}
		err := o.settle(t.Context(), &runFolder{path: t.TempDir()}, streams{err: io.Discard}.sayer("demo"))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "--share-tls-key cannot be used") {
			t.Errorf("with the key %s: %v, want one with %q", key, err, want)
		}
	}
}
