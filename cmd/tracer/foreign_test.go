package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/reconcile-tracer/tracer/internal/spancheck"
	"github.com/reconcile-tracer/tracer/server"
	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

const (
	foreignToken  = "the-presenter-token"
	foreignIngest = "the-emitters-token"
	// writtenAt is the second in which the files of testdata/foreign happen. The
	// fold compares times with the hub's clock, so they are sent as of now.
	writtenAt = "1767225600"
)

// foreign is a file as another language's SDK writes it: testdata/foreign has
// python.jsonl (by way of a Collector: 64-bit ints as strings, children before
// their root, the batches in any order, no numbers, no instance id, event.name
// as an attribute) and javascript.jsonl (ints as numbers, numbered spans, log
// records). now is the second in which it happens.
func foreign(t *testing.T, name string, now int64) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "foreign", name))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.ReplaceAll(data, []byte(writtenAt), fmt.Append(nil, now))
}

func TestForeignFilesAreClean(t *testing.T) {
	for name, notes := range map[string]int{"python.jsonl": 2, "javascript.jsonl": 0} {
		report, err := spancheck.Check(bytes.NewReader(foreign(t, name, 1767225600)), spancheck.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if report.Wrong != 0 || report.Notes != notes {
			t.Errorf("%s: %d wrong, %d notes, want 0 and %d: %+v", name, report.Wrong, report.Notes, notes, report.Findings)
		}
	}
}

// startHub runs a real hub until the test ends and returns its address.
func startHub(t *testing.T) string {
	t.Helper()
	ready := make(chan struct{})
	hub, err := server.New(t.Context(), server.Config{
		Listen: "127.0.0.1:0", OTLPGRPC: "off", Data: t.TempDir(), Token: foreignToken, IngestToken: foreignIngest,
		Log: slog.New(slog.DiscardHandler), OnReady: func() { close(ready) },
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- hub.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the hub ended with %v", err)
		}
	})
	select {
	case <-ready:
	case <-time.After(20 * time.Second):
		t.Fatal("the hub was not ready within 20 s")
	}
	return hub.URL()
}

// send posts each line as the emitter would have: over HTTP, as JSON.
func send(t *testing.T, url string, lines []byte) {
	t.Helper()
	for line := range bytes.Lines(lines) {
		path := "/v1/logs"
		if bytes.HasPrefix(line, []byte(`{"resourceSpans"`)) {
			path = "/v1/traces"
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+path, bytes.NewReader(line))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		if status, body := call(t, req, foreignIngest); status != http.StatusOK || strings.Contains(body, "rejected") {
			t.Fatalf("%s answered %d: %s", path, status, body)
		}
	}
}

