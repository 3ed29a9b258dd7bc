package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/reconcile-tracer/tracer/cmd/tracer/internal/supervise"
	"github.com/reconcile-tracer/tracer/server"
	"github.com/reconcile-tracer/tracer/templates"
)

// The times that the children may take to end, before they are killed. The
// reconciler goes first, so that the hub still takes its last spans. With
// nothing amiss all are gone within 5 s of Ctrl-C; a hub that a lesson or a slow
// disk holds up has what it needs to store what it has taken.
const (
	reconcilerGrace = 1800 * time.Millisecond
	hubGrace        = 5 * time.Second
	restGrace       = 3 * time.Second
	// reconcilerDrain is what reconciles under way get of the reconciler's grace,
	// so that their last spans are sent too.
	reconcilerDrain = time.Second
)

// The names of the children in messages.
const (
	nameCluster    = "localcluster"
	nameHub        = "hub"
	nameReconciler = "reconciler"
)

// crew is a hub and a reconciler that are kept running beside each other, with
// what was settled for them.
type crew struct {
	// command is what the lines of progress begin with.
	command string
	io      streams
	folder  *runFolder
	address string
	// token is empty where the hub is to make and keep its own.
	token  string
	ingest string
	share  shareOptions
	// embed are the sites that may show the map in a frame.
	embed []string
	self  string
	// control is the token with which the reconciler takes commands.
	control string
	fail    context.CancelCauseFunc

	hub, reconciler *member

	saying sync.Mutex
}

// hubChild is the hub; more are arguments that say which cluster it acts on.
func (d *crew) hubChild(env []string, more ...string) supervise.Child {
	return supervise.Child{
		Name: nameHub, Path: d.self, Policy: supervise.Policy{Grace: hubGrace},
		Args: slices.Concat([]string{"serve", "--exit-with-parent", "--listen", d.address, "--data", d.folder.hub()}, d.share.args(), embedArgs(d.embed), more),
		Env: d.environment(given("TRACER_TOKEN", d.token, given("TRACER_VIEWER_TOKEN", d.share.token,
			given("TRACER_INGEST_TOKEN", d.ingest, given("TRACER_CONTROL_TOKEN", d.control, env))))...),
	}
}

// given adds a variable that has a value.
func given(name, value string, to []string) []string {
	if value == "" {
		return to
	}
	return append(slices.Clip(to), name+"="+value)
}

// settleTokens finds the tokens that were given or kept, or makes them where
// the hub looks for them. A control plane needs the ingest token before the hub
// is there, the reconciler that for commands.
func (d *crew) settleTokens() error {
	if d.token == "" {
		if _, err := keptToken(d.folder.pageToken()); err != nil {
			return err
		}
	}
	if err := d.settleToken(&d.ingest, d.folder.ingestToken()); err != nil {
		return err
	}
	return d.settleToken(&d.control, d.folder.controlToken())
}

// settleToken takes a token that was not given from its file, or makes both.
func (d *crew) settleToken(token *string, path string) (err error) {
	if *token != "" {
		return nil
	}
	if *token, err = keptToken(path); err != nil || *token != "" {
		return err
	}
	*token = rand.Text()
	if err := os.MkdirAll(d.folder.hub(), 0o700); err != nil {
		return explainFolder(d.folder.path, err)
	}
	if err := os.WriteFile(path, []byte(*token+"\n"), 0o600); err != nil {
		return explainFolder(d.folder.path, err)
	}
	return nil
}

var errNotKept = errors.New("the data folder keeps no token")

// keptToken reads the token of an earlier start, "" where there is none. One that
// the hub would not take is an error now, not when the hub has died of it.
func keptToken(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("reading a token: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if fault := server.TokenFault(token); fault != "" {
		return "", fmt.Errorf("the token in %s %s; without the file, another is made", path, fault)
	}
	return token, nil
}

// takePageToken reads the presenter's token where the hub was to make it: the
// rows are asked for with it.
func (d *crew) takePageToken() error {
	if d.token != "" {
		return nil
	}
	token, err := keptToken(d.folder.pageToken())
	if err == nil && token == "" {
		err = errNotKept
	}
	if err != nil {
		return fmt.Errorf("the hub's token: %w", err)
	}
	d.token = token
	return nil
}

// sendHeaders lets a child send to the hub.
func (d *crew) sendHeaders() string {
	return "OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20" + d.ingest
}

// sayAttach tells how a controller of one's own finds the hub. A token that
// the user chose is not repeated.
func (d *crew) sayAttach() {
	d.say("%s", attachLines("http://"+d.address, server.KeptIn(d.folder.hub(), d.ingest, d.control)))
}

