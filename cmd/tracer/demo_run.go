package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/reconcile-tracer/tracer/cmd/tracer/internal/supervise"
)

// The times that the three may take to end; together they stay under the 5 s
// that Ctrl-C may take. The reconciler goes first, so that the hub still takes
// its last spans.
const (
	reconcilerGrace = time.Second
	restGrace       = 3 * time.Second
)

// The names of the three in messages.
const (
	nameCluster    = "localcluster"
	nameHub        = "hub"
	nameReconciler = "reconciler"
)

// demoRun is one run of the demo: what was settled, and the three.
type demoRun struct {
	io      streams
	open    bool
	folder  *demoFolder
	address string
	grpc    string
	// token is empty where the hub is to make and keep its own.
	token   string
	ingest  string
	self    string
	program string
	fail    context.CancelCauseFunc
	// ingestKept: the ingest token is in the data folder.
	ingestKept bool

	cluster, hub, reconciler *member

	saying sync.Mutex
}

// addresses are where the hub listens.
type addresses struct{ page, grpc string }

func newDemoRun(o *demoOptions, folder *demoFolder, program string, hub addresses) (*demoRun, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program: %w", err)
	}
	return &demoRun{
		io: o.io, open: o.open, folder: folder, program: program, address: hub.page, grpc: hub.grpc, self: self,
		token: o.token, ingest: o.ingest,
	}, nil
}

func (d *demoRun) clusterChild() supervise.Child {
	return supervise.Child{
		Name: nameCluster, Path: d.program, Policy: supervise.Policy{Grace: restGrace},
		Args: []string{"up", "--exit-with-parent", "--data", d.folder.cluster(), "--kubeconfig", d.folder.kubeconfig(), "--log-dir", d.folder.logs(),
			"--tracing-endpoint", d.grpc},
		Env: d.environment(d.sendHeaders()),
	}
}

func (d *demoRun) hubChild() supervise.Child {
	return supervise.Child{
		Name: nameHub, Path: d.self, Policy: supervise.Policy{Grace: restGrace},
		Args: []string{"serve", "--exit-with-parent", "--listen", d.address, "--otlp-grpc", d.grpc,
			"--data", d.folder.hub(), "--kubeconfig", d.folder.kubeconfig()},
		Env: d.environment(given("TRACER_TOKEN", d.token, given("TRACER_INGEST_TOKEN", d.ingest, nil))...),
	}
}

func (d *demoRun) reconcilerChild() supervise.Child {
	return supervise.Child{
		Name: nameReconciler, Path: d.self, Policy: supervise.Policy{Grace: reconcilerGrace},
		Args: []string{"reconcile", "--exit-with-parent", "--install-crd", "--kubeconfig", d.folder.kubeconfig()},
		Env:  d.environment("OTEL_EXPORTER_OTLP_ENDPOINT=http://"+d.address, d.sendHeaders()),
	}
}

// sendHeaders lets a child send to the hub.
func (d *demoRun) sendHeaders() string {
	return "OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20" + d.ingest
}

// given adds a variable that has a value.
func given(name, value string, to []string) []string {
	if value == "" {
		return to
	}
	return append(to, name+"="+value)
}

// settleIngestToken finds the token that was given or kept, or makes one where
// the hub looks for it. The control plane needs it before the hub is there.
func (d *demoRun) settleIngestToken() error {
	if d.ingest != "" {
		return nil
	}
	kept, err := os.ReadFile(d.folder.ingestToken())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("reading the ingest token: %w", err)
	}
	d.ingest, d.ingestKept = strings.TrimSpace(string(kept)), true
	if d.ingest != "" {
		return nil
	}
	d.ingest = rand.Text()
	if err := os.MkdirAll(d.folder.hub(), 0o700); err != nil {
		return explainFolder(d.folder.path, err)
	}
	if err := os.WriteFile(d.folder.ingestToken(), []byte(d.ingest+"\n"), 0o600); err != nil {
		return explainFolder(d.folder.path, err)
	}
	return nil
}

// sayAttach tells how a controller of one's own finds the hub. A token that
// the user chose is not repeated.
func (d *demoRun) sayAttach() {
	token := "$TRACER_INGEST_TOKEN"
	if d.ingestKept {
		token = "$(cat '" + d.folder.ingestToken() + "')"
	}
	d.say("to attach a controller of your own:\n  export OTEL_EXPORTER_OTLP_ENDPOINT=http://%s\n  export OTEL_EXPORTER_OTLP_HEADERS=\"Authorization=Bearer%%20%s\"", d.address, token)
}

// environment is this process's, without what would steer a child elsewhere or
// give it a token that is not for it, and with more.
func (d *demoRun) environment(more ...string) []string {
	var env []string
	for _, v := range os.Environ() {
		if strings.HasPrefix(v, "TRACER_") || strings.HasPrefix(v, "OTEL_") || strings.HasPrefix(v, "KUBECONFIG=") {
			continue
		}
		env = append(env, v)
	}
	return append(env, more...)
}

// member is one of the three, kept running until it is ended.
type member struct {
	ready chan string // the first line that said ready
	end   context.CancelFunc
	gone  chan struct{}
	// started, when set, is called at each start with a context that ends when
	// this process does.
	started func(context.Context, *member, supervise.Event)
	forget  context.CancelFunc
}

// keep starts a child; when it can be kept no longer, the demo fails.
func (d *demoRun) keep(c supervise.Child, started func(context.Context, *member, supervise.Event)) *member {
	c.Log = filepath.Join(d.folder.logs(), c.Name+".log")
	c.Files = d.folder.inherited()
	ctx, end := context.WithCancel(context.Background()) // ended in order, see endAll
	m := &member{ready: make(chan string, 1), end: end, gone: make(chan struct{}), started: started, forget: func() {}}
	go func() {
		defer close(m.gone)
		if err := supervise.Keep(ctx, c, func(e supervise.Event) { d.tell(ctx, m, e) }); err != nil {
			d.fail(err)
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

// endAll ends the three, the reconciler first, and waits until they are gone.
func (d *demoRun) endAll() {
	for _, together := range [][]*member{{d.reconciler}, {d.hub, d.cluster}} {
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
func (d *demoRun) tell(ctx context.Context, m *member, e supervise.Event) {
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
func (d *demoRun) say(format string, args ...any) {
	d.saying.Lock()
	defer d.saying.Unlock()
	fmt.Fprintf(d.io.err, "tracer demo: "+format+"\n", args...)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
