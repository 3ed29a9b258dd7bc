package server

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/reconcile-tracer/tracer/internal/certtest"
	"github.com/reconcile-tracer/tracer/server/watch"
)

// certificate writes a certificate for 127.0.0.1, and names, and returns its files
// and who trusts it.
func certificate(t *testing.T, names ...string) (cert, key string, client *http.Client) {
	t.Helper()
	cert, key, trust := certtest.Write(t, names...)
	return cert, key, &http.Client{
		Transport:     &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trust}, DisableKeepAlives: true},
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

// The viewers' own certificate is theirs alone: the presenter stays in plain HTTP.
func TestTLSForViewersAlone(t *testing.T) {
	cert, key, client := certificate(t, "class.example")
	r, _ := sharing(t, func(c *Config) { c.ShareTLSCert, c.ShareTLSKey = cert, key })
	if !strings.HasPrefix(r.LoginURL(), "http://127.0.0.1:") {
		t.Error("the presenter's link is not plain HTTP")
	}
	page := r.do("GET", "/", bearer(testToken), nil).body
	if !strings.Contains(page, "https://class.example:") || strings.Contains(page, "In plain HTTP") || strings.Contains(page, "viewers' browsers warn") {
		t.Error("the presenter's page has not the viewers' link, or warns of it")
	}
	if set := r.do("GET", "/login?token="+testToken, nil, nil).header.Get("Set-Cookie"); strings.HasPrefix(set, "__Host-") || strings.Contains(set, "Secure") {
		t.Errorf("the presenter's cookie is %q, which plain HTTP does not carry", set)
	}
	links := r.ViewerLinks()
	if len(links) != 2 || !strings.HasPrefix(links[0].URL, "https://class.example:") || !strings.HasPrefix(links[1].URL, "https://127.0.0.1:") {
		t.Fatalf("the viewers' links are %v", links)
	}
	res, err := client.Get(links[1].URL)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	cookie := res.Header.Get("Set-Cookie")
	if res.StatusCode != http.StatusSeeOther || !strings.HasPrefix(cookie, "__Host-tracer-viewer-") || !strings.Contains(cookie, "Secure") {
		t.Errorf("the viewers' link answers %d with the cookie %q", res.StatusCode, cookie)
	}
	url := "https://" + r.ShareAddr()
	conn, _, err := websocket.Dial(t.Context(), url+"/api/v1/watch", &websocket.DialOptions{
		HTTPClient:   client,
		HTTPHeader:   http.Header{"Cookie": {cookie[:strings.Index(cookie, ";")]}, "Origin": {url}},
		Subprotocols: []string{watch.Subprotocol},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.CloseNow() }()
	frame(t, conn, "snapshot")
	for host, want := range map[string]int{"class.example": http.StatusOK, "evil.example": http.StatusMisdirectedRequest} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/api/v1/rows", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host + ":" + portOf(r.ShareAddr())
		req.Header.Set("Authorization", "Bearer "+testViewer)
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("by the name %s: %d, want %d", host, res.StatusCode, want)
		}
	}
}

// Of a certificate's names and addresses those are offered that need no warning.
func TestLinksAreOfWhatTheCertificateIsFor(t *testing.T) {
	for _, c := range []struct {
		cert x509.Certificate
		want string
	}{
		{x509.Certificate{DNSNames: []string{"class.example", "*.class.example", "localhost"}}, "https://class.example:7781"},
		{x509.Certificate{IPAddresses: []net.IP{net.IPv4(192, 0, 2, 7)}}, "https://192.0.2.7:7781"},
		{x509.Certificate{DNSNames: []string{"*.class.example"}}, "https://192.0.2.7:7781 with a warning"},
	} {
		got := ""
		for _, link := range ViewerLinks("192.0.2.7:7781", "x", &c.cert) {
			got += strings.TrimSuffix(link.URL, "/login?token=x")
			if link.Warns {
				got += " with a warning"
			}
		}
		if got != c.want {
			t.Errorf("for %v and %v the links are %s, want %s", c.cert.DNSNames, c.cert.IPAddresses, got, c.want)
		}
	}
}
