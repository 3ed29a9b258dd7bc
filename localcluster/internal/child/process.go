// Package child runs the parts of the control plane as child processes of one
// binary. A child holds the read end of a pipe as its standard input: however the
// parent ends, the pipe ends with it, and then so does the child.
package child

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// Spec says what to start.
type Spec struct {
	// Name is used in messages and for the log file, "<Name>.log".
	Name string
	// Args are the arguments of this same binary.
	Args []string
	// Files become the child's file descriptors 3, 4, …; the caller keeps its own.
	Files []*os.File
	// Env is added to this process's environment.
	Env []string
	// LogDir is the folder of the log file. The log of the start before is kept
	// beside it with ".old" appended.
	LogDir string
}

// Process is a started child. Its methods may be called from several goroutines.
type Process struct {
	spec      Spec
	cmd       *exec.Cmd
	lifeline  io.Closer
	announced chan string
	done      chan struct{}
	err       error // valid once done is closed
}

// Start starts the child. The caller must Stop it.
func Start(spec Spec) (*Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("starting %s: finding this program: %w", spec.Name, err)
	}
	log, err := openLog(spec)
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", spec.Name, err)
	}
	defer func() { _ = log.Close() }() // the child has its own
	p := &Process{
		spec: spec,
		// Stop ends it, in order; a context would only kill it.
		cmd:       exec.CommandContext(context.Background(), self, spec.Args...),
		announced: make(chan string, 16),
		done:      make(chan struct{}),
	}
	p.cmd.Stderr = log
	p.cmd.ExtraFiles = spec.Files
	p.cmd.Env = append(os.Environ(), spec.Env...)
	// Its own process group: Ctrl-C reaches the parent only, which then ends the
	// children in order.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", spec.Name, err)
	}
	return p, nil
}

func (p *Process) start() error {
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := p.cmd.Start(); err != nil {
		return err
	}
	p.lifeline = stdin
	go p.watch(stdout)
	return nil
}

// watch passes announcements on and then collects the child.
func (p *Process) watch(stdout io.Reader) {
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		select {
		case p.announced <- lines.Text():
		default: // nobody listens any more
		}
	}
	p.err = p.cmd.Wait()
	close(p.done)
}

// Announced delivers the steps that the child announces.
func (p *Process) Announced() <-chan string { return p.announced }

// Done is closed when the child has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Stop asks the child to end, kills it when it has not ended after grace, and
// returns when it is gone. Stopping a child that has ended does nothing. A nil
// Process is already stopped.
func (p *Process) Stop(grace time.Duration) {
	if p == nil {
		return
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // fails only when it has ended
	defer func() { _ = p.lifeline.Close() }()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
		_ = p.cmd.Process.Kill()
		<-p.done
	}
}

// Failure describes an unexpected end with the last lines of the log. It must be
// called after Done only.
func (p *Process) Failure() error {
	state := "ended by itself"
	if p.err != nil {
		state = "ended: " + p.err.Error()
	}
	return fmt.Errorf("%s %s; the end of its log %s:\n%s", p.spec.Name, state, logPath(p.spec), tail(logPath(p.spec)))
}
