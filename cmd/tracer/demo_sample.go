package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/reconcile-tracer/tracer/actions"
	"github.com/reconcile-tracer/tracer/cmd/tracer/internal/supervise"
	"github.com/reconcile-tracer/tracer/server/flow"
)

// sample is the PodSet that there is to look at from the beginning.
var sample = map[string]string{"namespace": "default", "name": "web", "replicas": "3"}

// askEvery is how often the demo asks whether a step is done.
const askEvery = 50 * time.Millisecond

// awaitAttached waits until the hub hears the reconciler that has started, and
// that its caches are filled; only then is it ready in the eyes of someone who
// looks at the page, and what is made from now on comes to it as an event.
func (d *crew) awaitAttached(ctx context.Context, m *member, e supervise.Event) {
	begin := time.Now()
	if poll(ctx, askEvery, func(ctx context.Context) bool { return d.attachedSince(ctx, begin) }) != nil {
		return // it has ended
	}
	d.say("%s attached after %s (process %d)", e.Child, seconds(time.Since(begin)), e.PID)
	m.isReady("")
}

// attachedSince reports whether the hub has heard since then of a controller
// whose caches are filled, or which says why they are not. A hub that does not
// answer has not. One that has died is not asked: its port may be another's, who
// would get the token.
func (d *crew) attachedSince(ctx context.Context, then time.Time) bool {
	if hubAddress(d.folder.hub()) != "http://"+d.address {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+d.address+"/api/v1/rows?row=controller", nil)
	if err != nil {
		return false
	}
	req.Header.Set("Authorization", "Bearer "+d.token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		var row flow.Controller
		if json.Unmarshal(lines.Bytes(), &row) == nil && row.Connected && row.Heard >= then.UnixMicro() &&
			(len(row.Synced) > 0 && len(row.Unsynced) == 0 || row.WatchError != "") {
			return true
		}
	}
	return false
}

// ensureSample makes the sample PodSet, the way the page would, unless it is
// there. The API server may need a moment until it has the namespace.
func (d *demoRun) ensureSample(ctx context.Context) error {
	found, err := cluster{kubeconfig: d.folder.kubeconfig()}.config()
	if err != nil {
		return err
	}
	acts, err := actions.New(found.Config)
	if err != nil {
		return err
	}
	summary, last := "", error(nil)
	if err := poll(ctx, askEvery, func(ctx context.Context) bool {
		summary, last = acts.Do(ctx, "create", sample)
		return last == nil || !hasStatus(last, http.StatusNotFound, http.StatusServiceUnavailable)
	}); err != nil {
		return err
	}
	switch {
	case hasStatus(last, http.StatusConflict):
		d.say("PodSet %s/%s is there from before", sample["namespace"], sample["name"])
	case last != nil:
		return fmt.Errorf("making the sample: %w", last)
	default:
		d.say("%s", summary)
	}
	return nil
}

func hasStatus(err error, any ...int) bool {
	var coded *actions.Error
	return errors.As(err, &coded) && slices.Contains(any, coded.HTTPStatus())
}
