package server

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/go-chi/chi/v5"

	"github.com/reconcile-tracer/tracer/server/watch"
)

// credential is what a request may show.
type credential struct {
	name string
	with headers
}

// credentials are those of every role, and some that are none, for a listener
// whose cookies are named by port.
func (r *running) credentials(port string) []credential {
	presenters, viewers := r.token.cookie(), r.viewer.cookie()
	return []credential{
		{"nothing", headers{}},
		{"presenter", bearer(testToken)},
		{"presenter's cookie", headers{"Cookie": "tracer-" + port + "=" + presenters}},
		{"viewer", bearer(testViewer)},
		{"viewer's cookie", headers{"Cookie": "tracer-viewer-" + port + "=" + viewers}},
		{"ingest", bearer(testIngest)},
		{"wrong", bearer("wrong")},
		{"token as cookie", headers{"Cookie": "tracer-" + port + "=" + testToken + "; tracer-viewer-" + port + "=" + testViewer}},
		{"each cookie by the other's name", headers{"Cookie": "tracer-" + port + "=" + viewers + "; tracer-viewer-" + port + "=" + presenters}},
		{"other port's cookie", headers{"Cookie": "tracer-1=" + presenters + "; tracer-viewer-1=" + viewers}},
		{"basic", headers{"Authorization": "Basic " + testToken}},
	}
}

// access is a route, and the status for nothing, the presenter's token and
// cookie, the viewers' token and cookie, the emitters' token; to all others it
// is as to nothing.
type access struct {
	method, path string
	with         headers
	want         [6]int
}

var (
	wsHead = headers{"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
		"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol": "other"}
	otlpHead = headers{"Content-Type": "application/x-protobuf"}
	jsonHead = headers{"Content-Type": "application/json", "Sec-Fetch-Site": "same-origin"}
)

// routeAccess is who may do what at the hub's own listener.
var routeAccess = []access{
	{"GET", "/healthz", nil, [6]int{200, 200, 200, 200, 200, 200}},
	{"GET", "/readyz", nil, [6]int{200, 200, 200, 200, 200, 200}},
	{"GET", "/static/app.css", nil, [6]int{200, 200, 200, 200, 200, 200}},
	{"GET", "/login", nil, [6]int{403, 403, 403, 403, 403, 403}},
	{"POST", "/logout", jsonHead, [6]int{303, 303, 303, 303, 303, 303}},
	{"GET", "/", nil, [6]int{401, 200, 200, 200, 200, 401}},
	{"GET", "/metrics", nil, [6]int{401, 200, 401, 403, 401, 401}},
	{"GET", "/api/v1/rows", nil, [6]int{401, 200, 200, 200, 200, 401}},
	{"GET", "/api/v1/watch", wsHead, [6]int{401, 101, 101, 101, 101, 401}},
	{"PUT", "/api/v1/room/following", jsonHead, [6]int{401, 409, 409, 409, 409, 401}},
	{"POST", "/api/v1/room/answer", jsonHead, [6]int{401, 400, 400, 400, 400, 401}},
	{"GET", "/api/v1/room/answer", nil, [6]int{401, 200, 200, 200, 200, 401}},
	{"GET", "/api/v1/recordings", nil, [6]int{401, 200, 200, 200, 200, 401}},
	{"GET", "/api/v1/recordings/none/rows", nil, [6]int{401, 404, 404, 404, 404, 401}},
	{"GET", "/api/v1/recordings/none/watch", wsHead, [6]int{401, 404, 404, 404, 404, 401}},
	{"GET", "/api/v1/lesson", nil, [6]int{401, 503, 503, 503, 503, 401}},
	{"POST", "/api/v1/lesson/answer", jsonHead, [6]int{401, 503, 503, 503, 503, 401}},
	{"GET", "/api/v1/lessons", jsonHead, [6]int{401, 200, 200, 403, 403, 401}},
	{"POST", "/api/v1/lessons/x/start", jsonHead, [6]int{401, 503, 503, 403, 403, 401}},
	{"POST", "/api/v1/lesson/next", jsonHead, [6]int{401, 503, 503, 403, 403, 401}},
	{"POST", "/api/v1/lesson/previous", jsonHead, [6]int{401, 503, 503, 403, 403, 401}},
	{"POST", "/api/v1/lesson/restart", jsonHead, [6]int{401, 503, 503, 403, 403, 401}},
	{"POST", "/api/v1/lesson/stop", jsonHead, [6]int{401, 503, 503, 403, 403, 401}},
	{"GET", "/api/v1/export", nil, [6]int{401, 200, 200, 403, 403, 401}},
	{"POST", "/api/v1/embed", jsonHead, [6]int{401, 409, 409, 403, 403, 401}},
	{"GET", "/api/v1/embed/watch", nil, [6]int{401, 401, 401, 401, 401, 401}}, // needs a token of its own
	{"GET", "/embed", nil, [6]int{403, 403, 403, 403, 403, 403}},
	{"PUT", "/api/v1/room/presenter", jsonHead, [6]int{401, 400, 400, 403, 403, 401}},
	{"POST", "/api/v1/room/call", jsonHead, [6]int{401, 204, 204, 403, 403, 401}},
	{"GET", "/api/v1/share/qr.svg", nil, [6]int{401, 404, 404, 403, 403, 401}},
	{"POST", "/api/v1/control", jsonHead, [6]int{401, 400, 400, 403, 403, 401}},
	{"GET", "/api/v1/control/attach", nil, [6]int{401, 401, 401, 401, 401, 401}}, // needs the controllers' own token
	{"POST", "/api/v1/actions/scale", jsonHead, [6]int{401, 503, 503, 403, 403, 401}},
	{"POST", "/v1/traces", otlpHead, [6]int{401, 401, 401, 401, 401, 200}},
	{"POST", "/v1/logs", otlpHead, [6]int{401, 401, 401, 401, 401, 200}},
}

