package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/reconcile-tracer/tracer/server/watch"
)

const courseSite = "https://course.example"

func embeddable(c *Config) { c.EmbedAncestors = []string{courseSite, "http://127.0.0.1:8000"} }

// askForLink asks for a link as the presenter does, and returns its token.
func askForLink(t *testing.T, h *running, body string) (embedLink, string) {
	t.Helper()
	res := h.do("POST", "/api/v1/embed", bearer(testToken), []byte(body))
	var link embedLink
	if err := json.Unmarshal([]byte(res.body), &link); err != nil || res.status != 200 {
		t.Fatalf("asking for a link answers %d %s", res.status, res.body)
	}
	u, err := url.Parse(link.URL)
	if err != nil || u.Path != "/embed" || u.RawQuery != "" {
		t.Fatalf("the link is %q, want /embed with the token in the fragment alone", link.URL)
	}
	return link, strings.TrimPrefix(u.Fragment, "token=")
}

// watchEmbedded opens the watch as the embedded page does.
func watchEmbedded(t *testing.T, h *running, origin, token string) error {
	t.Helper()
	head := http.Header{}
	if origin != "" {
		head.Set("Origin", origin)
	}
	conn, res, err := websocket.Dial(t.Context(), h.URL()+"/api/v1/embed/watch", &websocket.DialOptions{
		HTTPHeader: head, Subprotocols: []string{watch.Subprotocol, embedProtocol + token},
	})
	if err != nil {
		return err
	}
	defer func() { _ = conn.CloseNow() }()
	if got := res.Header.Get("Sec-WebSocket-Protocol"); got != watch.Subprotocol {
		t.Errorf("the hub chose the subprotocol %q and may have echoed the token", got)
	}
	_, _, err = conn.Read(t.Context())
	return err
}

func TestEmbedIsForTheSitesThatWereNamed(t *testing.T) {
	h := start(t, embeddable)
	res := h.do("GET", "/embed", nil, nil)
	csp := res.header.Get("Content-Security-Policy")
	if res.status != 200 || !strings.Contains(csp, "frame-ancestors "+courseSite+" http://127.0.0.1:8000;") {
		t.Errorf("/embed answers %d with the policy %q", res.status, csp)
	}
	if got := res.header.Get("X-Frame-Options"); got != "" {
		t.Errorf("/embed has X-Frame-Options %q, which would refuse the sites that were named", got)
	}
	if strings.Contains(res.body, "tryit") || strings.Contains(res.body, "data-lane=\"podset\"") {
		t.Error("/embed holds actions or rows, and nobody has logged in")
	}
	if csp := h.do("GET", "/", bearer(testToken), nil).header.Get("Content-Security-Policy"); !strings.Contains(csp, "frame-ancestors 'none'") {
		t.Errorf("the page itself may be framed: %q", csp)
	}
}

func TestWithoutAncestorsEmbedSaysHowToAllowIt(t *testing.T) {
	h := start(t)
	res := h.do("GET", "/embed", nil, nil)
	if res.status != 403 || !strings.Contains(res.body, "--embed-ancestor https://course.example") ||
		!strings.Contains(res.header.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
		t.Errorf("/embed answers %d %s", res.status, res.body)
	}
	if res := h.do("POST", "/api/v1/embed", bearer(testToken), []byte("{}")); res.status != 409 || !strings.Contains(res.body, "--embed-ancestor") {
		t.Errorf("asking for a link answers %d %s", res.status, res.body)
	}
	// A token that was made while it was allowed opens nothing now.
	if err := watchEmbedded(t, h, h.URL(), h.embeds.viewToken(time.Now().Add(time.Hour))); err == nil {
		t.Error("the watch opens though no site may embed this hub")
	}
}

func TestAViewTokenWatchesAndDoesNothingElse(t *testing.T) {
	h := start(t, embeddable, func(c *Config) { c.Actions = &recordedActions{} })
	link, token := askForLink(t, h, "{}")
	if left := time.Until(link.Until); left < 119*time.Minute || left > 121*time.Minute {
		t.Errorf("the link opens the view for %s, want two hours", left)
	}
	if err := watchEmbedded(t, h, h.URL(), token); err != nil {
		t.Errorf("its own page cannot watch: %v", err)
	}
	for name, err := range map[string]error{
		"a page of another site": watchEmbedded(t, h, "http://evil.test", token),
		"the site that embeds":   watchEmbedded(t, h, courseSite, token),
		"a changed token":        watchEmbedded(t, h, h.URL(), "9"+token[1:]),
		"no token":               watchEmbedded(t, h, h.URL(), ""),
		"the presenter's token":  watchEmbedded(t, h, h.URL(), testToken),
		"a token that has ended": watchEmbedded(t, h, h.URL(), h.embeds.viewToken(time.Now().Add(-time.Second))),
	} {
		if err == nil {
			t.Errorf("%s may watch", name)
		}
	}
	for _, call := range [][2]string{
		{"GET", "/api/v1/rows"}, {"POST", "/api/v1/actions/scale"}, {"POST", "/api/v1/embed"}, {"GET", "/metrics"}, {"POST", "/v1/traces"},
	} {
		if got := h.status(call[0], call[1], bearer(token), []byte("{}")); got != 401 && got != 403 {
			t.Errorf("%s %s with a view token answers %d, want a refusal", call[0], call[1], got)
		}
	}
}

