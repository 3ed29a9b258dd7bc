package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/reconcile-tracer/tracer/cmd/tracer/internal/demotest"
	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
	"github.com/reconcile-tracer/tracer/server/flow"
)

// demoEnv is a demo that runs and a client for its cluster.
type demoEnv struct {
	ctx context.Context
	bin demotest.Binaries
	// atEnd registers what is done when all parts have run.
	atEnd func(func())
	demo  *demotest.Demo
	sets  *v1alpha1.Client
	// dynamic knows the scale subresource.
	dynamic dynamic.Interface
	// history are the completed reconciles at the end of a part.
	history map[string]flow.Reconcile
}

func startDemo(t *testing.T, data string) *demoEnv {
	t.Helper()
	bin, err := demotest.Find()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	e := &demoEnv{ctx: ctx, bin: bin, atEnd: t.Cleanup}
	e.start(t, data)
	return e
}

func (e *demoEnv) start(t *testing.T, data string) {
	t.Helper()
	demo, err := demotest.Start(e.ctx, e.bin, data)
	if err != nil {
		t.Fatal(err)
	}
	e.demo = demo
	e.atEnd(demo.End)
	if _, err := demo.Ready(e.ctx); err != nil {
		t.Fatal(err)
	}
	cfg, err := clientcmd.BuildConfigFromFlags("", filepath.Join(data, "kubeconfig"))
	if err != nil {
		t.Fatal(err)
	}
	clients, err := v1alpha1.NewClientset(cfg)
	if err != nil {
		t.Fatal(err)
	}
	e.sets = clients.PodSets("default")
	if e.dynamic, err = dynamic.NewForConfig(cfg); err != nil {
		t.Fatal(err)
	}
}

// settled waits until a PodSet has what its spec asks for and nothing of it is
// queued, waits or is worked on, and every write of it has been seen in etcd, and
// returns its completed reconciles by key.
func (e *demoEnv) settled(t *testing.T, replicas int32) map[string]flow.Reconcile {
	t.Helper()
	e.eventually(t, "the PodSet is settled", func() error {
		set, err := e.sets.Get(e.ctx, "web", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if s := set.Status; s.ObservedGeneration != set.Generation || s.Replicas != replicas || s.ReadyReplicas != replicas {
			return fmt.Errorf("generation %d, status %+v", set.Generation, s)
		}
		return e.idle(set.ResourceVersion)
	})
	return e.completed(t)
}

// idle reports what is still under way in the hub's eyes: the queue, or the
// event of the PodSet's newest version, which must have come round.
func (e *demoEnv) idle(version string) error {
	items, err := demotest.Rows[flow.Item](e.ctx, e.demo, url.Values{"row": {"item"}})
	if err != nil {
		return err
	}
	for _, i := range items {
		if i.Item == "default/web" && (i.Ready || i.Delayed || i.Active || i.Dirty) {
			return fmt.Errorf("item %+v", i)
		}
	}
	passes, err := demotest.Rows[flow.Reconcile](e.ctx, e.demo, url.Values{"row": {"reconcile"}})
	if err != nil {
		return err
	}
	seen := false
	for _, r := range passes {
		if r.To == 0 {
			return fmt.Errorf("reconcile %s goes on", r.Key)
		}
		for _, w := range r.Writes {
			if err := served(w); err != nil {
				return err
			}
		}
		seen = seen || slices.ContainsFunc(r.Causes, func(c flow.Cause) bool { return c.ResourceVersion == version }) ||
			r.Object.ResourceVersion == version
	}
	if !seen {
		return fmt.Errorf("no reconcile was caused by version %s", version)
	}
	return nil
}

func (e *demoEnv) completed(t *testing.T) map[string]flow.Reconcile {
	t.Helper()
	rows, err := demotest.Rows[flow.Reconcile](e.ctx, e.demo, url.Values{"row": {"reconcile"}})
	if err != nil {
		t.Fatal(err)
	}
	byKey := map[string]flow.Reconcile{}
	for _, r := range rows {
		if r.To != 0 {
			byKey[r.Key] = r
		}
	}
	return byKey
}

func (e *demoEnv) eventually(t *testing.T, what string, check func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(e.ctx, time.Minute)
	defer cancel()
	var last error
	if err := poll(ctx, 50*time.Millisecond, func(context.Context) bool {
		last = check()
		return last == nil
	}); err != nil {
		t.Fatalf("%s: not within a minute: %v", what, last)
	}
}

// scale is what kubectl scale does.
func (e *demoEnv) scale(t *testing.T, replicas int) {
	t.Helper()
	patch := fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, replicas)
	sets := e.dynamic.Resource(v1alpha1.PodSetResource).Namespace("default")
	if _, err := sets.Patch(e.ctx, "web", types.MergePatchType, patch, metav1.PatchOptions{}, "scale"); err != nil {
		t.Fatal(err)
	}
}

// commandLines are those of all processes, by process, where there is /proc.
func commandLines(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]string{}
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil { // it may have ended
			lines[filepath.Base(filepath.Dir(file))] = strings.ReplaceAll(string(text), "\x00", " ")
		}
	}
	return lines
}

// same reports the first completed reconcile that is gone or has changed.
func (e *demoEnv) same(before map[string]flow.Reconcile) error {
	rows, err := demotest.Rows[flow.Reconcile](e.ctx, e.demo, url.Values{"row": {"reconcile"}})
	if err != nil {
		return err
	}
	for _, r := range rows {
		if old, ok := before[r.Key]; ok {
			if diff := cmp.Diff(old, r); diff != "" {
				return fmt.Errorf("reconcile %s has changed:\n%s", r.Key, diff)
			}
		}
	}
	if n := len(before) - countKnown(rows, before); n > 0 {
		return fmt.Errorf("%d of %d reconciles are gone", n, len(before))
	}
	return nil
}

func countKnown(rows []flow.Reconcile, known map[string]flow.Reconcile) int {
	n := 0
	for _, r := range rows {
		if _, ok := known[r.Key]; ok {
			n++
		}
	}
	return n
}

// kill kills one of the three and waits until the demo says that it is back.
func (e *demoEnv) kill(t *testing.T, name string) {
	t.Helper()
	started := regexp.MustCompile(`(?m)` + name + ` (?:ready|attached) after .*\(process (\d+)\)$`)
	match, err := e.demo.Said(e.ctx, started, 1)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(match[1])
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatalf("killing process %d: %v", pid, err)
	}
	died := regexp.MustCompile(`(?m)` + name + ` \(process ` + match[1] + `\) died after .*killed; starting it again`)
	if _, err := e.demo.Said(e.ctx, died, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := e.demo.Said(e.ctx, started, 2); err != nil {
		t.Fatal(err)
	}
}

// nothingLeft checks that no process works on the data folder any more.
func (e *demoEnv) nothingLeft(t *testing.T) {
	t.Helper()
	for pid, line := range commandLines(t) {
		if strings.Contains(line, e.demo.Data) {
			t.Errorf("process %s is left: %s", pid, line)
		}
	}
	if err := e.lockIsFree(); err != nil {
		t.Error(err)
	}
}

func (e *demoEnv) lockIsFree() error {
	lock, err := os.OpenFile(filepath.Join(e.demo.Data, "demo.lock"), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return fmt.Errorf("the lock, which every child holds, is not free: %w", err)
	}
	return nil
}
