package main

import (
	"context"
	"fmt"
	"net/http"
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
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// endWithin is how long the demo may take to end after Ctrl-C.
const endWithin = 5 * time.Second

// TestDemo runs the built programs as a user does. Its parts build on each
// other: starting a control plane for each would take too long.
func TestDemo(t *testing.T) {
	e := startDemo(t, t.TempDir())
	for _, part := range []struct {
		name string
		run  func(*testing.T, *demoEnv)
	}{
		{"says ready once", testReadyLine},
		{"shows whole reconciles", testWholeReconciles},
		{"scale from 3 to 5", testScale},
		{"keeps its token to itself", testTokenIsSecret},
		{"refuses a second demo on its folder", testSecondDemo},
		{"hub is killed", testHubIsKilled},
		{"control plane is killed", testClusterIsKilled},
		{"reconciler is killed", testReconcilerIsKilled},
		{"Ctrl-C", testCtrlC},
		{"starts again with its history", testStartsAgain},
		{"is killed", testDemoIsKilled},
	} {
		if !t.Run(part.name, func(t *testing.T) { part.run(t, e) }) {
			t.Fatalf("the demo said:\n%s", e.demo.Progress())
		}
	}
}

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

func testReadyLine(t *testing.T, e *demoEnv) {
	want := fmt.Sprintf("ready: http://%s/login?token=%s\n", e.demo.Address, e.demo.Token)
	if got := e.demo.Output(); got != want {
		t.Errorf("standard output is %q, want exactly %q", got, want)
	}
}

// settled waits until a PodSet has what its spec asks for and nothing of it is
// queued, waits or is worked on, and returns its completed reconciles by key.
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

var allPhases = []string{semconv.SpanDequeue, semconv.SpanFetch, semconv.SpanCompute, semconv.SpanApply, semconv.SpanRequeue}

func testWholeReconciles(t *testing.T, e *demoEnv) {
	rows := e.settled(t, 3)
	if len(rows) == 0 {
		t.Fatal("there are no reconciles")
	}
	planned := 0
	for _, r := range rows {
		if got := phaseNames(r); !slices.Equal(got, allPhases) {
			t.Errorf("reconcile %s went through %v, want %v", r.Key, got, allPhases)
		}
		for i := 1; i < len(r.Phases); i++ {
			if r.Phases[i].From < r.Phases[i-1].To {
				t.Errorf("reconcile %s: %s begins before %s ends", r.Key, r.Phases[i].Name, r.Phases[i-1].Name)
			}
		}
		if len(r.Causes) == 0 || r.Result == "" {
			t.Errorf("reconcile %s has %d causes and result %q", r.Key, len(r.Causes), r.Result)
		}
		if hasPlan(r, "create 3 Pods") {
			planned++
			checkPodWrites(t, r, 3)
		}
	}
	if planned != 1 {
		t.Errorf("%d reconciles planned to create 3 Pods, want 1", planned)
	}
}

func phaseNames(r flow.Reconcile) []string {
	var names []string
	for _, p := range r.Phases {
		names = append(names, p.Name)
	}
	return names
}

func hasPlan(r flow.Reconcile, summary string) bool {
	return slices.ContainsFunc(r.Plan, func(a flow.Action) bool { return a.Summary == summary })
}

// checkPodWrites checks that a reconcile made n Pods, and returns those writes.
func checkPodWrites(t *testing.T, r flow.Reconcile, n int) []flow.Write {
	t.Helper()
	var pods []flow.Write
	for _, w := range r.Writes {
		if w.Resource == "pods" {
			pods = append(pods, w)
		}
		if w.After == "" && w.Method != http.MethodDelete {
			t.Errorf("the write of %s %s has no resourceVersion: %+v", w.Resource, w.Name, w)
		}
	}
	if len(pods) != n || r.FailedWrites != 0 {
		t.Fatalf("reconcile %s made %d writes of Pods, %d writes failed; want %d and 0", r.Key, len(pods), r.FailedWrites, n)
	}
	for _, w := range pods {
		if w.Method != http.MethodPost || w.Status != http.StatusCreated {
			t.Errorf("the write of Pod %s is a %s answered %d, want a POST answered 201", w.Name, w.Method, w.Status)
		}
	}
	return pods
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

func testScale(t *testing.T, e *demoEnv) {
	before := e.settled(t, 3)
	e.scale(t, 5)
	var fresh []flow.Reconcile
	for key, r := range e.settled(t, 5) {
		if _, old := before[key]; !old {
			fresh = append(fresh, r)
		}
	}
	var creating []flow.Reconcile
	for _, r := range fresh {
		if r.FailedWrites != 0 {
			t.Errorf("reconcile %s has %d failed writes: %+v", r.Key, r.FailedWrites, r.Writes)
		}
		if hasPlan(r, "create 2 Pods") {
			creating = append(creating, r)
		}
	}
	if len(creating) != 1 {
		t.Fatalf("%d of %d reconciles planned to create 2 Pods, want 1", len(creating), len(fresh))
	}
	pods := checkPodWrites(t, creating[0], 2)
	for _, w := range append(pods, statusWrites(fresh)...) {
		checkComesBack(t, w, fresh)
	}
}

func statusWrites(rows []flow.Reconcile) []flow.Write {
	var all []flow.Write
	for _, r := range rows {
		for _, w := range r.Writes {
			if w.Subresource == "status" && !w.Noop {
				all = append(all, w)
			}
		}
	}
	return all
}

// checkComesBack checks that a write is the linked cause of a reconcile, by self.
func checkComesBack(t *testing.T, w flow.Write, rows []flow.Reconcile) {
	t.Helper()
	for _, r := range rows {
		for _, c := range r.Causes {
			if c.Write == nil || c.Write.Span != w.Span {
				continue
			}
			if c.By != semconv.BySelf || c.ResourceVersion != w.After {
				t.Errorf("the cause of the write of %s %s is by %q at version %s, want self at %s", w.Resource, w.Name, c.By, c.ResourceVersion, w.After)
			}
			return
		}
	}
	t.Errorf("no reconcile was caused by the write of %s %s at version %s", w.Resource, w.Name, w.After)
}

func testTokenIsSecret(t *testing.T, e *demoEnv) {
	logs, err := filepath.Glob(filepath.Join(e.demo.Data, "logs", "*.log"))
	if err != nil || len(logs) < 3 {
		t.Fatalf("logs %v, %v; want those of the three", logs, err)
	}
	for _, file := range logs {
		if strings.Contains(read(t, file), e.demo.Token) {
			t.Errorf("%s has the token", file)
		}
	}
	if strings.Contains(e.demo.Progress(), e.demo.Token) {
		t.Error("the progress has the token")
	}
	for pid, line := range commandLines(t) {
		if strings.Contains(line, e.demo.Token) {
			t.Errorf("the command line of process %s has the token", pid)
		}
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

func testSecondDemo(t *testing.T, e *demoEnv) {
	second, err := demotest.Start(e.ctx, e.bin, e.demo.Data)
	if err != nil {
		t.Fatal(err)
	}
	defer second.End()
	if err := second.Wait(e.ctx); err == nil {
		t.Error("the second demo ended without an error")
	}
	want := fmt.Sprintf("tracer demo: --data %q: another demo uses it (process %d)", e.demo.Data, e.demo.PID())
	if got := second.Progress(); !strings.HasPrefix(got, want) {
		t.Errorf("the second demo said %q, want %q", got, want)
	}
}

func testHubIsKilled(t *testing.T, e *demoEnv) {
	before := e.settled(t, 5)
	e.kill(t, "hub")
	if err := e.same(before); err != nil {
		t.Error(err)
	}
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

// The others live on and find it again: it has its port and its certificates.
func testClusterIsKilled(t *testing.T, e *demoEnv) {
	e.kill(t, "localcluster")
	e.scale(t, 3)
	e.settled(t, 3)
	if said := e.demo.Progress(); strings.Contains(said, "reconciler (process") {
		t.Errorf("the reconciler did not live on:\n%s", said)
	}
}

func testReconcilerIsKilled(t *testing.T, e *demoEnv) {
	e.kill(t, "reconciler")
	before := len(e.settled(t, 3))
	e.scale(t, 4)
	e.history = e.settled(t, 4)
	if len(e.history) <= before {
		t.Errorf("after its restart the reconciler has done nothing: %d reconciles, then %d", before, len(e.history))
	}
}

func testCtrlC(t *testing.T, e *demoEnv) {
	ctx, cancel := context.WithTimeout(e.ctx, endWithin)
	defer cancel()
	if err := e.demo.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := e.demo.Wait(ctx); err != nil {
		t.Errorf("after Ctrl-C: %v, want an end with status 0 within %s", err, endWithin)
	}
	e.nothingLeft(t)
}

// nothingLeft checks that no process works on the data folder any more.
func (e *demoEnv) nothingLeft(t *testing.T) {
	t.Helper()
	for pid, line := range commandLines(t) {
		if strings.Contains(line, e.demo.Data) {
			t.Errorf("process %s is left: %s", pid, line)
		}
	}
	lock, err := os.OpenFile(filepath.Join(e.demo.Data, "demo.lock"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Close() }()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		t.Errorf("the lock, which every child holds, is not free: %v", err)
	}
}

func testStartsAgain(t *testing.T, e *demoEnv) {
	e.start(t, e.demo.Data)
	if _, err := e.demo.Said(e.ctx, regexp.MustCompile("PodSet default/web is there from before"), 1); err != nil {
		t.Error(err)
	}
	e.settled(t, 4)
	if err := e.same(e.history); err != nil {
		t.Error(err)
	}
}

func testDemoIsKilled(t *testing.T, e *demoEnv) {
	if err := e.demo.Signal(os.Kill); err != nil {
		t.Fatal(err)
	}
	_ = e.demo.Wait(e.ctx) // it was killed
	e.eventually(t, "all children have ended", func() error {
		for pid, line := range commandLines(t) {
			if strings.Contains(line, e.demo.Data) {
				return fmt.Errorf("process %s is left: %s", pid, line)
			}
		}
		return nil
	})
	e.nothingLeft(t)
}
