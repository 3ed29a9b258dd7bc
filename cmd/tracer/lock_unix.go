//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// lockPatience is how long the children of a demo that was killed may take to
// end.
const lockPatience = 5 * time.Second

// lockFolder takes the lock. While the demo that has it lives this fails at
// once; when only its children are left it waits for them.
func lockFolder(ctx context.Context, path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	taken := false
	_ = poll(ctx, 50*time.Millisecond, func(context.Context) bool {
		taken = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
		return taken || holderLives(f)
	})
	if !taken {
		return nil, errors.Join(fmt.Errorf("%w%s", errFolderInUse, holder(f)), f.Close())
	}
	if err := writeHolder(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func writeHolder(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt(fmt.Appendf(nil, "%d\n", os.Getpid()), 0)
	return err
}

// readHolder returns the process that has the lock, 0 when the file does not say.
func readHolder(f *os.File) int {
	text, err := io.ReadAll(io.NewSectionReader(f, 0, 32))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return pid
}

func holder(f *os.File) string {
	if pid := readHolder(f); pid > 0 {
		return fmt.Sprintf(" (process %d)", pid)
	}
	return ""
}

func holderLives(f *os.File) bool {
	pid := readHolder(f)
	return pid > 0 && !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}
