package main

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/reconcile-tracer/tracer/actions"
	"github.com/reconcile-tracer/tracer/cmd/tracer/internal/demotest"
	"github.com/reconcile-tracer/tracer/cmd/tracer/internal/supervise"
	"github.com/reconcile-tracer/tracer/server/flow"
)

// TestWritesAreSeenInTheServers runs the reconciler against a real API server
// that traces everything, first as an administrator, whose trace it goes on
// with, and then as somebody else, whose trace it only links to.
func TestWritesAreSeenInTheServers(t *testing.T) {
	bin, err := demotest.Find()
	if err != nil {
		t.Fatal(err)
	}
	s := startServers(t, bin)
	for user, goesOn := range map[string]bool{"localcluster-admin": true, "localcluster-user": false} {
		t.Run(user, func(t *testing.T) {
			s.reconcileAs(t, user)
			for _, w := range s.servedWrites(t, user) {
				top := w.Server[0]
				if got := top.Parent == w.Span; got != goesOn {
					t.Errorf("%s of %s: the API server's span is a child of the write: %t, want %t", w.Method, w.Resource, got, goesOn)
				}
				checkOwnSpans(t, w)
			}
		})
	}
}

// checkOwnSpans checks that a write shows its own request and nobody else's:
// all is within its time, one tree, and no span comes twice.
func checkOwnSpans(t *testing.T, w flow.Write) {
	t.Helper()
	tops, seen := 0, map[string]bool{}
	for _, s := range w.Server {
		if s.From < w.From || s.From > w.To {
			t.Errorf("%s %s begins at %d, outside of its write, %d to %d", s.Service, s.Name, s.From, w.From, w.To)
		}
		if seen[s.Span] {
			t.Errorf("%s %s is there twice", s.Service, s.Name)
		}
		seen[s.Span] = true
		if !hasServer(w, func(o flow.ServerSpan) bool { return o.Span == s.Parent }) {
			tops++
		}
	}
	if tops != 1 {
		t.Errorf("%d spans of %s %s hang on the write itself, want 1: %+v", tops, w.Method, w.Resource, w.Server)
	}
}

func hasServer(w flow.Write, f func(flow.ServerSpan) bool) bool {
	return slices.ContainsFunc(w.Server, f)
}

// served reports what is not there yet of what the servers did for a write that
// moved something: etcd's transaction, and all that it is part of.
func served(w flow.Write) error {
	if w.Status/100 != 2 || w.Noop {
		return nil
	}
	for _, s := range w.Server {
		hangs := s.Parent == "" || s.Parent == w.Span || hasServer(w, func(o flow.ServerSpan) bool { return o.Span == s.Parent })
		if !hangs {
			return fmt.Errorf("what %s %s of the %s of %s %s is part of has not come", s.Service, s.Name, w.Method, w.Resource, w.Name)
		}
	}
	commit := func(s flow.ServerSpan) bool { return s.Service == "etcd" && s.Name == "txn" && !s.Failed }
	top := func(s flow.ServerSpan) bool {
		return s.Service == "apiserver" && (s.Parent == "" || s.Parent == w.Span)
	}
	if !hasServer(w, commit) || !hasServer(w, top) {
		return fmt.Errorf("the %s of %s %s has not been seen in etcd: %+v", w.Method, w.Resource, w.Name, w.Server)
	}
	return nil
}

// servers are a control plane and a hub that gets its spans.
type servers struct {
	ctx        context.Context
	bin        demotest.Binaries
	kubeconfig string
	headers    string
	hub        *demotest.Demo
}

func startServers(t *testing.T, bin demotest.Binaries) *servers {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	page, grpc := freePort(t), freePort(t)
	s := &servers{
		ctx: ctx, bin: bin, kubeconfig: filepath.Join(t.TempDir(), "kubeconfig"),
		headers: "OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20" + "ingest-token-of-the-test",
		hub:     &demotest.Demo{Address: page, Token: "presenter-token-of-the-test"},
	}
	s.launch(t, bin.Tracer, []string{"TRACER_TOKEN=" + s.hub.Token, "TRACER_INGEST_TOKEN=ingest-token-of-the-test"},
		"serve", "--exit-with-parent", "--listen", page, "--otlp-grpc", grpc, "--data", t.TempDir())
	s.launch(t, bin.Localcluster, []string{s.headers},
		"up", "--exit-with-parent", "--kubeconfig", s.kubeconfig, "--tracing-endpoint", grpc, "--tracing-sampling", "1000000")
	return s
}

