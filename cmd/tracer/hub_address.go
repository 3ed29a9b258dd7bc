package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/reconcile-tracer/tracer/server"
)

// addressFile is where a hub that runs in a folder writes its URL, and a demo
// that of the hub that it is about to start. One that has ended leaves it there,
// for the next start.
func addressFile(hub string) string { return filepath.Join(hub, "address") }

func writeHubAddress(hub, url string) error {
	return os.WriteFile(addressFile(hub), []byte(url+"\n"), 0o600)
}

// hubAddress is the URL of the hub that runs in a folder now, "" where none does
// or where it has not said yet: what was written before it took the folder is the
// address of the one before, where anybody may listen by now.
func hubAddress(hub string) string {
	since, runs := server.Runs(hub)
	said, err := os.Stat(addressFile(hub))
	if !runs || err != nil || said.ModTime().Before(since) {
		return ""
	}
	return lastAddress(hub)
}

// lastAddress is the URL of the hub that ran in a folder last, "" where none did.
func lastAddress(hub string) string {
	url, _ := os.ReadFile(addressFile(hub))
	return strings.TrimSpace(string(url))
}
