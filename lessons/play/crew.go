package play

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/reconcile-tracer/tracer/lessons/cluster"
	"github.com/reconcile-tracer/tracer/lessons/engine"
	"github.com/reconcile-tracer/tracer/lessons/format"
	"github.com/reconcile-tracer/tracer/server/flow"
)

const (
	// actWithin bounds all that one beat does, cleanWithin the removal of all
	// that a lesson made, and recordWithin the recording of a beat.
	actWithin    = time.Minute
	cleanWithin  = time.Minute
	recordWithin = 5 * time.Second
	// LeaveWithin bounds all that is under way when the player closes. The hub
	// ends after that, and who supervises it has to wait for both.
	LeaveWithin = time.Second
)

// crew does the effects of one session. The session's goroutine calls do and
// end; effects run one after another, except that a Clean ends what is under
// way first.
type crew struct {
	session *session
	records chan *flow.Beat
	cancel  context.CancelFunc // of the effect under way
	work    sync.WaitGroup
	// giving are the results on their way to the engine.
	giving sync.WaitGroup

	// What follows belongs to the effect under way.
	run      *cluster.Run
	watching context.CancelFunc
	watch    sync.WaitGroup
	stand    []cluster.Command // those that stand until they are lifted
}

func (c *crew) do(effects []engine.Effect) {
	for _, f := range effects {
		switch {
		case f.Record != nil:
			select {
			case c.records <- f.Record:
			default:
				c.log("a beat was not recorded", errors.New("too many wait to be"))
			}
		case f.Prepare != nil:
			c.start(actWithin, func(ctx context.Context) engine.Result { return c.prepare(ctx, f.Prepare) })
		case f.Act != nil:
			c.start(actWithin, func(ctx context.Context) engine.Result { return c.act(ctx, f.Act) })
		case f.Undo != nil:
			c.start(actWithin, func(ctx context.Context) engine.Result { return c.undo(ctx, f.Undo) })
		case f.Clean != nil:
			c.cancel() // there is always one before
			c.start(cleanWithin, func(ctx context.Context) engine.Result { return c.clean(ctx, f.Clean) })
		}
	}
}

// start does one effect in the background, after the one before it.
func (c *crew) start(within time.Duration, effect func(context.Context) engine.Result) {
	c.work.Wait()
	ctx, cancel := context.WithTimeout(c.session.last, within)
	c.cancel = cancel
	c.work.Go(func() {
		defer cancel()
		result := effect(ctx)
		c.giving.Go(func() { c.session.give(engine.Input{Result: &result}) })
	})
}

// end waits for all that is under way; nothing is given to the engine any more.
func (c *crew) end() {
	c.work.Wait()
	if c.watching != nil {
		c.watching()
	}
	c.watch.Wait()
	c.giving.Wait()
	close(c.records)
}

func (c *crew) prepare(ctx context.Context, p *engine.Prepare) engine.Result {
	lesson := c.session.lesson
	if err := c.session.player.cfg.Hub.Check(ctx, lesson.Controller, slices.Contains(lesson.Needs, format.NeedControl)); err != nil {
		return engine.Result{Seq: p.Seq, Err: err}
	}
	c.liftAll(ctx, c.session.player.cfg.Cluster.LeftCommands())
	if err := c.session.player.cfg.Hub.Free(ctx, lesson.Controller, p.Name); err != nil {
		return engine.Result{Seq: p.Seq, Err: err}
	}
	run, err := c.session.player.cfg.Cluster.Begin(ctx, p.Name)
	c.run = run
	if err != nil {
		return engine.Result{Seq: p.Seq, Err: err}
	}
	if err := c.follow(ctx, run.Namespace); err != nil {
		return engine.Result{Seq: p.Seq, Run: run.Namespace, Err: err}
	}
	return engine.Result{Seq: p.Seq, Run: run.Namespace}
}

