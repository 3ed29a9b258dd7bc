//go:build linux

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/coder/websocket"
	"golang.org/x/sys/unix"
)

// browser is a Chromium, which tells by its debugging protocol of each frame
// that one of its pages has got.
type browser struct {
	cmd     *exec.Cmd
	profile string
	conn    *websocket.Conn
	next    int

	mu       sync.Mutex
	answers  map[int]chan json.RawMessage
	sessions map[string]*watcher
}

var devtools = regexp.MustCompile(`DevTools listening on (ws://\S+)`)

// openPages starts a browser and opens a link in so many pages of it.
func openPages(ctx context.Context, program, link string, n int) (*browser, []*watcher, error) {
	b := &browser{answers: map[int]chan json.RawMessage{}, sessions: map[string]*watcher{}}
	if err := b.start(ctx, program); err != nil {
		b.end()
		return nil, nil, err
	}
	var pages []*watcher
	for range n {
		page, err := b.open(ctx, link)
		if err != nil {
			b.end()
			return nil, nil, fmt.Errorf("opening a page: %w", err)
		}
		pages = append(pages, page)
	}
	return b, pages, nil
}

func (b *browser) start(ctx context.Context, program string) (err error) {
	if program == "" {
		return errors.New("there is no browser: name one with -chromium, or leave pages out with -pages 0")
	}
	if b.profile, err = os.MkdirTemp("", "classload-profile-"); err != nil {
		return err
	}
	b.cmd = exec.Command(program, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0", //nolint:noctx // end ends it
		"--user-data-dir="+b.profile, "--no-first-run", "--disable-background-networking", "--disable-component-update", "about:blank")
	b.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // it has children, which end with it
	said, err := b.cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := b.cmd.Start(); err != nil {
		return fmt.Errorf("starting %s: %w", program, err)
	}
	address, err := findDevtools(said)
	if err != nil {
		return err
	}
	if b.conn, _, err = websocket.Dial(ctx, address, nil); err != nil { //nolint:bodyclose // the library closes it
		return fmt.Errorf("talking to the browser: %w", err)
	}
	b.conn.SetReadLimit(256 << 20)
	go b.listen(ctx)
	return nil
}

func findDevtools(said io.Reader) (string, error) {
	lines := bufio.NewScanner(said)
	for lines.Scan() {
		if found := devtools.FindStringSubmatch(lines.Text()); found != nil {
			go func() { _, _ = io.Copy(io.Discard, said) }()
			return found[1], nil
		}
	}
	return "", errors.New("the browser has ended before it could be talked to")
}

// open opens a link in a page with cookies of its own.
func (b *browser) open(ctx context.Context, link string) (*watcher, error) {
	var alone struct{ BrowserContextID string }
	var target struct{ TargetID string }
	var session struct{ SessionID string }
	w := newWatcher()
	for _, step := range []struct {
		method string
		params func() map[string]any
		into   any
	}{
		{"Target.createBrowserContext", func() map[string]any { return nil }, &alone},
		{"Target.createTarget", func() map[string]any {
			return map[string]any{"url": "about:blank", "browserContextId": alone.BrowserContextID}
		}, &target},
		{"Target.attachToTarget", func() map[string]any {
			return map[string]any{"targetId": target.TargetID, "flatten": true}
		}, &session},
	} {
		if err := b.ask(ctx, "", step.method, step.params(), step.into); err != nil {
			return nil, err
		}
	}
	b.mu.Lock()
	b.sessions[session.SessionID] = w
	b.mu.Unlock()
	if err := b.ask(ctx, session.SessionID, "Network.enable", nil, nil); err != nil {
		return nil, err
	}
	return w, b.ask(ctx, session.SessionID, "Page.navigate", map[string]any{"url": link}, nil)
}

func (b *browser) ask(ctx context.Context, session, method string, params map[string]any, into any) error {
	answer := make(chan json.RawMessage, 1)
	b.mu.Lock()
	b.next++
	id := b.next
	b.answers[id] = answer
	b.mu.Unlock()
	asked := map[string]any{"id": id, "method": method}
	if params != nil {
		asked["params"] = params
	}
	if session != "" {
		asked["sessionId"] = session
	}
	data, err := json.Marshal(asked)
	if err != nil {
		return err
	}
	if err := b.conn.Write(ctx, websocket.MessageText, data); err != nil {
		return err
	}
	select {
	case result := <-answer:
		if into == nil {
			return nil
		}
		return json.Unmarshal(result, into)
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", method, ctx.Err())
	}
}

// listen passes on answers and frames until the browser ends.
func (b *browser) listen(ctx context.Context) {
	for {
		_, data, err := b.conn.Read(ctx)
		if err != nil {
			return
		}
		var said struct {
			ID        int
			Result    json.RawMessage
			SessionID string
			Method    string
			Params    struct {
				Timestamp float64
				Response  struct{ PayloadData string }
			}
		}
		if json.Unmarshal(data, &said) != nil {
			continue
		}
		b.mu.Lock()
		answer, page := b.answers[said.ID], b.sessions[said.SessionID]
		delete(b.answers, said.ID)
		b.mu.Unlock()
		if answer != nil {
			answer <- said.Result
		}
		if page != nil && strings.HasSuffix(said.Method, "webSocketFrameReceived") {
			page.hear([]byte(said.Params.Response.PayloadData), monotonic(said.Params.Timestamp))
		}
	}
}

// monotonic is a time of the browser's clock, which counts seconds as the
// kernel's monotonic one does. What the browser says itself comes later.
func monotonic(seconds float64) time.Time {
	var now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &now) != nil {
		return time.Now()
	}
	return time.Now().Add(time.Duration(seconds*float64(time.Second)) - time.Duration(now.Nano()))
}

// end ends the browser with all of its processes.
func (b *browser) end() {
	if b.conn != nil {
		_ = b.conn.CloseNow()
	}
	if b.cmd != nil && b.cmd.Process != nil {
		_ = syscall.Kill(-b.cmd.Process.Pid, syscall.SIGKILL)
		_ = b.cmd.Wait()
	}
	_ = os.RemoveAll(b.profile)
}
