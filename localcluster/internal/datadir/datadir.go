// Package datadir owns the folder in which a cluster keeps its state: who may
// use it (one localcluster at a time), where its parts are, and which version
// wrote it.
package datadir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Dir is an opened and locked data folder. Its methods may be called from
// several goroutines, except Close, SetPort and Remove.
type Dir struct {
	path string
	lock *os.File
	meta meta
	keep bool
}

// Open makes the folder when it does not exist, locks it and checks that this
// binary can read what is in it. While another localcluster holds the lock it
// waits until ctx ends: children of a killed localcluster need a moment to end.
// Every error names the folder and says what to do.
func Open(ctx context.Context, path string) (*Dir, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("data folder %s: %w", path, err)
	}
	if err := makeFolder(abs); err != nil {
		return nil, err
	}
	return open(ctx, abs, true)
}

// OpenTemporary makes a new folder below the system's temporary folder. Close
// removes it.
func OpenTemporary(ctx context.Context) (*Dir, error) {
	path, err := os.MkdirTemp("", "localcluster-")
	if err != nil {
		return nil, fmt.Errorf("making a temporary data folder (set TMPDIR to a writable folder): %w", err)
	}
	return open(ctx, path, false)
}

func open(ctx context.Context, path string, keep bool) (*Dir, error) {
	lock, err := acquire(ctx, filepath.Join(path, "lock"))
	if err != nil {
		return nil, fmt.Errorf("data folder %s: %w", path, err)
	}
	d := &Dir{path: path, lock: lock, keep: keep}
	if err := d.prepare(); err != nil {
		return nil, errors.Join(fmt.Errorf("data folder %s: %w", path, err), d.Close())
	}
	return d, nil
}

func (d *Dir) prepare() error {
	if err := d.loadMeta(); err != nil {
		return err
	}
	for _, sub := range []string{d.PKI(), d.Logs()} {
		if err := os.MkdirAll(sub, 0o700); err != nil {
			return fmt.Errorf("making %s: %w", sub, err)
		}
	}
	return nil
}

func makeFolder(path string) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.IsDir():
		return fmt.Errorf("data folder %s is a file: name a folder with --data", path)
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("data folder %s: a part of this path is a file: name another folder with --data", path)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("data folder: %w", err)
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return fmt.Errorf("making data folder: %w: name a folder you may write to with --data", err)
	}
	return nil
}

// Path is the folder itself, absolute.
func (d *Dir) Path() string { return d.path }

// PKI is the folder of keys and certificates.
func (d *Dir) PKI() string { return filepath.Join(d.path, "pki") }

// Logs is the default folder of the children's logs.
func (d *Dir) Logs() string { return filepath.Join(d.path, "logs") }

// Etcd is the folder of etcd's data.
func (d *Dir) Etcd() string { return filepath.Join(d.path, "etcd") }

// Kubeconfig is the default place of the kubeconfig.
func (d *Dir) Kubeconfig() string { return filepath.Join(d.path, "kubeconfig") }

// File is a file directly in the folder.
func (d *Dir) File(name string) string { return filepath.Join(d.path, name) }

// Lock is the file that holds the lock. Given to a child it keeps the folder
// locked until that child has ended too.
func (d *Dir) Lock() *os.File { return d.lock }

// Temporary reports whether Close removes the folder.
func (d *Dir) Temporary() bool { return !d.keep }

// Close gives the lock back, and removes the folder when it is temporary.
func (d *Dir) Close() error {
	var err error
	if !d.keep {
		err = os.RemoveAll(d.path)
	}
	return errors.Join(err, d.lock.Close())
}