func freePort(t *testing.T) string {
	t.Helper()
	address, err := settleAddress(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// launch starts a program and waits until it is ready, or at least runs when it
// is one that does not say. The test's end ends it.
func (s *servers) launch(t *testing.T, path string, env []string, args ...string) {
	t.Helper()
	name := args[0]
	log := filepath.Join(t.TempDir(), name+".log")
	ctx, cancel := context.WithCancel(s.ctx)
	ready, gone := make(chan struct{}), make(chan error, 1)
	wanted := supervise.Ready
	if name == "reconcile" {
		wanted = supervise.Started
	}
	child := supervise.Child{Name: name, Path: path, Args: args, Env: append(os.Environ(), env...), Log: log}
	go func() {
		gone <- supervise.Keep(ctx, child, func(e supervise.Event) {
			if e.Kind == wanted {
				close(ready)
			}
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-gone; err != nil && !t.Failed() {
			t.Errorf("%s: %v", name, err)
		}
		if t.Failed() {
			text, _ := os.ReadFile(log)
			t.Logf("%s said:\n%s", name, text[max(0, len(text)-4000):])
		}
	})
	select {
	case <-ready:
	case err := <-gone:
		gone <- err
		t.Fatalf("%s: %v", name, err)
	}
}

// reconcileAs runs the reconciler with one context of the kubeconfig and makes
// a PodSet of that name.
func (s *servers) reconcileAs(t *testing.T, user string) {
	t.Helper()
	s.launch(t, s.bin.Tracer, []string{s.headers}, "reconcile", "--exit-with-parent", "--install-crd",
		"--kubeconfig", s.kubeconfig, "--context", user, "--endpoint", "http://"+s.hub.Address)
	found, err := cluster{kubeconfig: s.kubeconfig}.config()
	if err != nil {
		t.Fatal(err)
	}
	acts, err := actions.New(found.Config)
	if err != nil {
		t.Fatal(err)
	}
	var last error
	set := map[string]string{"namespace": "default", "name": user, "replicas": "2"}
	if poll(s.ctx, askEvery, func(ctx context.Context) bool {
		_, last = acts.Do(ctx, "create", set) // the CRD may not be there yet
		return last == nil
	}) != nil {
		t.Fatalf("making a PodSet: %v", last)
	}
}

// servedWrites waits until Pods and status have been written for a PodSet and
// all of its successful writes have been seen in etcd, and returns these.
func (s *servers) servedWrites(t *testing.T, name string) []flow.Write {
	t.Helper()
	var writes []flow.Write
	var last error
	if poll(s.ctx, askEvery, func(ctx context.Context) bool {
		var rows []flow.Reconcile
		if rows, last = demotest.Rows[flow.Reconcile](ctx, s.hub, url.Values{"row": {"reconcile"}}); last == nil {
			writes, last = settledWrites(rows, "default/"+name)
		}
		return last == nil
	}) != nil {
		t.Fatalf("the writes are not served: %v", last)
	}
	return writes
}

func settledWrites(rows []flow.Reconcile, item string) (writes []flow.Write, err error) {
	pods, status := 0, 0
	for _, r := range rows {
		for _, w := range r.Writes {
			if r.Item != item || w.Status/100 != 2 || w.Noop {
				continue
			}
			if w.Resource == "pods" {
				pods++
			} else {
				status++
			}
			err = cmp.Or(err, served(w))
			writes = append(writes, w)
		}
	}
	if pods < 2 || status < 1 {
		return nil, fmt.Errorf("%d writes of Pods and %d of the PodSet", pods, status)
	}
	return writes, err
}
