package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reconcile-tracer/tracer/server"
)

// certificateFor writes a certificate for a name, and its key.
func certificateFor(t *testing.T, name string) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{name}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return writePEM(t, "CERTIFICATE", der), writePEM(t, "PRIVATE KEY", keyDER)
}

func writePEM(t *testing.T, kind string, der []byte) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "tls.pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// What demo and attach share by TLS, their hub serves so, and the words follow.
func TestShareByTLS(t *testing.T) {
	cert, key := certificateFor(t, "class.example")
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
	cert, _ := certificateFor(t, "class.example")
	_, others := certificateFor(t, "class.example")
	for key, want := range map[string]string{filepath.Join(t.TempDir(), "none"): "no such file", cert: "PEM", others: "does not match"} {
		o := shareOptions{address: "127.0.0.1:0", tlsCert: cert, tlsKey: key}
		err := o.settle(t.Context(), &runFolder{path: t.TempDir()}, streams{err: io.Discard}.sayer("demo"))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "--share-tls-key cannot be used") {
			t.Errorf("with the key %s: %v, want one with %q", key, err, want)
		}
	}
}