// Who has a view token knows what was signed and how, and guesses offline; the
// presenter's token, which a person may have chosen, must not be in it.
func TestAViewTokenTellsNothingOfThePresenters(t *testing.T) {
	dir := t.TempDir()
	in := func(c *Config) { c.Data = dir }
	h := start(t, embeddable, in)
	_, token := askForLink(t, h, "{}")
	i := strings.LastIndexByte(token, '.')
	for _, guess := range []string{testToken, testViewer, testIngest} {
		if (secret{guess}).sign(embedPurpose+token[:i]) == token[i+1:] {
			t.Errorf("a view token is made with %q", guess)
		}
	}
	info, err := os.Stat(filepath.Join(dir, embedFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("its secret has mode %v (%v), want 0600", info.Mode().Perm(), err)
	}
	h.stop()
	h = start(t, embeddable, in, func(c *Config) { c.Token = "another-for-the-presenter" })
	if err := watchEmbedded(t, h, h.URL(), token); err != nil {
		t.Errorf("after a restart the link does not open any more: %v", err)
	}
	h.stop()
	if err := os.Remove(filepath.Join(dir, embedFile)); err != nil {
		t.Fatal(err)
	}
	h = start(t, embeddable, in)
	if err := watchEmbedded(t, h, h.URL(), token); err == nil {
		t.Error("the link opens though its secret was taken away")
	}
}

func TestAViewEndsWithItsToken(t *testing.T) {
	h := start(t, embeddable)
	head := http.Header{"Origin": {h.URL()}}
	token := h.embeds.viewToken(time.Now().Add(2 * time.Second)) // a second at least: it counts whole ones
	conn, _, err := websocket.Dial(t.Context(), h.URL()+"/api/v1/embed/watch", &websocket.DialOptions{
		HTTPHeader: head, Subprotocols: []string{watch.Subprotocol, embedProtocol + token},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.CloseNow() }()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for err == nil {
		_, _, err = conn.Read(ctx)
	}
	if ctx.Err() != nil {
		t.Error("the view goes on after its token has ended")
	}
}

// Who has a link may ask for ever more filters; some are left for the presenter.
func TestEmbeddedPagesDoNotTakeAllFilters(t *testing.T) {
	h := start(t, embeddable)
	token := h.embeds.viewToken(time.Now().Add(time.Minute))
	var refused error
	for i := 1; i < 64 && refused == nil; i++ {
		conn, _, err := websocket.Dial(t.Context(), fmt.Sprintf("%s/api/v1/embed/watch?since=%d", h.URL(), i), &websocket.DialOptions{
			Subprotocols: []string{watch.Subprotocol, embedProtocol + token},
		})
		if refused = err; err == nil {
			t.Cleanup(func() { _ = conn.CloseNow() })
		}
	}
	if refused == nil || !strings.Contains(refused.Error(), "503") {
		t.Errorf("embedded pages with as many filters as they like are answered %v, want 503", refused)
	}
	frame(t, h.watchAs(testToken, "?item=lesson-1/*"), "snapshot")
}

func TestALinkIsAskedForByThePresentersPageAlone(t *testing.T) {
	h := start(t, embeddable)
	cookie := h.sessionName(here, presenter) + "=" + h.token.cookie()
	for name, c := range map[string]struct {
		head headers
		body string
		want int
	}{
		"own page":        {headers{"Cookie": cookie, "Origin": h.URL(), "Sec-Fetch-Site": "same-origin"}, "{}", 200},
		"nobody":          {headers{}, "{}", 401},
		"ingest":          {bearer(testIngest), "{}", 401},
		"other site":      {headers{"Cookie": cookie, "Origin": courseSite, "Sec-Fetch-Site": "cross-site"}, "{}", 403},
		"other site, old": {headers{"Cookie": cookie, "Origin": courseSite}, "{}", 403},
		"a day":           {bearer(testToken), `{"minutes":1440}`, 200},
		"too long":        {bearer(testToken), `{"minutes":1441}`, 400},
		"no time":         {bearer(testToken), `{"minutes":0}`, 400},
		"no JSON":         {bearer(testToken), "", 400},
	} {
		if res := h.do("POST", "/api/v1/embed", c.head, []byte(c.body)); res.status != c.want {
			t.Errorf("%s: %d %s, want %d", name, res.status, res.body, c.want)
		}
	}
}

func TestAncestorsAreOrigins(t *testing.T) {
	for _, good := range []string{
		courseSite, "https://course.example:8443", "http://127.0.0.1:8000", "http://localhost", "http://[::1]:3000",
	} {
		if err := CheckAncestor(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for bad, want := range map[string]string{
		"*": "wildcard", "https://*.example": "wildcard", "course.example": "not an origin", "": "not an origin",
		"https://course.example/": "more than", "https://course.example/a": "more than", "https://a@course.example": "more than",
		"https://course.example?x": "more than", "http://course.example": "plain HTTP", "ftp://course.example": "not an origin",
		"https://course.example; script-src *": "wildcard", "https://course.example;x": "name", "https://:8443": "not an origin", "'self'": "not an origin",
	} {
		err := CheckAncestor(bad)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "--embed-ancestor") {
			t.Errorf("%q: %v, want an error with %q that names the flag", bad, err, want)
		}
	}
}
