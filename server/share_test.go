package server

import (
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"github.com/reconcile-tracer/tracer/server/watch"
)

// sharing runs a hub that shares, and a client of its viewers' listener.
func sharing(t testing.TB, change ...func(*Config)) (*running, *client) {
	t.Helper()
	h := start(t, append([]func(*Config){func(c *Config) { c.Share = "127.0.0.1:0" }}, change...)...)
	return h, &client{t, "http://" + h.ShareAddr()}
}

// shareAccess is who may do what at the viewers' listener: the presenter's token
// and cookie are worth nothing there.
var shareAccess = []access{
	{"GET", "/static/app.css", nil, [6]int{200, 200, 200, 200, 200, 200}},
	{"GET", "/login", nil, [6]int{403, 403, 403, 403, 403, 403}},
	{"POST", "/logout", jsonHead, [6]int{303, 303, 303, 303, 303, 303}},
	{"GET", "/", nil, [6]int{401, 401, 401, 200, 200, 401}},
	{"GET", "/api/v1/rows", nil, [6]int{401, 401, 401, 200, 200, 401}},
	{"GET", "/api/v1/watch", wsHead, [6]int{401, 401, 401, 101, 101, 401}},
	{"PUT", "/api/v1/room/following", jsonHead, [6]int{401, 401, 401, 409, 409, 401}},
	{"POST", "/api/v1/room/answer", jsonHead, [6]int{401, 401, 401, 400, 400, 401}},
	{"GET", "/api/v1/room/answer", nil, [6]int{401, 401, 401, 200, 200, 401}},
	{"GET", "/api/v1/recordings", nil, [6]int{401, 401, 401, 200, 200, 401}},
	{"GET", "/api/v1/recordings/none/rows", nil, [6]int{401, 401, 401, 404, 404, 401}},
	{"GET", "/api/v1/recordings/none/watch", wsHead, [6]int{401, 401, 401, 404, 404, 401}},
	{"GET", "/api/v1/lesson", nil, [6]int{401, 401, 401, 503, 503, 401}},
	{"POST", "/api/v1/lesson/answer", jsonHead, [6]int{401, 401, 401, 503, 503, 401}},
}

// TestViewersListenerServesTheirRoleAlone is every route of both listeners at
// the viewers'.
func TestViewersListenerServesTheirRoleAlone(t *testing.T) {
	h, viewers := sharing(t)
	h.checkAccess(viewers, portOf(h.ShareAddr()), shareAccess)
	for _, route := range routeAccess {
		if strings.HasPrefix(route.path, "/static/") || hasRoute(shareAccess, route) {
			continue
		}
		route.want = [6]int{404, 404, 404, 404, 404, 404}
		if strings.HasPrefix(route.path, "/api/") { // who is nobody does not hear what there is
			route.want = [6]int{401, 401, 401, 404, 404, 401}
		}
		h.checkAccess(viewers, portOf(h.ShareAddr()), []access{route})
	}
}

func hasRoute(routes []access, one access) bool {
	for _, r := range routes {
		if r.method == one.method && r.path == one.path {
			return true
		}
	}
	return false
}

func TestPresentersLinkOpensNothingAtTheViewersListener(t *testing.T) {
	h, viewers := sharing(t)
	for token, want := range map[string]int{testToken: 403, testIngest: 403, testViewer: 303} {
		res := viewers.do("GET", "/login?token="+token, nil, nil)
		if res.status != want {
			t.Errorf("the token of %d characters: %d, want %d", len(token), res.status, want)
		}
	}
	set := viewers.do("GET", "/login?token="+testViewer, nil, nil).header.Get("Set-Cookie")
	if !strings.HasPrefix(set, "tracer-viewer-"+portOf(h.ShareAddr())+"=") || strings.Contains(set, testViewer) {
		t.Errorf("the viewers' cookie is %q", set)
	}
}

