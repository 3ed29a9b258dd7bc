//go:build unix

package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// ErrLocked is wrapped by Open's error when another hub uses the folder.
var ErrLocked = errors.New("the data folder is in use by another hub")

// Who asks whether a folder is in use has it for a moment, so that to take it is
// tried again, this often and this far apart.
const (
	lockTries = 10
	lockEvery = 10 * time.Millisecond
)

// lockFolder takes the folder for this process. The kernel lets go of the lock
// when the process ends, however it ends.
func lockFolder(ctx context.Context, dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := tryLock(ctx, f); err != nil {
		defer func() { _ = f.Close() }()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, fmt.Errorf("%w%s: stop it, or choose another folder", ErrLocked, owner(f))
		}
		return nil, fmt.Errorf("locking %s: %w", f.Name(), err)
	}
	if err := f.Truncate(0); err == nil {
		_, _ = f.WriteAt([]byte(fmt.Sprint(os.Getpid())), 0)
	}
	return f, nil
}

func tryLock(ctx context.Context, f *os.File) error {
	tick := time.NewTicker(lockEvery)
	defer tick.Stop()
	for try := 1; ; try++ {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) || try == lockTries {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// InUse says whether a hub has the folder, and since when. It makes nothing there.
func InUse(dir string) (since time.Time, inUse bool) {
	f, err := os.Open(filepath.Join(dir, "lock"))
	if err != nil {
		return time.Time{}, false
	}
	defer func() { _ = f.Close() }() // which gives back what it may have taken
	if !errors.Is(unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB), unix.EWOULDBLOCK) {
		return time.Time{}, false
	}
	info, err := f.Stat()
	if err != nil {
		return time.Time{}, false
	}
	return info.ModTime(), true
}

func owner(f *os.File) string {
	buf := make([]byte, 20)
	n, _ := f.ReadAt(buf, 0)
	if pid := strings.TrimSpace(string(buf[:n])); pid != "" {
		return " (process " + pid + ")"
	}
	return ""
}