// attachLines are what a shell has to be told before a controller is started
// in it, the page's words among them.
func attachLines(hub string, kept server.Kept) string {
	steps := templates.AttachSteps(hub, kept.Ingest)
	return fmt.Sprintf("to attach a controller of your own:\n  %s\n  %s\n"+
		"and, for one that takes the page's commands (Control: true):\n  export TRACER_CONTROL_TOKEN=\"%s\"",
		steps[0].Command, steps[1].Command, templates.ShellToken("TRACER_CONTROL_TOKEN", kept.Control))
}

// reconcilerChild is the reconciler; more are arguments that say where.
func (d *crew) reconcilerChild(env []string, more ...string) supervise.Child {
	env = slices.Concat(env, []string{
		"OTEL_EXPORTER_OTLP_ENDPOINT=http://" + d.address,
		d.sendHeaders(),
		"TRACER_CONTROL=1", "TRACER_CONTROL_TOKEN=" + d.control,
	})
	return supervise.Child{
		Name: nameReconciler, Path: d.self, Policy: supervise.Policy{Grace: reconcilerGrace},
		Args: append([]string{"reconcile", "--exit-with-parent", "--drain-timeout", reconcilerDrain.String()}, more...),
		Env:  d.environment(env...),
	}
}

// environment is this process's, without what would steer a child elsewhere or
// give it a token that is not for it, and with more.
func (d *crew) environment(more ...string) []string {
	var env []string
	for _, v := range os.Environ() {
		if strings.HasPrefix(v, "TRACER_") || strings.HasPrefix(v, "OTEL_") || strings.HasPrefix(v, "KUBECONFIG=") {
			continue
		}
		env = append(env, v)
	}
	return append(env, more...)
}

// member is one of the children, kept running until it is ended.
type member struct {
	ready chan string // the first line that said ready
	end   context.CancelFunc
	gone  chan struct{}
	// started, when set, is called at each start with a context that ends when
	// this process does.
	started func(context.Context, *member, supervise.Event)
	forget  context.CancelFunc
}

// keep starts a child; when it can be kept no longer, the run fails.
func (d *crew) keep(c supervise.Child, started func(context.Context, *member, supervise.Event)) *member {
	c.Log = filepath.Join(d.folder.logs(), c.Name+".log")
	c.Files = d.folder.inherited()
	ctx, end := context.WithCancel(context.Background()) // ended in order, see endAll
	m := &member{ready: make(chan string, 1), end: end, gone: make(chan struct{}), started: started, forget: func() {}}
	go func() {
		defer close(m.gone)
		if err := supervise.Keep(ctx, c, func(e supervise.Event) { d.tell(ctx, m, e) }); err != nil {
			d.fail(d.advise(c, err))
		}
	}()
	return m
}

// awaitReady returns what the child said when it was ready for the first time.
// It may be called once.
func (m *member) awaitReady(ctx context.Context) (string, error) {
	select {
	case line := <-m.ready:
		return line, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// endAll ends the members, group after group, and waits until they are gone.
func (d *crew) endAll(groups ...[]*member) {
	for _, together := range groups {
		for _, m := range together {
			if m != nil {
				m.end()
			}
		}
		for _, m := range together {
			if m != nil {
				<-m.gone
			}
		}
	}
}

// tell passes an event of a child on to the user.
func (d *crew) tell(ctx context.Context, m *member, e supervise.Event) {
	switch e.Kind {
	case supervise.Started:
		if m.started != nil {
			ctx, m.forget = context.WithCancel(ctx)
			go m.started(ctx, m, e)
		}
	case supervise.Ready:
		d.say("%s ready after %s (process %d)", e.Child, seconds(e.After), e.PID)
		m.isReady(e.Line)
	case supervise.Died:
		m.forget()
		d.say("%s (process %d) died after %s: %v; starting it again in %s, its log is %s",
			e.Child, e.PID, seconds(e.After), e.Err, e.Delay, filepath.Join(d.folder.logs(), e.Child+".log"))
	case supervise.Stopped:
		m.forget()
	}
}

// isReady hands the first line that said ready to who waits for it.
func (m *member) isReady(line string) {
	select {
	case m.ready <- line:
	default: // not the first
	}
}

// say writes one line of progress. It may be called by several goroutines.
func (d *crew) say(format string, args ...any) {
	d.saying.Lock()
	defer d.saying.Unlock()
	d.io.sayer(d.command)(format, args...)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
