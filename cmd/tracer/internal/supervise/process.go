package supervise

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// drain is how long output that is still in the pipe is read after a process
// has ended; something that it left behind may hold the pipe open.
const drain = 500 * time.Millisecond

// process is one run of a child.
type process struct {
	child    Child
	begin    time.Time
	cmd      *exec.Cmd
	lifeline io.Closer
	ready    *lines
	log      *os.File
}

func start(c Child) (*process, error) {
	log, err := os.OpenFile(c.Log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening its log: %w", err)
	}
	cmd := exec.Command(c.Path, c.Args...) //nolint:noctx // it is asked to end first, see stop
	p := &process{child: c, begin: time.Now(), cmd: cmd, log: log, ready: newLines(log)}
	p.cmd.Env, p.cmd.ExtraFiles = c.Env, c.Files
	p.cmd.Stdout, p.cmd.Stderr = p.ready, log
	p.cmd.WaitDelay = drain
	ownGroup(p.cmd)
	if p.lifeline, err = p.cmd.StdinPipe(); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	if err := p.cmd.Start(); err != nil {
		return nil, errors.Join(err, p.lifeline.Close(), log.Close())
	}
	return p, nil
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// follow passes on what the process says until it has ended, and ends it when
// ctx does. The error is how it ended, never nil.
func (p *process) follow(ctx context.Context, notify func(Event)) error {
	defer func() { _ = p.log.Close() }()
	notify(Event{Child: p.child.Name, Kind: Started, PID: p.pid()})
	ended := make(chan error, 1)
	go func() { ended <- p.cmd.Wait() }()
	for {
		select {
		case line := <-p.ready.found:
			notify(Event{Child: p.child.Name, Kind: Ready, PID: p.pid(), Line: line, After: time.Since(p.begin)})
		case err := <-ended:
			killGroup(p.cmd)
			return describe(err)
		case <-ctx.Done():
			return p.stop(ended)
		}
	}
}

// stop asks the process to end and kills its group when it does not.
func (p *process) stop(ended <-chan error) error {
	askToEnd(p.cmd, p.lifeline)
	timer := time.NewTimer(p.child.Policy.Grace)
	defer timer.Stop()
	select {
	case err := <-ended:
		killGroup(p.cmd) // whatever it has left behind
		return describe(err)
	case <-timer.C:
		killGroup(p.cmd)
		return describe(<-ended)
	}
}

func describe(err error) error {
	if err == nil {
		return errors.New("exit status 0")
	}
	return err
}
