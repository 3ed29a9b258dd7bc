package server

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/reconcile-tracer/tracer/server/watch"
)

// certificate writes a certificate for 127.0.0.1 and returns its files and who
// trusts it.
func certificate(t *testing.T) (cert, key string, client *http.Client) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(t.TempDir(), "tls.crt"), filepath.Join(t.TempDir(), "tls.key")
	writeFile(t, cert, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	writeFile(t, key, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})))
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return cert, key, &http.Client{
		Transport:     &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func TestTLS(t *testing.T) {
	cert, key, client := certificate(t)
	h, err := New(t.Context(), Config{
		Listen: "127.0.0.1:0", Data: t.TempDir(), Token: testToken, TLSCert: cert, TLSKey: key, OnReady: func() {},
	})
	if err != nil {
		t.Fatal(err)
	}
	r := run(t, h)
	if !strings.HasPrefix(h.LoginURL(), "https://127.0.0.1:") {
		t.Errorf("the login link is %s, want https", strings.ReplaceAll(h.LoginURL(), testToken, "…"))
	}
	<-r.ready
	res, err := client.Get(h.LoginURL())
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	cookie := res.Header.Get("Set-Cookie")
	if !strings.HasPrefix(cookie, "__Host-tracer-") || !strings.Contains(cookie, "Secure") {
		t.Errorf("the cookie is %q, want it for this host and Secure", cookie)
	}
	for origin, ok := range map[string]bool{h.URL(): true, strings.Replace(h.URL(), "https:", "http:", 1): false} {
		conn, _, err := websocket.Dial(t.Context(), h.URL()+"/api/v1/watch", &websocket.DialOptions{
			HTTPClient:   client,
			HTTPHeader:   http.Header{"Cookie": {cookie[:strings.Index(cookie, ";")]}, "Origin": {origin}},
			Subprotocols: []string{watch.Subprotocol},
		})
		if err == nil {
			_ = conn.CloseNow()
		}
		if (err == nil) != ok {
			t.Errorf("Origin %s: %v, want success %v", origin, err, ok)
		}
	}
}
