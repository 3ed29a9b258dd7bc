package server

import (
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