func TestViewersLinkOpensTheirPage(t *testing.T) {
	h, _ := sharing(t)
	links := h.ViewerLinks()
	if len(links) != 1 {
		t.Fatalf("an address that was chosen has the links %v", links)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar, Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := browser.Get(links[0].URL)
	if err != nil {
		t.Fatal(err)
	}
	body := read(t, res)
	if res.StatusCode != http.StatusOK || !strings.Contains(body, `data-role="viewer"`) {
		t.Errorf("the link leads to %d without the viewers' page", res.StatusCode)
	}
	for _, not := range []string{"tryit", "share", "Share", testViewer, testToken, "OTEL_EXPORTER"} {
		if strings.Contains(body, not) {
			t.Errorf("the viewers' page has %q in it", not)
		}
	}
}

// A viewer can make the presenter's browser open the viewers' link, on the
// presenter's own port: that changes nothing. Without a session it opens one, and
// the presenter's link takes its place.
func TestTheViewersLinkLeavesThePresenterAlone(t *testing.T) {
	h := start(t)
	cookies := func(token, session string) string {
		res := h.do("GET", "/login?token="+token, headers{"Cookie": session}, nil)
		if res.status != http.StatusSeeOther || res.header.Get("Location") != "/" {
			t.Errorf("it answers %d and leads to %q, want the page", res.status, res.header.Get("Location"))
		}
		return strings.Join(res.header.Values("Set-Cookie"), "\n")
	}
	presenters := h.sessionName(here, presenter) + "=" + h.token.cookie()
	viewers := h.sessionName(here, viewer) + "=" + h.viewer.cookie()
	if set := cookies(testViewer, presenters); set != "" {
		t.Errorf("the presenter's browser is given %q", set)
	}
	if set := cookies(testViewer, h.sessionName(here, presenter)+"=stale"); !strings.Contains(set, viewers) {
		t.Errorf("with a session that is none it gives %q", set)
	}
	if set := cookies(testToken, viewers); !strings.Contains(set, presenters) || !strings.Contains(set, h.sessionName(here, viewer)+"=; Path=/; Max-Age=0") {
		t.Errorf("the presenter's link gives a viewer %q", set)
	}
}

func TestHostsOfTheViewersListener(t *testing.T) {
	h, viewers := sharing(t, func(c *Config) { c.AllowedHosts = []string{"class.example"} })
	port := portOf(h.ShareAddr())
	for host, want := range map[string]int{
		"127.0.0.1:" + port: 200, "localhost:" + port: 200, "class.example:" + port: 200,
		"evil.test": 421, "127.0.0.1.evil.test:" + port: 421, "192.0.2.7:" + port: 421, "evil.local": 421, "": 421,
	} {
		with := bearer(testViewer)
		if with["Host"] = host; host == "" {
			with["Host"] = "."
		}
		if got := viewers.status("GET", "/api/v1/rows", with, nil); got != want {
			t.Errorf("Host %q: %d, want %d", host, got, want)
		}
	}
}

// The address at which a viewer came in is the hub's own, whatever it is; this
// machine may have one beside loopback.
func TestViewersCallByTheAddressOfTheNetwork(t *testing.T) {
	outer := ""
	for _, a := range ownAddresses() {
		if ip := net.ParseIP(a.host); ip != nil && ip.IsGlobalUnicast() && ip.To4() != nil {
			outer = a.host
		}
	}
	if outer == "" {
		t.Skip("this machine has no address but loopback")
	}
	h := start(t, func(c *Config) { c.Share = ":0" })
	network := &client{t, "http://" + net.JoinHostPort(outer, portOf(h.ShareAddr()))}
	if got := network.status("GET", "/api/v1/rows", bearer(testViewer), nil); got != 200 {
		t.Errorf("by %s: %d, want 200", network.url, got)
	}
	with := bearer(testViewer)
	with["Host"] = "evil.test"
	if got := network.status("GET", "/api/v1/rows", with, nil); got != 421 {
		t.Errorf("by %s with another's name: %d, want 421", network.url, got)
	}
}

func TestPresenterStaysOnLoopbackWhenSharing(t *testing.T) {
	h := start(t, func(c *Config) { c.Share = ":0" })
	if host := hostOf(h.Addr()); host != "127.0.0.1" {
		t.Errorf("the presenter is served at %s", host)
	}
}

// watchAs opens a viewer's websocket by the viewers' listener.
func (r *client) watchAs(token, query string) *websocket.Conn {
	r.t.Helper()
	conn, res, err := r.tryWatch(token, query)
	if err != nil {
		r.t.Fatalf("watching: %v (%v)", err, res)
	}
	return conn
}

// tryWatch is watchAs that may be refused.
func (r *client) tryWatch(token, query string) (*websocket.Conn, *http.Response, error) {
	return r.dialWatch(token, "/api/v1/watch"+query)
}

// dialWatch opens a websocket of what is live or of a recording.
func (r *client) dialWatch(token, path string) (*websocket.Conn, *http.Response, error) {
	conn, res, err := websocket.Dial(r.t.Context(), r.url+path, &websocket.DialOptions{
		HTTPHeader: http.Header{"Authorization": {"Bearer " + token}}, Subprotocols: []string{watch.Subprotocol},
	})
	if err == nil {
		conn.SetReadLimit(64 << 20)
		r.t.Cleanup(func() { _ = conn.CloseNow() })
	}
	return conn, res, err
}

// frame reads the next frame of a type.
func frame(t testing.TB, conn *websocket.Conn, kind string) map[string]any {
	t.Helper()
	for {
		_, data, err := conn.Read(t.Context())
		if err != nil {
			t.Fatalf("waiting for a frame of %s: %v", kind, err)
		}
		var f map[string]any
		if err := json.Unmarshal(data, &f); err != nil {
			t.Fatal(err)
		}
		if f["type"] == kind {
			return f
		}
	}
}

func TestViewerTooManyIsToldTheLimit(t *testing.T) {
	h, viewers := sharing(t, func(c *Config) { c.ShareViewers = 2 })
	first := viewers.watchAs(testViewer, "")
	second := viewers.watchAs(testViewer, "")
	frame(t, second, "snapshot")
	third := viewers.watchAs(testViewer, "")
	said := fmt.Sprint(frame(t, third, "error")["message"])
	for _, word := range []string{"full", "2 watch, the limit", "--share-viewers 4"} {
		if !strings.Contains(said, word) {
			t.Errorf("the viewer too many is told %q, want a word of %q", said, word)
		}
	}
	if res := viewers.do("GET", "/", bearer(testViewer), nil); res.status != 503 || !strings.Contains(res.body, "2 watch, the limit") {
		t.Errorf("the page answers %d, want 503 and the limit", res.status)
	}
	frame(t, h.watchAs(testToken, ""), "snapshot") // the presenter has a place
	_ = first.CloseNow()
	h.client.await("the place that became free", func() bool { return h.room.guests.Load() < 2 })
	frame(t, viewers.watchAs(testViewer, ""), "snapshot")
}

// Viewers that ask for ever more filters leave some for the presenter, and for
// the lesson that is played.
func TestViewersDoNotTakeAllFilters(t *testing.T) {
	r, viewers := sharing(t)
	var refused *http.Response
	for i := 1; i < 64 && refused == nil; i++ {
		if _, res, err := viewers.tryWatch(testViewer, fmt.Sprint("?since=", i)); err != nil {
			refused = res
		}
	}
	if refused == nil || refused.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("viewers who watch by as many filters as they like are answered %v, want 503", refused)
	}
	frame(t, r.watchAs(testToken, "?item=lesson-1/*"), "snapshot")
}

