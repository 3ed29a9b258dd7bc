package server

import (
	"cmp"
	"crypto/x509"
	"net"
	"net/url"
	"slices"
	"strings"
)

// ViewerLink is one way for viewers to reach the hub.
type ViewerLink struct {
	// URL holds the viewers' token. Interface is the network interface that the
	// address is of, "" where it was chosen by hand.
	URL, Interface string
	// Warns says that browsers warn of it: the certificate is for other names.
	Warns bool
}

// maxLinks is how many addresses are offered at most.
const maxLinks = 8

// ViewerLinks are the links by which others reach a listener of this machine,
// the likeliest first. An address that was chosen is the only one; without one,
// they are those of all networks, and of this machine alone where there is none.
// With a certificate they are those of its names and of the addresses that it is
// for, if there are any.
func ViewerLinks(listen, token string, cert *x509.Certificate) []ViewerLink {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return nil
	}
	addresses := []lanAddress{{host: host}}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		addresses = rankAddresses(ownAddresses(), wayOut())
	}
	scheme, warns := "http", false
	if cert != nil {
		scheme = "https"
		addresses, warns = certified(addresses, cert)
	}
	var links []ViewerLink
	for _, a := range addresses {
		u := url.URL{Scheme: scheme, Host: net.JoinHostPort(a.host, port), Path: "/login", RawQuery: "token=" + url.QueryEscape(token)}
		links = append(links, ViewerLink{URL: u.String(), Interface: a.on, Warns: warns})
	}
	return links
}

// certified are the names of a certificate and those addresses that it is for;
// all addresses, with a warning, where it is for nothing that a link can have.
func certified(addresses []lanAddress, cert *x509.Certificate) (found []lanAddress, warns bool) {
	for _, name := range cert.DNSNames {
		if !strings.Contains(name, "*") && !IsLoopback(name) {
			found = append(found, lanAddress{host: name})
		}
	}
	for _, a := range addresses {
		if cert.VerifyHostname(a.host) == nil {
			found = append(found, a)
		}
	}
	if len(found) == 0 {
		return addresses, true
	}
	return found[:min(len(found), maxLinks)], false
}

// lanAddress is an address of this machine, on one of its interfaces.
type lanAddress struct{ host, on string }

// ownAddresses are those of the interfaces that are up. What cannot be read is
// left out: a link that lacks is no reason not to start.
func ownAddresses() []lanAddress {
	var found []lanAddress
	interfaces, _ := net.Interfaces()
	for _, i := range interfaces {
		if i.Flags&net.FlagUp == 0 {
			continue
		}
		addrs, _ := i.Addrs()
		for _, a := range addrs {
			if network, ok := a.(*net.IPNet); ok {
				found = append(found, lanAddress{network.IP.String(), i.Name})
			}
		}
	}
	return found
}

// wayOut is the address with which this machine calls others, "" where it calls
// nobody. Nothing is sent: a datagram's socket only chooses its route.
func wayOut() string {
	conn, err := net.Dial("udp", "192.0.2.1:9") //nolint:noctx // it neither sends nor waits
	if err != nil {
		return ""
	}
	defer func() { _ = conn.Close() }()
	return hostOf(conn.LocalAddr().String())
}

// inner begin the names of interfaces that lead to containers and machines
// inside of this one, or through a tunnel.
var inner = []string{"docker", "br-", "veth", "virbr", "cni", "flannel", "cali", "vmnet", "vboxnet", "podman", "lxc", "tun", "utun", "wg", "tailscale"}

// rankAddresses sorts out what others can reach, the likeliest first: the
// address of the way out, then those of private networks, IPv4 before IPv6,
// those of containers last. Where nothing is left it is this machine's own.
func rankAddresses(all []lanAddress, out string) []lanAddress {
	var kept []lanAddress
	for _, a := range all {
		if ip := net.ParseIP(a.host); ip != nil && ip.IsGlobalUnicast() {
			kept = append(kept, a)
		}
	}
	slices.SortStableFunc(kept, func(a, b lanAddress) int { return cmp.Compare(unlikely(a, out), unlikely(b, out)) })
	if len(kept) == 0 {
		return []lanAddress{{host: "127.0.0.1"}}
	}
	return kept[:min(len(kept), maxLinks)]
}

// unlikely grows with how unlikely it is that others reach an address.
func unlikely(a lanAddress, out string) int {
	score, ip := 0, net.ParseIP(a.host)
	if slices.ContainsFunc(inner, func(prefix string) bool { return strings.HasPrefix(a.on, prefix) }) {
		score += 8
	}
	if ip.To4() == nil {
		score += 4
	}
	if a.host != out {
		score += 2
	}
	if !ip.IsPrivate() {
		score++
	}
	return score
}
