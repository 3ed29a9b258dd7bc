package server

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/server/watch"
	"github.com/reconcile-tracer/tracer/templates"
)

// How long a link for embedding opens the view, in minutes.
const (
	embedMinutes    = 120
	maxEmbedMinutes = 24 * 60
)

// embedProtocol begins the websocket subprotocol that carries a view token: a
// page that a browser keeps from its cookies can send no other header, and a
// URL would be logged.
const embedProtocol = "tracer.embed."

// embedPurpose begins what is signed, so that no other signature is a view token.
const embedPurpose = "tracer embed 1 "

// viewToken makes a token that lets whoever has it watch, and nothing else,
// until a time. It is its own proof, so that the hub keeps no list. Its secret is
// for this alone: who has a view token can try to guess what it was made with.
func (s secret) viewToken(until time.Time) string {
	text := strconv.FormatInt(until.Unix(), 10) + "." + rand.Text()[:12]
	return text + "." + s.sign(embedPurpose+text)
}

// viewUntil returns until when a token opens the view; false when it does not
// now, or is none of ours.
func (s secret) viewUntil(token string, now time.Time) (time.Time, bool) {
	i := strings.LastIndexByte(token, '.')
	if i < 0 || !(secret{s.sign(embedPurpose + token[:i])}).is(token[i+1:]) {
		return time.Time{}, false
	}
	seconds, _, _ := strings.Cut(token, ".")
	n, err := strconv.ParseInt(seconds, 10, 64)
	until := time.Unix(n, 0)
	return until, err == nil && now.Before(until)
}

// embed serves the read-only page for frames of the sites that were allowed. It
// holds nothing but the empty map: what is seen comes with the token.
func (h *Hub) embed(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if len(h.cfg.EmbedAncestors) == 0 {
		h.say(w, r, templates.Notice{
			Status: http.StatusForbidden,
			Title:  "This hub may not be embedded",
			Text: "No site is allowed to show it in a frame. Start the hub again with the site that shall, and take “Copy a frame " +
				"for a site” in the page's menu “View”:",
			Command: "tracer … --embed-ancestor https://course.example",
		})
		return
	}
	head := w.Header()
	head.Set("Content-Security-Policy", strings.Replace(policy, "frame-ancestors 'none'",
		"frame-ancestors "+strings.Join(h.cfg.EmbedAncestors, " "), 1))
	head.Del("X-Frame-Options") // it knows one site or none; frame-ancestors says it all
	// Sites that isolate themselves ask this of what they frame.
	head.Set("Cross-Origin-Resource-Policy", "cross-origin")
	head.Set("Cross-Origin-Embedder-Policy", "require-corp")
	head.Set("Content-Type", "text/html; charset=utf-8")
	if err := templates.Embed().Render(r.Context(), w); err != nil {
		h.cfg.Log.Debug("a page was not sent whole", "error", err)
	}
}

// embedLink is what a presenter gets for a course site.
type embedLink struct {
	// URL has the token in its fragment, which browsers send nowhere.
	URL string `json:"url"`
	// HTML is the frame to paste.
	HTML      string    `json:"html"`
	Until     time.Time `json:"until"`
	Ancestors []string  `json:"ancestors"`
}

// makeEmbed answers a presenter with a link that lets a frame watch for a while.
func (h *Hub) makeEmbed(w http.ResponseWriter, r *http.Request) {
	body, ok := h.body(w, r, "a link for embedding", readBody)
	if !ok {
		return
	}
	if len(h.cfg.EmbedAncestors) == 0 {
		fail(w, http.StatusConflict, "no site may embed this hub: start it with --embed-ancestor https://course.example")
		return
	}
	minutes, err := linkMinutes(body)
	if err != nil {
		fail(w, http.StatusBadRequest, "%v", err)
		return
	}
	until := time.Now().Add(time.Duration(minutes) * time.Minute).Truncate(time.Second)
	link := h.pageURL(r) + "/embed#token=" + h.embeds.viewToken(until)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	answer := json.NewEncoder(w)
	answer.SetEscapeHTML(false)
	_ = answer.Encode(embedLink{
		URL: link, Until: until, Ancestors: h.cfg.EmbedAncestors,
		HTML: fmt.Sprintf(`<iframe src="%s" title="A controller's loop, live" width="960" height="640" style="border:0"></iframe>`, link),
	})
}

// pageURL is the hub's address as the browser of a request knows it, which
// behind a proxy is not the hub's own.
func (h *Hub) pageURL(r *http.Request) string {
	if h.secure(r) {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

func linkMinutes(body []byte) (int, error) {
	var asked struct {
		Minutes *int `json:"minutes"`
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		return 0, errors.New(`the body is not a JSON object like {"minutes":120}: send {} for two hours`)
	}
	if asked.Minutes == nil {
		return embedMinutes, nil
	}
	if *asked.Minutes < 1 || *asked.Minutes > maxEmbedMinutes {
		return 0, fmt.Errorf("minutes is %d: use 1 to %d, or leave it out for %d", *asked.Minutes, maxEmbedMinutes, embedMinutes)
	}
	return *asked.Minutes, nil
}

// embedWatch lets an embedded page watch: its own page alone, with a view token
// in the subprotocol, until that ends.
func (h *Hub) embedWatch(w http.ResponseWriter, r *http.Request) {
	if same, there := h.sameOrigin(r); there && !same {
		fail(w, http.StatusForbidden, "the websocket's Origin %q is not this hub's page", briefOrigin(r))
		return
	}
	until, ok := h.embeds.viewUntil(embedTokenOf(r), time.Now())
	if !ok || len(h.cfg.EmbedAncestors) == 0 {
		fail(w, http.StatusUnauthorized, "this needs a view token that has not ended, in the subprotocol %s<token>: "+
			"ask the presenter for a new link", embedProtocol)
		return
	}
	ctx, cancel := context.WithDeadline(r.Context(), until)
	defer cancel()
	h.watch.ServeGuest(w, r.WithContext(ctx), watch.Guest{OfMany: true})
}

func embedTokenOf(r *http.Request) string {
	for _, header := range r.Header.Values("Sec-WebSocket-Protocol") {
		for protocol := range strings.SplitSeq(header, ",") {
			if token, ok := strings.CutPrefix(strings.TrimSpace(protocol), embedProtocol); ok {
				return token
			}
		}
	}
	return ""
}

// CheckAncestor finds what is wrong with the origin of a site that is to show the
// hub in a frame.
func CheckAncestor(origin string) error {
	u, err := url.Parse(origin)
	bad := func(why string) error {
		return fmt.Errorf("--embed-ancestor %q %s: give one site's origin, as in https://course.example", flow.Brief(origin), why)
	}
	switch {
	case strings.Contains(origin, "*"):
		return bad("has a wildcard, which would let sites in that nobody has named")
	case err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http":
		return bad("is not an origin")
	case u.User != nil || u.Path != "" || u.RawQuery != "" || u.Fragment != "" || u.Scheme+"://"+u.Host != origin:
		return bad("has more than a scheme, a name and a port")
	case strings.Trim(u.Host, hostCharacters+"[]") != "":
		return bad("has a name that no browser sends")
	case u.Scheme == "http" && !IsLoopback(u.Hostname()):
		return bad("is plain HTTP, where anybody on the way can change the page")
	}
	return nil
}