func TestConnectionsOfOneAddressAreLimited(t *testing.T) {
	h, viewers := sharing(t, func(c *Config) { c.ShareConnections = 2 })
	var held []net.Conn
	for range 2 {
		conn, err := net.Dial("tcp", h.ShareAddr())
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, conn)
	}
	res := viewers.do("GET", "/static/app.css", nil, nil)
	if res.status != 503 || !strings.Contains(res.body, "more than 2 connections") {
		t.Errorf("the third connection is answered %d %s", res.status, res.body)
	}
	for _, conn := range held {
		_ = conn.Close()
	}
	viewers.await("connections to be free again", func() bool { return viewers.status("GET", "/static/app.css", nil, nil) == 200 })
}

func TestQRCodeIsForThePresenter(t *testing.T) {
	h, _ := sharing(t)
	res := h.do("GET", "/api/v1/share/qr.svg?link=0", bearer(testToken), nil)
	if res.status != 200 || res.header.Get("Content-Type") != "image/svg+xml" || !strings.HasPrefix(res.body, "<svg") {
		t.Errorf("the code: %d %s %.40s", res.status, res.header.Get("Content-Type"), res.body)
	}
	for _, link := range []string{"1", "-1", "x", ""} {
		if got := h.do("GET", "/api/v1/share/qr.svg?link="+link, bearer(testToken), nil).status; got != 404 {
			t.Errorf("link %q: %d, want 404", link, got)
		}
	}
}

func TestLikelyAddressesComeFirst(t *testing.T) {
	all := []lanAddress{
		{"127.0.0.1", "lo"}, {"fe80::1", "eth0"}, {"172.17.0.1", "docker0"}, {"10.8.0.2", "tun0"},
		{"fd00::5", "wlan0"}, {"203.0.113.9", "eth1"}, {"192.168.1.20", "wlan0"}, {"10.0.0.4", "eth0"},
	}
	var got []string
	for _, a := range rankAddresses(all, "10.0.0.4") {
		got = append(got, a.host)
	}
	want := []string{"10.0.0.4", "192.168.1.20", "203.0.113.9", "fd00::5", "172.17.0.1", "10.8.0.2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := rankAddresses(all[:2], ""); len(got) != 1 || got[0].host != "127.0.0.1" {
		t.Errorf("without a network: %v", got)
	}
}

func TestSharingOverTLSSaysSoInItsLinks(t *testing.T) {
	links := ViewerLinks("[2001:db8::1]:7781", "a&b", &x509.Certificate{})
	if want := "https://[2001:db8::1]:7781/login?token=a%26b"; len(links) != 1 || links[0].URL != want {
		t.Errorf("links %v, want %s", links, want)
	}
}

func TestViewersTokenIsAnothers(t *testing.T) {
	for _, same := range []string{testToken, testIngest} {
		cfg := Config{Data: t.TempDir(), Token: testToken, IngestToken: testIngest, ViewerToken: same}
		if err := cfg.withDefaults().check(); err == nil || !strings.Contains(err.Error(), "--viewer-token") {
			t.Errorf("a viewers' token that is another's: %v", err)
		}
	}
}
