package control

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reconcile-tracer/tracer/tracer/control/wire"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

func TestAPauseHoldsBeforeThePhaseUntilItIsResumed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.do(wire.Command{Command: wire.Pause, Phase: "apply"})
		done := b.reconcile(1, "web", nil)
		synctest.Wait()
		b.wantHeld(1, "apply", "pause")
		time.Sleep(almost)
		synctest.Wait()
		b.wantHeld(1, "apply", "pause")
		b.do(wire.Command{Command: wire.Resume})
		synctest.Wait()
		b.wantHeld(1, "", "")
		if !isDone(done) || b.Armed() {
			t.Errorf("done %v, armed %v after the resume", isDone(done), b.Armed())
		}
	})
}

func TestASelectorMeansItsItemAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.do(wire.Command{Command: wire.Pause, Item: "default/web"})
		web, db := b.reconcile(1, "web", nil), b.reconcile(2, "db", nil)
		synctest.Wait()
		b.wantHeld(1, "dequeue", "pause")
		if isDone(web) || !isDone(db) {
			t.Errorf("web done %v, db done %v", isDone(web), isDone(db))
		}
		b.do(wire.Command{Command: wire.Resume, Item: "default/web"})
		<-web
	})
}

func TestStepsGoThroughOneReconcilePhaseByPhase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.do(wire.Command{Command: wire.Pause})
		done := b.reconcile(1, "web", nil)
		synctest.Wait()
		b.wantHeld(1, "dequeue", "pause")
		for _, phase := range loop[1:] {
			b.do(wire.Command{Command: wire.Step})
			synctest.Wait()
			b.wantHeld(1, phase, "step")
		}
		b.do(wire.Command{Command: wire.Step})
		synctest.Wait()
		b.wantHeld(1, "", "")
		if !isDone(done) {
			t.Fatal("the last step did not end the reconcile")
		}
		if err := b.Do(wire.Command{Command: wire.Step, Controller: "podset"}); err == nil || !strings.Contains(err.Error(), "no worker of podset is held") {
			t.Errorf("a step of nothing: %v", err)
		}
		b.LiftAll("test")
	})
}

func TestAStepByReconcileStopsBeforeTheNextOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.do(wire.Command{Command: wire.Pause})
		first := b.reconcile(1, "web", nil)
		synctest.Wait()
		b.do(wire.Command{Command: wire.Step, By: wire.ByReconcile})
		<-first
		second := b.reconcile(1, "web", nil)
		synctest.Wait()
		b.wantHeld(1, "dequeue", "pause")
		b.LiftAll("test")
		<-second
	})
}

func TestBreakpoints(t *testing.T) {
	for name, c := range map[string]struct {
		command wire.Command
		phase   string
	}{
		"a phase":    {wire.Command{Phase: "compute"}, "compute"},
		"an item":    {wire.Command{Item: "default/web"}, "dequeue"},
		"a result":   {wire.Command{When: "result = error"}, "requeue"},
		"a cause":    {wire.Command{When: "cause = own_write"}, "dequeue"},
		"a cause at": {wire.Command{When: "cause = own_write", Phase: "apply"}, "apply"},
		"nothing":    {wire.Command{When: "cause = resync"}, ""},
		"others":     {wire.Command{When: "result = success"}, ""},
		"no write":   {wire.Command{When: "write = Conflict"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				c.command.Command = wire.Break
				b.do(c.command)
				done := b.reconcile(1, "web", func(at *Place) { at.Facts.Causes = []string{semconv.CauseUpdate, wire.OwnWrite} })
				synctest.Wait()
				why := ""
				if c.phase != "" {
					why = "break"
					if c.command.When != "" {
						why += " when " + c.command.When
					}
				}
				b.wantHeld(1, c.phase, why)
				if c.phase != "" { // once is enough, though its condition goes on to hold
					b.do(wire.Command{Command: wire.Resume})
				}
				<-done
				b.LiftAll("test")
			})
		})
	}
}

func TestABreakpointOnWritesHoldsAtEachOfThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.do(wire.Command{Command: wire.Break, When: "write = Conflict"})
		done := b.reconcile(1, "web", func(at *Place) {
			if at.Phase == "compute" || at.Phase == "apply" {
				at.Moment, at.Phase, at.Facts.Write = Wrote, "apply", []string{"Conflict", "409"}
			}
		})
		for range 2 {
			synctest.Wait()
			b.wantHeld(1, "apply", "break when write = Conflict")
			b.do(wire.Command{Command: wire.Resume})
		}
		<-done
		b.LiftAll("test")
	})
}

func TestSlowStretchesThePhaseThatEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.do(wire.Command{Command: wire.Slow, Factor: 10, Phase: "fetch"})
		began := time.Now()
		done := b.reconcile(1, "web", func(at *Place) {
			if at.Phase == "compute" {
				at.Ending, at.Since = "fetch", time.Now().Add(-100*time.Millisecond)
			}
		})
		synctest.Wait()
		b.wantHeld(1, "compute", "slow ×10")
		<-done
		if took := time.Since(began); took != 900*time.Millisecond {
			t.Errorf("a fetch of 100 ms was stretched by %v, want 900ms", took)
		}
		b.LiftAll("test")
	})
}

func TestNoHoldOutlastsTenMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.do(wire.Command{Command: wire.Break, Phase: "apply"})
		began := time.Now()
		done := b.reconcile(1, "web", nil)
		// One pause after the other: they do not add up.
		time.Sleep(almost)
		b.do(wire.Command{Command: wire.Pause, Phase: "apply"})
		<-done
		if took := time.Since(began); took != wire.MaxHold {
			t.Errorf("it was held for %v, want %v", took, wire.MaxHold)
		}
		b.wantHeld(1, "", "")
		b.LiftAll("test")
	})
}

func TestAPauseEndsByItselfAndSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.do(wire.Command{Command: wire.Pause, ID: "p"})
		time.Sleep(wire.MaxHold)
		synctest.Wait()
		if b.Armed() {
			t.Error("the pause stands after 10 minutes")
		}
		if out := b.messages(); len(out) != 1 || out[0].ID != "p" || out[0].Why != whyTime {
			t.Errorf("the hub is told %+v", out)
		}
	})
}

func TestWhatEndsAHold(t *testing.T) {
	for name, end := range map[string]func(b *bench, ctx, queue chan struct{}){
		"the reconcile's context": func(_ *bench, ctx, _ chan struct{}) { close(ctx) },
		"the queue's end":         func(_ *bench, _, queue chan struct{}) { close(queue) },
		"the hub is gone":         func(b *bench, _, _ chan struct{}) { b.LiftAll(whyLost) },
		"resume":                  func(b *bench, _, _ chan struct{}) { b.do(wire.Command{Command: wire.Resume}) },
		"lift by id":              func(b *bench, _, _ chan struct{}) { b.do(wire.Command{Command: wire.Lift, ID: "p"}) },
		"lift of all":             func(b *bench, _, _ chan struct{}) { b.do(wire.Command{Command: wire.Lift}) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				b.do(wire.Command{Command: wire.Pause, Phase: "apply", ID: "p"})
				ctx, queue := make(chan struct{}), make(chan struct{})
				done := b.reconcile(1, "web", func(at *Place) { at.Done, at.Closing = ctx, queue })
				synctest.Wait()
				b.wantHeld(1, "apply", "pause")
				end(b, ctx, queue)
				synctest.Wait()
				if !isDone(done) {
					t.Error("the worker is held still")
				}
				b.wantHeld(1, "", "")
				b.LiftAll("test")
			})
		})
	}
}

func TestCommandsForNothingSaySo(t *testing.T) {
	for want, c := range map[string]wire.Command{
		"podset is neither paused nor held: there is nothing to resume":                    {Command: wire.Resume},
		"no worker of podset is held with default/web: pause it first":                     {Command: wire.Step, Item: "default/web"},
		"nothing stands for podset before apply: there is nothing to lift":                 {Command: wire.Lift, Phase: "apply"},
		`id "x" names no command that stands for podset: it has ended, or never was`:       {Command: wire.Lift, ID: "x"},
		"podset has no watch of its own that could be held":                                {Command: wire.Fault, Fault: wire.FaultHoldWatch, Seconds: 1},
		"resource leases is never held: choose one that podset reconciles or owns":         {Command: wire.Fault, Fault: wire.FaultHoldWatch, Seconds: 1, Resource: "leases"},
		"factor is 0, and must be over 1 and at most 1000: choose how many times its time": {Command: wire.Slow},
	} {
		c.Controller = "podset"
		d := New(Config{Controller: "podset", Resource: "podsets"})
		if err := d.Do(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v\nwant %s", c, err, want)
		}
		if d.Armed() {
			t.Errorf("%+v is refused and stands", c)
		}
	}
}

func TestNoMoreCommandsThanTheLimitStand(t *testing.T) {
	b := newBench(t)
	for range wire.MaxCommands {
		b.do(wire.Command{Command: wire.Pause})
	}
	if err := b.Do(wire.Command{Command: wire.Pause, Controller: "podset"}); err == nil || !strings.Contains(err.Error(), "the limit is 64") {
		t.Errorf("one more: %v", err)
	}
	b.LiftAll("test")
}

func TestWithNothingStandingACheckpointAllocatesNothing(t *testing.T) {
	d := New(Config{Controller: "podset"})
	if n := testing.AllocsPerRun(100, func() {
		if d.Armed() {
			t.Error("something stands")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestANilDebuggerDoesNothing(t *testing.T) {
	var d *Debugger
	d.LiftAll("")
	d.End(&Pass{})
	d.Watch(t.Context(), nil, "pods")
	if d.Armed() {
		t.Error("it is armed")
	}
}
