package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// runFolder is the data folder of a demo or of attach, locked: one run at a time. The lock is
// handed to the children too, so that it is free only when none is left.
type runFolder struct {
	path   string
	lock   *os.File
	remove bool
	// forget is what atHurry returned for a folder that is removed in the end.
	forget func()
}

func (f *runFolder) kubeconfig() string { return filepath.Join(f.path, "kubeconfig") }
func (f *runFolder) cluster() string    { return filepath.Join(f.path, "cluster") }
func (f *runFolder) hub() string        { return filepath.Join(f.path, "hub") }
func (f *runFolder) logs() string       { return filepath.Join(f.path, "logs") }

// ingestToken, controlToken and pageToken hold the tokens for controllers, for
// those that take commands, and for the presenter.
func (f *runFolder) ingestToken() string  { return filepath.Join(f.hub(), "ingest-token") }
func (f *runFolder) controlToken() string { return filepath.Join(f.hub(), "control-token") }
func (f *runFolder) pageToken() string    { return filepath.Join(f.hub(), "token") }

// inherited are the files that every child is to hold.
func (f *runFolder) inherited() []*os.File {
	if f.lock == nil {
		return nil
	}
	return []*os.File{f.lock}
}

var errFolderInUse = errors.New("another run of tracer uses it")

// openFolder makes the folder when it does not exist, and locks it. The errors
// name it and say what to do.
func openFolder(ctx context.Context, path string, ephemeral bool) (*runFolder, error) {
	path, err := choosePath(path, ephemeral)
	if err != nil {
		return nil, err
	}
	f := &runFolder{path: path, remove: ephemeral, forget: func() {}}
	if ephemeral {
		f.forget = atHurry(func() { _ = os.RemoveAll(path) })
	}
	if err := f.open(ctx); err != nil {
		return nil, explainFolder(path, err)
	}
	return f, nil
}

// open makes the folder whole and locks it. One that would be removed in the
// end is removed at once when that fails.
func (f *runFolder) open(ctx context.Context) error {
	err := os.MkdirAll(f.logs(), 0o700)
	if err == nil {
		f.lock, err = lockFolder(ctx, filepath.Join(f.path, "demo.lock"))
	}
	if err != nil && f.remove {
		err = errors.Join(err, os.RemoveAll(f.path))
	}
	return err
}

func choosePath(path string, ephemeral bool) (string, error) {
	switch {
	case ephemeral:
		path, err := os.MkdirTemp("", "tracer-run-")
		if err != nil {
			return "", fmt.Errorf("--ephemeral: %w (set TMPDIR to a folder that you may write to)", err)
		}
		return path, nil
	case path != "":
		return filepath.Abs(path)
	}
	return dataFolder("demo")
}

func explainFolder(path string, err error) error {
	var at *fs.PathError
	within := errors.As(err, &at) && strings.HasPrefix(at.Path, path+string(filepath.Separator))
	switch {
	case within && errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("--data %q: %s is a file, and must be a folder (move it away, or name another folder)", path, at.Path)
	case within && errors.Is(err, os.ErrPermission):
		return fmt.Errorf("--data %q: this user may not write %s (chmod it, or name another folder)", path, at.Path)
	case errors.Is(err, errFolderInUse):
		return fmt.Errorf("--data %q: %w (stop that one, name another folder, or run with --ephemeral)", path, err)
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("--data %q: it, or a part of its path, is a file (name a folder)", path)
	case errors.Is(err, os.ErrPermission):
		return fmt.Errorf("--data %q: this user may not write there (name another folder)", path)
	}
	return fmt.Errorf("--data %q: %w (name another folder)", path, err)
}

// close removes an ephemeral folder and gives the lock back.
func (f *runFolder) close() error {
	var err error
	if f.remove {
		err = os.RemoveAll(f.path)
		f.forget()
	}
	if f.lock != nil {
		err = errors.Join(err, f.lock.Close())
	}
	return err
}

// kubeconfigWatch waits for a kubeconfig that is newer than the one of the run
// before.
type kubeconfigWatch struct {
	path string
	old  os.FileInfo
}

func (f *runFolder) watchKubeconfig() kubeconfigWatch {
	old, _ := os.Stat(f.kubeconfig()) // usually there is none
	return kubeconfigWatch{path: f.kubeconfig(), old: old}
}

func (w kubeconfigWatch) wait(ctx context.Context) error {
	return poll(ctx, 20*time.Millisecond, func(context.Context) bool {
		now, err := os.Stat(w.path)
		return err == nil && (w.old == nil || !os.SameFile(w.old, now))
	})
}

// poll asks until the answer is yes or ctx ends.
func poll(ctx context.Context, every time.Duration, ask func(context.Context) bool) error {
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	for !ask(ctx) {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticks.C:
		}
	}
	return nil
}
