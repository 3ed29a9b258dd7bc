//go:build linux

// Command classload measures how far a class is behind its presenter: viewers
// that do what the page does, and pages in a real Chromium, follow a real demo
// through its viewers' listener, while PodSets are edited and the presenter moves
// about. What is measured is when a frame has come to a viewer, after it has come
// to the presenter, by one clock.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"time"

	"github.com/coder/websocket"

	"github.com/reconcile-tracer/tracer/cmd/tracer/internal/demotest"
)

// goal is how far behind 99 of 100 frames may be.
const goal = 100 * time.Millisecond

// patience bounds the whole run.
const patience = 3 * time.Minute

type options struct {
	bin            demotest.Binaries
	chromium       string
	viewers, pages int
	duration       time.Duration
	every          time.Duration
}

func main() {
	var o options
	flag.StringVar(&o.bin.Tracer, "tracer", "bin/tracer", "the built tracer")
	flag.StringVar(&o.bin.Localcluster, "localcluster", "bin/localcluster", "the built localcluster")
	flag.StringVar(&o.chromium, "chromium", os.Getenv("CHROMIUM"), "the browser")
	flag.IntVar(&o.viewers, "viewers", 35, "how many viewers watch as the page does")
	flag.IntVar(&o.pages, "pages", 3, "how many pages watch in the browser, beside them")
	flag.DurationVar(&o.duration, "for", 30*time.Second, "for how long")
	flag.DurationVar(&o.every, "every", 500*time.Millisecond, "how often PodSets are edited, five times each, and the presenter moves")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "classload:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	data, err := os.MkdirTemp("", "classload-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(data) }()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	demo, err := demotest.Start(ctx, o.bin, data, "--share=127.0.0.1:0")
	if err != nil {
		return err
	}
	defer demo.End()
	if _, err := demo.Ready(ctx); err != nil {
		return err
	}
	c, err := gather(ctx, o, demo)
	if err != nil {
		return err
	}
	defer c.leave()
	if err := c.teach(ctx, o); err != nil {
		return err
	}
	return c.report(o)
}

// class is who watches, and what each has heard.
type class struct {
	demo      *demotest.Demo
	presenter *watcher
	viewers   []*watcher
	browser   *browser
	pages     []*watcher
}

var viewersLink = regexp.MustCompile(`(http://\S+)/login\?token=(\S+)`)

// gather lets everyone in and waits until the hub counts them.
func gather(ctx context.Context, o options, demo *demotest.Demo) (*class, error) {
	said, err := demo.Said(ctx, viewersLink, 1)
	if err != nil {
		return nil, fmt.Errorf("the demo names no viewers' link: %w", err)
	}
	link := viewersLink.FindStringSubmatch(said[0])
	c := &class{demo: demo}
	if c.presenter, err = watch(ctx, "http://"+demo.Address, demo.Token, "presenter"); err != nil {
		return nil, err
	}
	for i := range o.viewers {
		v, err := watch(ctx, link[1], link[2], fmt.Sprintf("viewer%d", i))
		if err != nil {
			return nil, err
		}
		c.viewers = append(c.viewers, v)
	}
	if o.pages > 0 {
		if c.browser, c.pages, err = openPages(ctx, o.chromium, link[0], o.pages); err != nil {
			return nil, err
		}
	}
	return c, c.presenter.awaitViewers(ctx, o.viewers+o.pages)
}

// teach edits and moves about for a while.
func (c *class) teach(ctx context.Context, o options) error {
	tick := time.NewTicker(o.every)
	defer tick.Stop()
	last := time.Now().Add(o.duration)
	for n := 1; time.Now().Before(last); n++ {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		move := fmt.Sprintf(`{"page":"presenter","mode":"paused","t":%d,"since":%d,"speed":1}`, n, n)
		if err := c.call(ctx, http.MethodPut, "/api/v1/room/presenter", move); err != nil {
			return err
		}
		if err := c.call(ctx, http.MethodPost, "/api/v1/actions/five-edits", `{"namespace":"default","name":"web"}`); err != nil {
			return err
		}
	}
	return settle(ctx)
}

func (c *class) call(ctx context.Context, method, path, body string) error {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+c.demo.Address+path, bytes.NewBufferString(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+c.demo.Token)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode < 300 {
		return nil
	}
	var said struct{ Error string }
	_ = json.NewDecoder(res.Body).Decode(&said)
	return fmt.Errorf("%s: %s: %s", path, res.Status, said.Error)
}

func (c *class) leave() {
	for _, w := range append(c.viewers, c.presenter) {
		_ = w.conn.Close(websocket.StatusNormalClosure, "")
	}
	if c.browser != nil {
		c.browser.end()
	}
}
