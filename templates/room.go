package templates

import "net/url"

// label is what a link is chosen by: its host, and the network's name.
func (l ShareLink) label() string {
	u, err := url.Parse(l.URL)
	if err != nil {
		return l.URL
	}
	if l.Interface == "" {
		return u.Host
	}
	return u.Host + " (" + l.Interface + ")"
}
