package server

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

func TestStartUpSaysWhatStandsBeforeTheLoop(t *testing.T) {
	for _, c := range []struct {
		row  flow.Controller
		want []string
	}{
		{flow.Controller{Connected: true, Workers: 2, Lease: semconv.LeaseLeading, Synced: []string{"Pod"}}, nil},
		{
			flow.Controller{Connected: true, Lease: semconv.LeaseWaiting, Unsynced: []string{"Pod"}, WatchError: "Pod: Forbidden"},
			[]string{"waiting for the lease", "cache of Pod not synced", "cannot watch Pod: Forbidden", "no workers yet"},
		},
		{flow.Controller{Workers: 1}, []string{"not connected"}},
	} {
		if diff := cmp.Diff(c.want, startUp(&c.row)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
}

func TestAReconcileIsDoneThoughAWriteWasRefused(t *testing.T) {
	forbidden, broken := flow.Write{Status: 403}, flow.Write{Status: 500}
	for _, c := range []struct {
		row  flow.Reconcile
		want string
	}{
		{flow.Reconcile{To: 1, Result: semconv.ResultSuccess}, ""},
		{flow.Reconcile{To: 1, Result: semconv.ResultSuccess, FailedWrites: 1, Writes: []flow.Write{forbidden}}, "1 write refused"},
		{flow.Reconcile{To: 1, Result: semconv.ResultRequeue, FailedWrites: 2, Writes: []flow.Write{forbidden, broken}}, "2 writes failed"},
		{flow.Reconcile{To: 1, Result: semconv.ResultError, FailedWrites: 1, Writes: []flow.Write{forbidden}}, ""},
		{flow.Reconcile{FailedWrites: 1, Writes: []flow.Write{forbidden}}, ""},
	} {
		if got := pass(&c.row).Refused; got != c.want {
			t.Errorf("%s with %d failed writes: %q, want %q", c.row.Result, c.row.FailedWrites, got, c.want)
		}
	}
}

// The page says it by the same rule with and without its script: words.test.ts
// reads the same cases.
func TestCausesInOneLine(t *testing.T) {
	text, err := os.ReadFile("testdata/causes.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		flow.Reconcile
		Says string `json:"says"`
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if got := pass(&c.Reconcile).Causes; got != c.Says {
			t.Errorf("%+v are %q, want %q", c.Causes, got, c.Says)
		}
	}
}