// TestWhoMayWhat is every route with every credential.
func TestWhoMayWhat(t *testing.T) {
	h := start(t)
	h.checkAccess(h.client, portOf(h.Addr()), routeAccess)
}

// TestAccessIsDecidedForEveryRoute finds a route of which nobody has said who
// may call it.
func TestAccessIsDecidedForEveryRoute(t *testing.T) {
	h := start(t, func(c *Config) { c.Share = "127.0.0.1:0" })
	for name, c := range map[string]struct {
		routes http.Handler
		known  []access
	}{"hub": {h.routes(), routeAccess}, "viewers": {h.shareRoutes(), shareAccess}} {
		err := chi.Walk(c.routes.(chi.Routes), func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
			decided := slices.ContainsFunc(c.known, func(a access) bool { return a.method == method && matchesRoute(route, a.path) })
			if !decided {
				t.Errorf("who may %s %s at the %s' listener is in no table", method, route, name)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// matchesRoute says whether a path is one of a route like /actions/{action} or
// /static/*.
func matchesRoute(route, path string) bool {
	pattern := regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(route, "*")
	ok, err := filepath.Match(pattern, path)
	return err == nil && ok
}

func portOf(addr string) string { return addr[strings.LastIndex(addr, ":")+1:] }

func (r *running) checkAccess(c *client, port string, routes []access) {
	r.t.Helper()
	for _, route := range routes {
		for i, credential := range r.credentials(port) {
			with, want := headers{}, route.want[0]
			if i < len(route.want) {
				want = route.want[i]
			}
			for _, from := range []headers{route.with, credential.with} {
				for k, v := range from {
					with[k] = v
				}
			}
			if with["Upgrade"] != "" {
				with["Origin"] = c.url
			}
			var body []byte
			if with["Content-Type"] == "application/json" {
				body = []byte("{}")
			}
			if got := c.status(route.method, route.path, with, body); got != want {
				r.t.Errorf("%s %s with %s: %d, want %d", route.method, route.path, credential.name, got, want)
			}
		}
	}
}

// status is do's status; it does not wait for the end of a websocket.
func (r *client) status(method, path string, h headers, body []byte) int {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.url+path, bytes.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	for k, v := range h {
		req.Header.Set(k, v)
		if k == "Host" {
			req.Host = v
		}
	}
	transport := &http.Transport{DisableKeepAlives: true}
	defer transport.CloseIdleConnections()
	res, err := transport.RoundTrip(req)
	if err != nil {
		r.t.Fatal(err)
	}
	res.Body.Close()
	return res.StatusCode
}

func TestLoginLinkOpensASession(t *testing.T) {
	h := start(t)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar, Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Get(h.LoginURL())
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusOK || strings.Contains(res.Request.URL.String(), testToken) || res.Request.URL.Path != "/" {
		t.Errorf("the link leads to %s with %d, want / without the token", res.Request.URL, res.StatusCode)
	}
	set := h.do("GET", "/login?token="+testToken, nil, nil)
	if set.status != http.StatusSeeOther {
		t.Errorf("login answers %d, want 303", set.status)
	}
	cookie := set.header.Get("Set-Cookie")
	for _, want := range []string{h.sessionName(here, presenter) + "=", "HttpOnly", "SameSite=Lax", "Path=/"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("the cookie %q has no %s", cookie, want)
		}
	}
	if strings.Contains(cookie, testToken) || strings.Contains(cookie, "Secure") {
		t.Errorf("the cookie %q holds the token, or is Secure over plain HTTP", cookie)
	}
	for _, path := range []string{"/login", "/login?token=", "/login?token=wrong", "/login?token=" + testIngest} {
		res := h.do("GET", path, nil, nil)
		if res.status != 403 || res.header.Get("Set-Cookie") != "" || strings.Contains(res.body, testToken) {
			t.Errorf("%s answers %d and sets %q, want 403 and nothing", path, res.status, res.header.Get("Set-Cookie"))
		}
	}
	out := h.do("POST", "/logout", headers{"Sec-Fetch-Site": "same-origin"}, nil)
	if !strings.Contains(out.header.Get("Set-Cookie"), "Max-Age=0") {
		t.Errorf("logout sets %q, want the cookie to end", out.header.Get("Set-Cookie"))
	}
}

func TestHosts(t *testing.T) {
	h := start(t, func(c *Config) { c.AllowedHosts = []string{"Tracer.example", "other.example:8443"} })
	for host, want := range map[string]int{
		"localhost": 200, "localhost:9": 200, "LOCALHOST": 200, "127.0.0.1:80": 200, "127.0.0.2": 200, "[::1]:7780": 200, "[::1]": 200,
		"tracer.example": 200, "tracer.example:99": 200, "other.example:8443": 200,
		"TRACER.Example": 200, "Other.Example:8443": 200,
		"other.example": 421, "evil.test": 421, "127.0.0.1.evil.test": 421, "localhost.evil.test:7780": 421, "192.0.2.7": 421,
	} {
		for _, path := range []string{"/static/app.css", "/api/v1/rows", "/"} {
			with := bearer(testToken)
			with["Host"] = host
			if got := h.status("GET", path, with, nil); got != want {
				t.Errorf("Host %s on %s: %d, want %d", host, path, got, want)
			}
		}
		if got := h.status("GET", "/healthz", headers{"Host": host}, nil); got != 200 {
			t.Errorf("Host %s on /healthz: %d, want 200", host, got)
		}
	}
}

// TestOrigins is about the websocket, which a page of any site could open.
func TestOrigins(t *testing.T) {
	h := start(t)
	cookie := headers{"Cookie": h.sessionName(here, presenter) + "=" + h.token.cookie()}
	own := h.URL()
	port := own[strings.LastIndex(own, ":"):]
	for _, c := range []struct {
		name string
		with headers
		head headers
		ok   bool
	}{
		{"cookie, own origin", cookie, headers{"Origin": own}, true},
		{"cookie, own origin, told same", cookie, headers{"Origin": own, "Sec-Fetch-Site": "same-origin"}, true},
		{"cookie, none", cookie, headers{}, false},
		{"cookie, null", cookie, headers{"Origin": "null"}, false},
		{"cookie, other site", cookie, headers{"Origin": "http://evil.test"}, false},
		{"cookie, other port", cookie, headers{"Origin": "http://127.0.0.1:1"}, false},
		{"cookie, other name", cookie, headers{"Origin": "http://localhost" + port}, false},
		{"cookie, other scheme", cookie, headers{"Origin": strings.Replace(own, "http:", "https:", 1)}, false},
		{"cookie, own origin, told cross", cookie, headers{"Origin": own, "Sec-Fetch-Site": "cross-site"}, false},
		{"cookie, own origin, told same-site", cookie, headers{"Origin": own, "Sec-Fetch-Site": "same-site"}, false},
		{"bearer, none", bearer(testToken), headers{}, true},
		{"bearer, own", bearer(testToken), headers{"Origin": own}, true},
		{"bearer, other site", bearer(testToken), headers{"Origin": "http://evil.test"}, false},
		{"ingest, none", bearer(testIngest), headers{}, false},
	} {
		head := http.Header{}
		for _, from := range []headers{c.with, c.head} {
			for k, v := range from {
				head.Set(k, v)
			}
		}
		conn, _, err := websocket.Dial(t.Context(), own+"/api/v1/watch", &websocket.DialOptions{
			HTTPHeader: head, Subprotocols: []string{watch.Subprotocol},
		})
		if err == nil {
			_ = conn.CloseNow()
		}
		if (err == nil) != c.ok {
			t.Errorf("%s: %v, want success %v", c.name, err, c.ok)
		}
	}
}

func TestActionsFromOtherPagesAreRefused(t *testing.T) {
	h := start(t, func(c *Config) { c.Actions = &recordedActions{} })
	base := headers{"Cookie": h.sessionName(here, presenter) + "=" + h.token.cookie(), "Content-Type": "application/json"}
	for name, c := range map[string]struct {
		head headers
		want int
	}{
		"own page":        {headers{"Origin": h.URL(), "Sec-Fetch-Site": "same-origin"}, 200},
		"own page, old":   {headers{"Origin": h.URL()}, 200},
		"other site":      {headers{"Origin": "http://evil.test", "Sec-Fetch-Site": "cross-site"}, 403},
		"other site, old": {headers{"Origin": "http://evil.test"}, 403},
		"other port":      {headers{"Origin": "http://127.0.0.1:1", "Sec-Fetch-Site": "same-site"}, 403},
		"null":            {headers{"Origin": "null"}, 403},
		"form":            {headers{"Origin": h.URL(), "Content-Type": "text/plain"}, 415},
	} {
		with := headers{}
		for _, from := range []headers{base, c.head} {
			for k, v := range from {
				with[k] = v
			}
		}
		if got := h.status("POST", "/api/v1/actions/scale", with, []byte(`{"name":"web"}`)); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func TestSecurityHeadersAreEverywhere(t *testing.T) {
	h := start(t)
	for _, path := range []string{"/", "/login", "/static/app.js", "/healthz", "/api/v1/rows", "/nothing"} {
		head := h.do("GET", path, nil, nil).header
		for name, want := range map[string]string{
			"Content-Security-Policy":    "default-src 'none'",
			"X-Content-Type-Options":     "nosniff",
			"Referrer-Policy":            "no-referrer",
			"Cross-Origin-Opener-Policy": "same-origin",
		} {
			if !strings.Contains(head.Get(name), want) {
				t.Errorf("%s has %s %q, want %q", path, name, head.Get(name), want)
			}
		}
		for _, part := range []string{"frame-ancestors 'none'", "require-trusted-types-for 'script'", "script-src 'self'"} {
			if !strings.Contains(head.Get("Content-Security-Policy"), part) {
				t.Errorf("%s: the policy has no %s", path, part)
			}
		}
	}
}

func TestTokensAreNeverLogged(t *testing.T) {
	var log bytes.Buffer
	h := start(t, func(c *Config) {
		c.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	h.do("GET", "/login?token="+testToken, nil, nil)
	h.send(1)
	h.stop()
	if text := log.String() + fmt.Sprintf("%v %+v %#v", h.token, h.token, h.token); strings.Contains(text, testToken) ||
		strings.Contains(text, testIngest) || strings.Contains(text, h.token.cookie()) {
		t.Errorf("a token is in the log:\n%s", text)
	}
}

// Behind a proxy that does TLS the browser must not show the cookie to anybody
// on plain HTTP; by a loopback name there is no TLS, and the cookie must work.
func TestCookieBehindAProxyIsSecure(t *testing.T) {
	h := start(t, func(c *Config) {
		c.InsecureBehindProxy, c.AllowedHosts = true, []string{"tracer.example"}
	})
	for host, secure := range map[string]bool{"tracer.example": true, "tracer.example:443": true, "127.0.0.1": false, "localhost:8080": false} {
		set := h.do("GET", "/login?token="+testToken, headers{"Host": host}, nil).header.Get("Set-Cookie")
		if strings.Contains(set, "; Secure") != secure || strings.HasPrefix(set, "__Host-") != secure {
			t.Errorf("by the name %s the cookie is %q, want it Secure: %v", host, strings.ReplaceAll(set, h.token.cookie(), "…"), secure)
		}
		session, _, _ := strings.Cut(set, ";")
		if res := h.do("GET", "/api/v1/rows", headers{"Host": host, "Cookie": session}, nil); res.status != 200 {
			t.Errorf("by the name %s the cookie opens nothing: %d", host, res.status)
		}
	}
}
