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
	"strings"
	"testing"
	"time"

	"github.com/reconcile-tracer/tracer/cmd/tracer/internal/demotest"
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
		{"finds nothing wrong", testNoFinding},
		{"Ctrl-C", testCtrlC},
		{"starts again with its history", testStartsAgain},
		{"is killed", testDemoIsKilled},
	} {
		if !t.Run(part.name, func(t *testing.T) { part.run(t, e) }) {
			t.Fatalf("the demo said:\n%s", e.demo.Progress())
		}
	}
}

func testReadyLine(t *testing.T, e *demoEnv) {
	want := fmt.Sprintf("ready: http://%s/login?token=%s\n", e.demo.Address, e.demo.Token)
	if got := e.demo.Output(); got != want {
		t.Errorf("standard output is %q, want exactly %q", got, want)
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

// testNoFinding comes after all that was done to the demo: neither use nor deaths
// look like a mistake of the controller.
func testNoFinding(t *testing.T, e *demoEnv) {
	found, err := demotest.Rows[flow.Finding](e.ctx, e.demo, url.Values{"row": {"finding"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		t.Errorf("%s from %d to %d: %s", f.Rule, f.From, f.To, f.Summary)
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

func testSecondDemo(t *testing.T, e *demoEnv) {
	second, err := demotest.Start(e.ctx, e.bin, e.demo.Data)
	if err != nil {
		t.Fatal(err)
	}
	defer second.End()
	if err := second.Wait(e.ctx); err == nil {
		t.Error("the second demo ended without an error")
	}
	want := fmt.Sprintf("tracer demo: --data %q: another run of tracer uses it (process %d)", e.demo.Data, e.demo.PID())
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
		// A process that ends loses its command line before its files.
		return e.lockIsFree()
	})
	e.nothingLeft(t)
}
