package controltest

import (
	"context"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/reconcile-tracer/tracer/internal/clustertest"
	"github.com/reconcile-tracer/tracer/server/flow"
)

func TestAReconcileIsSteppedThroughPhaseByPhase(t *testing.T) {
	c := open(t)
	pause := c.do(command{"command": "pause"})
	if pause.Text != "presenter paused podset" {
		t.Errorf("the command is called %q", pause.Text)
	}
	c.scale(2)
	c.held("dequeue", "pause")
	var reconcile string
	for _, phase := range []string{"fetch", "compute", "apply", "requeue"} {
		c.do(command{"command": "step", "by": "phase"})
		h := c.held(phase, "step")
		if h.Item != c.namespace+"/web" || h.Until <= h.From {
			t.Errorf("the hold before %s is %+v", phase, h)
		}
		if reconcile == "" {
			reconcile = h.Reconcile
		}
		if h.Reconcile != reconcile || reconcile == "" {
			t.Errorf("before %s it is reconcile %q, want %q all the way", phase, h.Reconcile, reconcile)
		}
		if pods := c.pods(); phase == "apply" && pods != 1 {
			t.Errorf("before apply there are %d Pods, want 1", pods)
		}
	}
	if pods := c.pods(); pods != 2 {
		t.Errorf("after apply there are %d Pods, want 2", pods)
	}
	c.do(command{"command": "resume"})
	c.settled(2)
	c.wantEnded(pause.ID, "resumed")
	clustertest.Eventually(t, "every hold has ended", func(context.Context) bool {
		for _, h := range rowsOf[flow.Hold](c, "row=hold") {
			if h.To == 0 {
				return false
			}
		}
		return true
	})
}

// wantEnded waits until a command has ended, and checks by what.
func (c *class) wantEnded(id, why string) {
	c.Helper()
	var last flow.Control
	clustertest.Eventually(c, "the command has ended", func(context.Context) bool {
		for _, r := range rowsOf[flow.Control](c, "row=control") {
			if r.Key == id {
				last = r
			}
		}
		return last.To != 0
	})
	if last.Lifted != why || last.By != "presenter" {
		c.Errorf("the command has ended by %q: %+v, want %q", last.Lifted, last, why)
	}
}

func TestShutdownDoesNotHangOnAHeldWorker(t *testing.T) {
	c := open(t)
	c.do(command{"command": "pause", "phase": "apply"})
	c.scale(2)
	c.held("apply", "pause")
	began := time.Now()
	if err := c.leave(); err != nil {
		t.Errorf("Run returned %v", err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("the end took %v", took)
	}
}

// The second within which it is let go is the program's own time, which package
// control tests; here the machine and the cluster take theirs too.
func TestAKilledHubHoldsNobody(t *testing.T) {
	c := open(t)
	c.do(command{"command": "pause", "phase": "apply"})
	c.scale(2)
	c.held("apply", "pause")
	if err := c.hub.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	clustertest.Eventually(t, "the second Pod is made", func(context.Context) bool { return c.pods() == 2 })
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %v until the worker went on, want one second or so", took)
	} else {
		t.Logf("the worker went on after %v", took)
	}
	c.settled(2)
}

// A hub that hangs keeps its connections open.
func TestAHubThatHangsHoldsNobody(t *testing.T) {
	c := open(t)
	c.do(command{"command": "pause", "phase": "apply"})
	c.scale(2)
	c.held("apply", "pause")
	if err := c.hub.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.hub.Process.Signal(syscall.SIGCONT) })
	began := time.Now()
	clustertest.Eventually(t, "the second Pod is made", func(context.Context) bool { return c.pods() == 2 })
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %v until the worker went on, want one second or so", took)
	} else {
		t.Logf("the worker went on after %v", took)
	}
}

func TestCommandsForNothingAreRefused(t *testing.T) {
	c := open(t)
	for _, r := range []struct {
		body   command
		status int
		want   string
	}{
		{command{"command": "resume", "controller": "podset"}, http.StatusConflict, "podset is neither paused nor held: there is nothing to resume"},
		{command{"command": "step", "controller": "podset"}, http.StatusConflict, "no worker of podset is held"},
		{command{"command": "pause", "controller": "shop"}, http.StatusConflict, "shop does not take commands (podset does): start it with Control: true"},
		{command{"command": "lift", "controller": "podset", "id": "x"}, http.StatusConflict, `id "x" names no command that stands`},
		{command{"command": "stop", "controller": "podset"}, http.StatusBadRequest, `command "stop" is not known: use pause, resume`},
		{command{"command": "pause", "controler": "podset"}, http.StatusBadRequest, `"controler" is no field of a command: use command, controller`},
		{command{"command": "slow", "controller": "podset", "factor": "ten"}, http.StatusBadRequest, "factor is a string, and must be a number"},
		{command{"command": "break", "controller": "podset", "when": "result = eror"}, http.StatusBadRequest, `when: at 10: "eror" is no result`},
		{
			command{"command": "fault", "controller": "podset", "fault": "hold_watch", "seconds": 1, "resource": "services"},
			http.StatusConflict, `resource "services" is not watched by podset: use one of pods, podsets`,
		},
	} {
		status, a := c.ask(r.body)
		if status != r.status || !strings.HasPrefix(a.Error, r.want) {
			t.Errorf("%v: %d %q, want %d %q", r.body, status, a.Error, r.status, r.want)
		}
	}
	if rows := rowsOf[flow.Control](c, "row=control"); len(rows) != 0 {
		t.Errorf("what was refused left rows: %+v", rows)
	}
}