func call(t *testing.T, req *http.Request, token string) (int, string) {
	t.Helper()
	req.Header.Set("Authorization", "Bearer "+token)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

// whole tells whether the first and the last phase have come. The files send
// them in different requests, and the hub folds one after the other.
func whole(row flow.Reconcile) bool {
	has := func(name string) bool {
		return slices.ContainsFunc(row.Phases, func(p flow.Phase) bool { return p.Name == name })
	}
	return has(semconv.SpanDequeue) && has(semconv.SpanRequeue)
}

// reconciles are a controller's finished reconciles, by time, once there are n.
func reconciles(t *testing.T, url, item string, n int) []flow.Reconcile {
	t.Helper()
	var rows []flow.Reconcile
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := poll(ctx, 10*time.Millisecond, func(ctx context.Context) bool {
		rows = nil
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/api/v1/rows?row=reconcile&item="+item, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, body := call(t, req, foreignToken)
		for lines := bufio.NewScanner(strings.NewReader(body)); lines.Scan(); {
			var row flow.Reconcile
			if json.Unmarshal(lines.Bytes(), &row) == nil && row.To > 0 && whole(row) {
				rows = append(rows, row)
			}
		}
		return len(rows) == n
	}); err != nil {
		t.Fatalf("waited for %d reconciles of %s, have %+v", n, item, rows)
	}
	slices.SortFunc(rows, func(a, b flow.Reconcile) int { return int(a.From - b.From) })
	return rows
}

func TestForeignEmitterInPython(t *testing.T) {
	url, now := startHub(t), time.Now().Add(-5*time.Second).Unix()
	send(t, url, foreign(t, "python.jsonl", now))
	rows := reconciles(t, url, "shop/nightly", 2)
	at := func(us int64) int64 { return now*1_000_000 + us }
	first, second := rows[0], rows[1]
	want := []flow.Phase{
		{Name: "dequeue", From: at(1000), To: at(2000)}, {Name: "fetch", From: at(2000), To: at(3000)},
		{Name: "compute", From: at(3000), To: at(3500)}, {Name: "apply", From: at(3500), To: at(8100)},
		{Name: "requeue", From: at(8100), To: at(8200)},
	}
	if diff := cmp.Diff(want, first.Phases); diff != "" {
		t.Errorf("the phases differ (-want +got):\n%s", diff)
	}
	if first.Controller != "backup" || first.Result != semconv.ResultSuccess || first.Worker != 1 || first.Queue.Depth != 1 {
		t.Errorf("the first reconcile is %+v", first)
	}
	wantRead := []flow.Read{{Span: "a000000000000012", From: at(2100), To: at(2200), Source: "api", Kind: "Backup", Count: 1}}
	if diff := cmp.Diff(wantRead, first.Reads); diff != "" {
		t.Errorf("the reads differ (-want +got):\n%s", diff)
	}
	wantPlan := []flow.Action{{Verb: "create", Kind: "Job", Summary: "create 1 Job"}}
	if diff := cmp.Diff(wantPlan, first.Plan, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("the plan differs (-want +got):\n%s", diff)
	}
	if len(first.Writes) != 1 || first.Writes[0].Status != 201 || first.Writes[0].After != "101" || first.FailedWrites != 0 {
		t.Errorf("the writes are %+v", first.Writes)
	}
	checkComesBackTo(t, first, second)
	if second.Result != semconv.ResultRequeueAfter || second.Next.At != second.To+30_000_000 {
		t.Errorf("the second reconcile is %s, next %+v", second.Result, second.Next)
	}
}

// checkComesBackTo checks that the hub has joined the first reconcile's write to
// the second's cause, which the emitter has not.
func checkComesBackTo(t *testing.T, first, second flow.Reconcile) {
	t.Helper()
	if len(second.Causes) != 1 {
		t.Fatalf("the second reconcile has the causes %+v", second.Causes)
	}
	c := second.Causes[0]
	if c.By != semconv.BySelf || c.Write == nil || c.Write.Reconcile != first.Key || c.Write.Span != "a000000000000014" {
		t.Errorf("the cause is %+v (write %+v), want it joined to the write of %s", c, c.Write, first.Key)
	}
}

func TestForeignEmitterInJavaScript(t *testing.T) {
	url, now := startHub(t), time.Now().Add(-5*time.Second).Unix()
	send(t, url, foreign(t, "javascript.jsonl", now))
	row := reconciles(t, url, "w1", 1)[0]
	if row.Controller != "widget" || row.Result != semconv.ResultError || row.Error != "Conflict" || row.Object.Generation != 3 {
		t.Errorf("the reconcile is %+v", row)
	}
	if row.Next.Why != "backoff" || row.Next.At != row.To+5500 || row.Next.Requeues != 1 {
		t.Errorf("next is %+v, want a back-off of 5.5 ms", row.Next)
	}
	if row.CauseCounts["update"] != 2 || len(row.Causes) != 2 || !row.Queue.Modelled {
		t.Errorf("the causes are %+v, counts %v, queue %+v", row.Causes, row.CauseCounts, row.Queue)
	}
	if len(row.Writes) != 1 || row.Writes[0].Status != http.StatusConflict || row.FailedWrites != 1 || row.Writes[0].AuditID == "" {
		t.Errorf("the writes are %+v", row.Writes)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/api/v1/rows?row=gap", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, body := call(t, req, foreignToken); strings.TrimSpace(body) != "" {
		t.Errorf("there are gaps, though every number came: %s", body)
	}
}
