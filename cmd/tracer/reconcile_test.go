package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/reconcile-tracer/tracer/lessons/play"
	"github.com/reconcile-tracer/tracer/reconciler"
	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
	"github.com/reconcile-tracer/tracer/server"
	"github.com/reconcile-tracer/tracer/tracer"
)

// The last spans are sent although the context that ended the reconciler has.
func TestFlushSendsAfterTheEnd(t *testing.T) {
	sent := make(chan int, 100)
	hub := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // one that breaks off is empty
		sent <- len(body)
	}))
	defer hub.Close()
	tr, err := tracer.Start(t.Context(), tracer.Config{Controller: reconciler.ControllerName, For: v1alpha1.PodSetKind, Endpoint: hub.URL})
	if err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := flush(ended, tr); err != nil {
		t.Errorf("flush: %v", err)
	}
	if tr.Enabled() {
		t.Error("the tracer still runs")
	}
	if len(sent) == 0 || <-sent == 0 {
		t.Error("the hub got nothing")
	}
}

// PodSets may ask for a mistake where commands are taken, by the flag or the
// environment, which is stronger.
func TestTakesCommands(t *testing.T) {
	for _, c := range []struct {
		env        string
		flag, want bool
	}{{"", false, false}, {"", true, true}, {"1", false, true}, {"true", false, true}, {"0", true, false}, {"false", true, false}} {
		t.Setenv("TRACER_CONTROL", c.env)
		if o := (reconcileOptions{control: c.flag}); o.takesCommands() != c.want {
			t.Errorf("TRACER_CONTROL=%q, --control=%t: commands are taken: %t", c.env, c.flag, !c.want)
		}
	}
}

// Ctrl-C ends all within 5 s, but for a hub that is held up, and leaves the
// reconciler and the hub the time that they need.
func TestTimesToEndFitTogether(t *testing.T) {
	const scheduling = 200 * time.Millisecond
	if reconcilerDrain+flushTimeout+scheduling > reconcilerGrace {
		t.Errorf("the reconciler needs %v and %v, and is killed after %v", reconcilerDrain, flushTimeout, reconcilerGrace)
	}
	if all := reconcilerGrace + restGrace; all > 5*time.Second-scheduling {
		t.Errorf("an end takes up to %v, more than 5 s", all)
	}
	if play.LeaveWithin+server.StopWithin+scheduling > hubGrace {
		t.Errorf("the hub needs %v and %v, and is killed after %v", play.LeaveWithin, server.StopWithin, hubGrace)
	}
	if all := reconcilerGrace + hubGrace; all > lastMoment-scheduling {
		t.Errorf("an end takes up to %v, and this process exits after %v", all, lastMoment)
	}
}
