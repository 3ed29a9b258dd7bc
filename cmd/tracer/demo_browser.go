package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// openPage opens the page in the browser, or says why it is not open.
func (d *crew) openPage(ctx context.Context, login string) {
	link, err := onceLink(ctx, login)
	if err == nil {
		err = openBrowser(link)
	}
	if err != nil {
		d.say("the browser was not opened: %v (open the link yourself, or say --open=false)", err)
	}
}

// onceLink returns a link that leads to another one, once and within a minute.
// A browser gets its link as an argument, which every user of the machine can
// see; the login link holds the token and must not be one.
func onceLink(ctx context.Context, to string) (string, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	path := "/" + rand.Text()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	server := &http.Server{Handler: redirectOnce(path, to, cancel), ReadHeaderTimeout: 10 * time.Second}
	go func() {
		<-ctx.Done()
		cancel()
		end, done := context.WithTimeout(context.Background(), time.Second)
		defer done()
		_ = server.Shutdown(end) // a browser that holds on is left alone
	}()
	go func() { _ = server.Serve(l) }() // ends with Shutdown
	return "http://" + l.Addr().String() + path, nil
}

func redirectOnce(path, to string, used func()) http.Handler {
	var once sync.Once
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		target := ""
		if r.URL.Path == path {
			once.Do(func() { target = to })
		}
		if target == "" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Referrer-Policy", "no-referrer")
		http.Redirect(w, r, target, http.StatusSeeOther)
		used()
	})
}

// openBrowser hands a link to the system and does not wait for the browser.
func openBrowser(link string) error {
	program, args := "xdg-open", []string{link}
	switch runtime.GOOS {
	case "darwin":
		program = "open"
	case "windows":
		program, args = "rundll32", []string{"url.dll,FileProtocolHandler", link}
	}
	cmd := exec.Command(program, args...) //nolint:noctx // the browser outlives the demo
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting it: %w", err)
	}
	go func() { _ = cmd.Wait() }()
	return nil
}
