package server

import (
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// sayAnswer answers a question in the viewers' role.
func (r *client) sayAnswer(who headers) response {
	return r.do("POST", "/api/v1/lesson/answer", asJSON(who), []byte(`{"beat":2,"choice":1}`))
}

// Who makes up a cookie and watches with it has no voice.
func TestACookieThatWasMadeUpHasNoVoice(t *testing.T) {
	l := &recordedLessons{}
	h, viewers := sharing(t, func(c *Config) { c.Lessons = l })
	real := viewers.browser()["Cookie"]
	for _, value := range []string{
		strings.Repeat("A", 26), strings.Repeat("A", 26) + ".", ".", real[strings.Index(real, "=")+1:][:26],
		strings.Repeat("A", 26) + real[strings.LastIndexByte(real, '.'):],
		strings.Repeat("A", 26) + "." + h.viewer.sign(browserPurpose+strings.Repeat("A", 26)),
	} {
		who := bearer(testViewer)
		who["Cookie"] = "tracer-browser-" + portOf(h.ShareAddr()) + "=" + value
		viewers.watchWith(who)
		if res := viewers.sayAnswer(who); res.status != http.StatusConflict {
			t.Errorf("with the cookie %q an answer is taken: %d", value, res.status)
		}
	}
	if len(l.viewers) > 0 {
		t.Errorf("there are voices of %q", l.viewers)
	}
}

// A page that has been open since before has a cookie without a signature; it gets
// another with its next watch, and its voice back.
func TestACookieOfBeforeIsReplaced(t *testing.T) {
	h, viewers := sharing(t, func(c *Config) { c.Lessons = &recordedLessons{} })
	name := "tracer-browser-" + portOf(h.ShareAddr()) + "="
	conn, res, err := websocket.Dial(t.Context(), viewers.url+"/api/v1/watch", &websocket.DialOptions{
		HTTPHeader:   http.Header{"Authorization": {"Bearer " + testViewer}, "Cookie": {name + strings.Repeat("A", 26)}},
		Subprotocols: []string{"tracer.v1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.CloseNow() }()
	frame(t, conn, "snapshot")
	who := bearer(testViewer)
	who["Cookie"], _, _ = strings.Cut(res.Header.Get("Set-Cookie"), ";")
	if !strings.HasPrefix(who["Cookie"], name) || viewers.sayAnswer(who).status != http.StatusNoContent {
		t.Errorf("its watch sets %q, with which it has no voice", who["Cookie"])
	}
}

func TestABrowserIsKnownAfterARestart(t *testing.T) {
	dir := t.TempDir()
	in := func(c *Config) { c.Data, c.Share, c.Listen = dir, "127.0.0.1:0", "127.0.0.1:0" }
	h := start(t, in)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.URL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	set := h.do("GET", "/", bearer(testViewer), nil).header.Get("Set-Cookie")
	name, rest, _ := strings.Cut(set, "=")
	value, _, _ := strings.Cut(rest, ";")
	h.stop()
	info, err := os.Stat(filepath.Join(dir, browserFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the secret has mode %v (%v), want 0600", info.Mode().Perm(), err)
	}
	h = start(t, in)
	r.AddCookie(&http.Cookie{Name: h.cookieName(r, browserCookie), Value: value})
	if word, _, _ := strings.Cut(value, "."); h.browserOf(r) != word || len(word) != 26 {
		t.Errorf("the cookie %s=%s is not known after a restart", name, value)
	}
}

// One address gets cookies for a whole school, then few; the presenter's page, and
// the page itself, are there all the same.
func TestAnAddressGetsSoManyCookies(t *testing.T) {
	h, viewers := sharing(t, func(c *Config) { c.Lessons = &recordedLessons{} })
	for i := range browsersAtOnce {
		if got := viewers.do("HEAD", "/", bearer(testViewer), nil).header.Get("Set-Cookie"); got == "" {
			t.Fatalf("browser %d gets no cookie", i+1)
		}
	}
	if res := viewers.do("GET", "/", bearer(testViewer), nil); res.status != 200 || res.header.Get("Set-Cookie") != "" {
		t.Errorf("one more is answered %d and gets %q, want the page alone", res.status, res.header.Get("Set-Cookie"))
	}
	if got := h.do("GET", "/", bearer(testToken), nil).header.Get("Set-Cookie"); got == "" {
		t.Error("the presenter's browser is counted")
	}
	if res := viewers.sayAnswer(bearer(testViewer)); res.status != 409 || !strings.Contains(res.body, "500 browsers, then one a minute") {
		t.Errorf("who has no cookie is told %d %s, want the limit", res.status, res.body)
	}
}

func TestNewcomersOfANetwork(t *testing.T) {
	n := newcomers{even: map[netip.Prefix]time.Time{}}
	now := time.Now()
	many := func(from string, want int) {
		t.Helper()
		got := 0
		for n.take(networkOf(&http.Request{RemoteAddr: from}), now) {
			got++
		}
		if got != want {
			t.Errorf("%s may have %d, want %d", from, got, want)
		}
	}
	many("192.0.2.1:1000", browsersAtOnce)
	many("192.0.2.1:2000", 0)
	many("[::ffff:192.0.2.1]:1000", 0)
	many("192.0.2.2:1000", browsersAtOnce)
	many("[2001:db8::1]:1000", browsersAtOnce)
	many("[2001:db8::2:1]:1000", 0)
	many("[2001:db8:0:1::1]:1000", browsersAtOnce)
	many("[fe80::1%eth0]:1000", browsersAtOnce)
	many("[fe80::2%eth1]:1000", 0)
	now = now.Add(3 * browserEvery)
	many("192.0.2.1:1000", 3)
	now = now.Add(2 * browsersAtOnce * browserEvery)
	many("192.0.2.1:1000", browsersAtOnce)
	now = now.Add(2 * browsersAtOnce * browserEvery)
	for i := range maxNetworks + 5 {
		from := netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
		if got, want := n.take(netip.PrefixFrom(from, 32), now), i < maxNetworks; got != want {
			t.Fatalf("network %d: %v, want %v", i, got, want)
		}
	}
	if len(n.even) != maxNetworks {
		t.Errorf("%d networks are counted, want %d", len(n.even), maxNetworks)
	}
}
