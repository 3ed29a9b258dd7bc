package datadir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"
)

// lockPoll is how often a lock that is held is tried again.
const lockPoll = 50 * time.Millisecond

// acquire opens the lock file and takes an exclusive flock, waiting until ctx ends.
func acquire(ctx context.Context, path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if errors.Is(err, fs.ErrPermission) {
		return nil, errors.New("it is not writable: name a folder you may write to with --data")
	}
	if err != nil {
		return nil, fmt.Errorf("opening the lock file: %w", err)
	}
	if err := waitFlock(ctx, f); err != nil {
		holder := readHolder(f)
		return nil, errors.Join(fmt.Errorf("%w%s: stop that one or name another folder with --data", err, holder), f.Close())
	}
	if err := writeHolder(f); err != nil {
		return nil, errors.Join(fmt.Errorf("writing the lock file: %w", err), f.Close())
	}
	return f, nil
}

func waitFlock(ctx context.Context, f *os.File) error {
	tick := time.NewTicker(lockPoll)
	defer tick.Stop()
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return fmt.Errorf("locking: %w", err)
		}
		select {
		case <-ctx.Done():
			return errors.New("it is locked by another localcluster")
		case <-tick.C:
		}
	}
}

// readHolder returns " (process 123)", or nothing when the file does not say.
func readHolder(f *os.File) string {
	buf := make([]byte, 32)
	n, _ := f.ReadAt(buf, 0)
	pid := strings.TrimSpace(string(buf[:n]))
	if pid == "" {
		return ""
	}
	return " (process " + pid + ")"
}

func writeHolder(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt(fmt.Appendf(nil, "%d\n", os.Getpid()), 0)
	return err
}
