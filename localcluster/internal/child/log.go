package child

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

const (
	tailLines = 15
	tailBytes = 16 << 10
)

func logPath(spec Spec) string { return filepath.Join(spec.LogDir, spec.Name+".log") }

// openLog starts a new log and keeps the one before: after a crash and a restart
// it is the one that tells why.
func openLog(spec Spec) (*os.File, error) {
	path := logPath(spec)
	if err := os.Rename(path, path+".old"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("keeping the old log: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening its log: %w", err)
	}
	return f, nil
}

// tail returns the last lines of a file, indented; when it cannot be read, why.
func tail(path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		return []byte("  (" + err.Error() + ")")
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err == nil && info.Size() > tailBytes {
		_, _ = f.Seek(-tailBytes, io.SeekEnd)
	}
	raw, err := io.ReadAll(f)
	if err != nil {
		return []byte("  (" + err.Error() + ")")
	}
	return lastLines(raw)
}

// lastLines returns the last lines, or the first ones of a crash: what follows
// them are stacks.
func lastLines(raw []byte) []byte {
	lines := bytes.Split(bytes.TrimSpace(raw), []byte("\n"))
	if crash := slices.IndexFunc(lines, startsCrash); crash >= 0 {
		lines = lines[crash:min(len(lines), crash+tailLines)]
	}
	lines = lines[max(0, len(lines)-tailLines):]
	return append([]byte("  "), bytes.Join(lines, []byte("\n  "))...)
}

func startsCrash(line []byte) bool {
	return bytes.HasPrefix(line, []byte("panic: ")) || bytes.HasPrefix(line, []byte("fatal error: "))
}
