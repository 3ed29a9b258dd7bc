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
	"sync/atomic"
	"time"
)

// openPage opens the page in the browser, or says why it is not open; the link is
// in the line that says ready, and holds the token.
func (d *crew) openPage(ctx context.Context, login string) {
	failed := func(err error) {
		d.say("the browser was not opened: %v (open the link that follows ready: yourself; --open=false does not try)", err)
	}
	link, used, err := onceLink(ctx, login)
	if err != nil {
		failed(err)
		return
	}
	ended := func(err error) {
		// A browser that ends later, and badly, has shown the page.
		if !used() && ctx.Err() == nil {
			failed(err)
		}
	}
	if err := openBrowser(link, ended); err != nil {
		failed(err)
	}
}

// onceLink returns a link that leads to another one, once and within a minute.
// A browser gets its link as an argument, which every user of the machine can
// see; the login link holds the token and must not be one. used says whether it
// has been followed.
func onceLink(ctx context.Context, to string) (link string, used func() bool, err error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	path := "/" + rand.Text()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	var followed atomic.Bool
	server := &http.Server{Handler: redirectOnce(path, to, func() { followed.Store(true); cancel() }), ReadHeaderTimeout: 10 * time.Second}
	go func() {
		<-ctx.Done()
		cancel()
		end, done := context.WithTimeout(context.Background(), time.Second)
		defer done()
		_ = server.Shutdown(end) // a browser that holds on is left alone
	}()
	go func() { _ = server.Serve(l) }() // ends with Shutdown
	return "http://" + l.Addr().String() + path, followed.Load, nil
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

// openBrowser hands a link to the system and does not wait for the browser; ended
// is told how the program that was started has ended.
func openBrowser(link string, ended func(error)) error {
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
	go func() {
		if err := cmd.Wait(); err != nil {
			ended(fmt.Errorf("%s: %w", program, err))
		}
	}()
	return nil
}
