// Package demotest runs the built demo for tests and benchmarks: the programs
// are real, and so is everything they start.
package demotest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
)

var errEnded = errors.New("ended before what was waited for")

// Binaries are the programs that `make build` makes.
type Binaries struct{ Tracer, Localcluster string }

// Find returns the programs that TRACER_BIN and LOCALCLUSTER_BIN name, else
// those in the folder bin of this folder or of one above it. The error says
// what is missing.
func Find() (Binaries, error) {
	b := Binaries{Tracer: os.Getenv("TRACER_BIN"), Localcluster: os.Getenv("LOCALCLUSTER_BIN")}
	for name, path := range map[string]*string{"tracer": &b.Tracer, "localcluster": &b.Localcluster} {
		if *path == "" {
			*path = above(filepath.Join("bin", name))
		}
		if _, err := os.Stat(*path); err != nil {
			return b, fmt.Errorf("the program %s is not built: run `make build` first (%w)", name, err)
		}
	}
	return b, nil
}

// above looks for a file in this folder and in those above it.
func above(file string) string {
	folder, err := filepath.Abs(".")
	if err != nil {
		return file
	}
	for folder != filepath.Dir(folder) {
		if path := filepath.Join(folder, file); exists(path) {
			return path
		}
		folder = filepath.Dir(folder)
	}
	return file
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Demo is a demo, or a `tracer attach`, that runs. Its methods may be called from several goroutines,
// Wait from one.
type Demo struct {
	// Address is the hub's host:port, Token the presenter's token, Data the
	// data folder.
	Address, Token, Data string
	// Started is when it was started.
	Started time.Time

	cmd    *exec.Cmd
	mu     sync.Mutex
	out    bytes.Buffer // standard output
	say    bytes.Buffer // progress
	wake   chan struct{}
	exited chan struct{}
	err    error // valid once exited is closed
}

// Start starts a demo on the data folder, with a port and token of its own. It
// runs until it is ended: ctx bounds the start alone.
func Start(ctx context.Context, b Binaries, data string, more ...string) (*Demo, error) {
	return start(ctx, b, data, "demo", append([]string{"--localcluster", b.Localcluster}, more...))
}

// StartAttach is Start for `tracer attach`; more says where to.
func StartAttach(ctx context.Context, b Binaries, data string, more ...string) (*Demo, error) {
	return start(ctx, b, data, "attach", more)
}

func start(ctx context.Context, b Binaries, data, command string, more []string) (*Demo, error) {
	address, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	d := &Demo{Address: address, Token: "token-of-the-test", Data: data, Started: time.Now(), wake: make(chan struct{}), exited: make(chan struct{})}
	args := []string{command, "--open=false", "--listen", address, "--data", data}
	d.cmd = exec.Command(b.Tracer, append(args, more...)...) //nolint:noctx // End ends it, as Ctrl-C does
	d.cmd.Env = append(os.Environ(), "TRACER_TOKEN="+d.Token)
	d.cmd.Stdout, d.cmd.Stderr = writer{d, &d.out}, writer{d, &d.say}
	d.cmd.WaitDelay = time.Second
	if err := d.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", command, err)
	}
	go func() {
		d.err = d.cmd.Wait()
		close(d.exited)
	}()
	return d, nil
}

func freeAddress(ctx context.Context) (string, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// writer collects what the demo says, and wakes who waits for it.
type writer struct {
	d  *Demo
	to *bytes.Buffer
}

func (w writer) Write(b []byte) (int, error) {
	w.d.mu.Lock()
	defer w.d.mu.Unlock()
	close(w.d.wake)
	w.d.wake = make(chan struct{})
	return w.to.Write(b)
}

// PID is the demo's process.
func (d *Demo) PID() int { return d.cmd.Process.Pid }

// Output is what it has written to standard output so far, Progress what to
// standard error.
func (d *Demo) Output() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.out.String()
}

// Progress is what it has written to standard error so far.
func (d *Demo) Progress() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.say.String()
}

// Ready waits for the line that says ready and returns the login link.
func (d *Demo) Ready(ctx context.Context) (string, error) {
	match, err := d.await(ctx, &d.out, regexp.MustCompile(`(?m)^ready: (.+)$`), 1)
	if err != nil {
		return "", err
	}
	return match[1], nil
}

// Said waits until the n-th line of progress that matches is there, and returns
// it with its groups.
func (d *Demo) Said(ctx context.Context, line *regexp.Regexp, n int) ([]string, error) {
	return d.await(ctx, &d.say, line, n)
}

func (d *Demo) await(ctx context.Context, in *bytes.Buffer, line *regexp.Regexp, n int) ([]string, error) {
	for {
		d.mu.Lock()
		matches, wake := line.FindAllStringSubmatch(in.String(), n), d.wake
		d.mu.Unlock()
		if len(matches) >= n {
			return matches[n-1], nil
		}
		select {
		case <-wake:
		case <-d.exited:
			return nil, fmt.Errorf("the demo has ended; it said:\n%s\n%w", d.Progress(), errors.Join(errEnded, d.err))
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for %s: %w; the demo said:\n%s", line, ctx.Err(), d.Progress())
		}
	}
}

// Signal sends the demo, and it alone, a signal.
func (d *Demo) Signal(s os.Signal) error { return d.cmd.Process.Signal(s) }

// Wait waits until the demo itself has ended and returns how.
func (d *Demo) Wait(ctx context.Context) error {
	select {
	case <-d.exited:
		return d.err
	case <-ctx.Done():
		return fmt.Errorf("the demo has not ended: %w; it said:\n%s", ctx.Err(), d.Progress())
	}
}

// End ends the demo in every case.
func (d *Demo) End() {
	_ = d.Signal(os.Interrupt) // fails only when it has ended
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := d.Wait(ctx); errors.Is(err, context.DeadlineExceeded) {
		_ = d.Signal(os.Kill)
		<-d.exited
	}
}

// Rows reads rows as a user does, and appends each, decoded, to the result.
func Rows[T any](ctx context.Context, d *Demo, query url.Values) ([]T, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+d.Address+"/api/v1/rows?"+query.Encode(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+d.Token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(res.Body, 1<<10))
		return nil, fmt.Errorf("reading rows: %s: %s", res.Status, strings.TrimSpace(string(body)))
	}
	var rows []T
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var row T
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			return nil, fmt.Errorf("reading rows: %w in %s", err, lines.Text())
		}
		rows = append(rows, row)
	}
	return rows, lines.Err()
}
