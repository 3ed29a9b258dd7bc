package server

import (
	"crypto/rand"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"
)

// browserCookie begins the name of the cookie by which a browser is known again:
// a random word, which it gets with the page, and the hub's signature of it.
const browserCookie = "tracer-browser-"

// browserPurpose begins what is signed.
const browserPurpose = "tracer browser 1 "

// How many browsers get to be known of one address, behind which there may be a
// whole school: so many at once, then one more each time.
const (
	browsersAtOnce = 500
	browserEvery   = time.Minute
)

// knowAgain gives a browser its cookie unless it has one, and returns its word: ""
// where its address has had too many. The presenter's are not counted.
func (h *Hub) knowAgain(w http.ResponseWriter, r *http.Request) string {
	if word := h.browserOf(r); word != "" {
		return word
	}
	if h.roleOf(r) != presenter && !h.newcomers.take(networkOf(r), time.Now()) {
		return ""
	}
	word := rand.Text()
	value := word + "." + h.browsers.sign(browserPurpose+word)
	http.SetCookie(w, h.cookieOf(r, h.cookieName(r, browserCookie), value, 0))
	return word
}

// knowWatching is the word of a browser that watches. One that has a cookie of
// before, as of a page that has been open since, gets another.
func (h *Hub) knowWatching(w http.ResponseWriter, r *http.Request) string {
	if _, err := r.Cookie(h.cookieName(r, browserCookie)); err != nil {
		return ""
	}
	return h.knowAgain(w, r)
}

// browserOf is the word of a browser, "" where it has none that this hub gave it.
func (h *Hub) browserOf(r *http.Request) string {
	c, err := r.Cookie(h.cookieName(r, browserCookie))
	if err != nil {
		return ""
	}
	word, signature, _ := strings.Cut(c.Value, ".")
	if !(secret{h.browsers.sign(browserPurpose + word)}).is(signature) {
		return ""
	}
	return word
}

// voterOf names who answers: the presenter, or a browser in which somebody
// watches now. It is "" for all others.
func (h *Hub) voterOf(r *http.Request) string {
	if h.roleOf(r) == presenter {
		return presenter.String()
	}
	browser := h.browserOf(r)
	if !h.room.watches(browser) {
		return ""
	}
	return browser
}

// networkOf is the address that a request came from; of IPv6 the network, of which
// one machine has all addresses.
func networkOf(r *http.Request) netip.Prefix {
	from, _ := netip.ParseAddrPort(r.RemoteAddr) // what has none is within this process
	addr, bits := from.Addr().Unmap().WithZone(""), 64
	if addr.Is4() {
		bits = 32
	}
	network, _ := addr.Prefix(bits)
	return network
}

// newcomers counts the browsers that got to be known of each network.
type newcomers struct {
	mu sync.Mutex
	// even is when a network is free again to have as many at once as any.
	even map[netip.Prefix]time.Time
}

// maxNetworks is how many networks are counted at once.
const maxNetworks = 10_000

// take says whether a network may have one more now.
func (n *newcomers) take(of netip.Prefix, now time.Time) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	even, counted := n.even[of]
	if !counted && len(n.even) >= maxNetworks {
		n.forget(now)
		if len(n.even) >= maxNetworks {
			return false
		}
	}
	if even.Before(now) {
		even = now
	}
	even = even.Add(browserEvery)
	if even.Sub(now) > browsersAtOnce*browserEvery {
		return false
	}
	n.even[of] = even
	return true
}

// forget drops the networks that may have as many again as any.
func (n *newcomers) forget(now time.Time) {
	for network, even := range n.even {
		if !even.After(now) {
			delete(n.even, network)
		}
	}
}