// follow gives the rows of the namespace to the engine from now on, and
// returns when the hub has given the first.
func (c *crew) follow(ctx context.Context, namespace string) error {
	watching, cancel := context.WithCancel(context.WithoutCancel(ctx))
	c.watching = cancel
	first := make(chan struct{})
	opened := sync.OnceFunc(func() { close(first) })
	failed := make(chan error, 1)
	c.watch.Go(func() {
		err := c.session.player.cfg.Hub.Watch(watching, namespace, func(w Change) {
			opened()
			c.session.give(engine.Input{Rows: w.Rows, Gone: w.Gone, All: w.All})
		})
		select {
		case <-first:
			if err != nil && watching.Err() == nil {
				c.session.give(engine.Input{Lost: err})
			}
		default:
			failed <- err
		}
	})
	select {
	case <-first:
		return nil
	case err := <-failed:
		return err
	case <-ctx.Done():
		cancel()
	}
	select {
	case <-first: // at the last moment
		return ctx.Err()
	case err := <-failed:
		return fmt.Errorf("the hub gave no rows: see whether it runs: %w", cmp.Or(err, ctx.Err()))
	}
}

func (c *crew) act(ctx context.Context, a *engine.Act) engine.Result {
	r := engine.Result{Seq: a.Seq}
	if r.Err = c.run.Save(ctx, a.Beat); r.Err != nil {
		return r
	}
	for i := range a.Actions {
		before := len(c.stand)
		did, err := c.one(ctx, &a.Actions[i])
		if err != nil {
			r.Err, r.At = err, i
			return r
		}
		r.Did = append(r.Did, did)
		for _, given := range c.stand[before:] {
			r.Gave = append(r.Gave, given.ID)
		}
	}
	return r
}

func (c *crew) one(ctx context.Context, a *format.Action) (string, error) {
	if a.Verb != format.DoControl {
		return c.run.Do(ctx, *a)
	}
	command := *a.Control
	command.Controller = c.session.lesson.Controller
	if !a.Any {
		command.Item = c.run.Namespace + "/" + c.session.lesson.Item
	}
	id, did, err := c.session.player.cfg.Hub.Control(ctx, command)
	if err != nil {
		return "", fmt.Errorf("control %s: %w", command.Command, err)
	}
	if command.Stands() {
		c.stand = append(c.stand, cluster.Command{Controller: command.Controller, ID: id})
		c.run.NoteCommands(c.stand)
	}
	return did, nil
}

func (c *crew) undo(ctx context.Context, u *engine.Undo) engine.Result {
	c.lift(ctx)
	return engine.Result{Seq: u.Seq, Err: c.run.Undo(ctx, u.Beat)}
}

// lift ends every command that the lesson gave.
func (c *crew) lift(ctx context.Context) {
	if len(c.stand) == 0 {
		return
	}
	c.liftAll(ctx, c.stand)
	c.stand = nil
	c.run.NoteCommands(nil)
}

// liftAll ends commands. One that has ended by itself is as it should be.
func (c *crew) liftAll(ctx context.Context, all []cluster.Command) {
	for _, one := range all {
		if err := c.session.player.cfg.Hub.Lift(ctx, one.Controller, one.ID); err != nil {
			c.session.player.cfg.Log.Debug("lifting a command of a lesson", "id", one.ID, "error", err)
		}
	}
}

func (c *crew) clean(ctx context.Context, f *engine.Clean) engine.Result {
	c.lift(ctx)
	if c.run == nil {
		return engine.Result{Seq: f.Seq}
	}
	err := c.run.Leave(ctx)
	if err == nil {
		err = c.awaitGone(ctx)
	}
	return engine.Result{Seq: f.Seq, Err: err}
}

// awaitGone waits until what the lesson made is gone, unless the player closes:
// it goes by itself then.
func (c *crew) awaitGone(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.session.closing, cancel)()
	err := c.run.AwaitGone(ctx)
	if c.session.closing.Err() != nil {
		return nil
	}
	return err
}

// record puts beats into the journal until there are no more.
func (c *crew) record() {
	for beat := range c.records {
		ctx, cancel := context.WithTimeout(c.session.last, recordWithin)
		if err := c.session.player.cfg.Hub.Record(ctx, beat); err != nil {
			c.log("a beat was not recorded", err)
		}
		cancel()
	}
}

func (c *crew) log(what string, err error) {
	c.session.player.cfg.Log.Warn(what, "lesson", c.session.lesson.ID, "error", err)
}
