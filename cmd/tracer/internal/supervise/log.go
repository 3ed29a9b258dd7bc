package supervise

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
)

const (
	tailLines = 18 // more than a child shows of the log of a child of its own
	tailBytes = 16 << 10
)

// keepOldLog moves the log of an earlier run aside.
func keepOldLog(path string) error {
	if err := os.Rename(path, path+".old"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// tail returns the last lines of a log, indented, or why there are none.
func tail(path string) string {
	raw, err := readEnd(path, tailBytes)
	if err != nil {
		return "  (" + err.Error() + ")"
	}
	if raw = bytes.TrimSpace(raw); len(raw) == 0 {
		return "  (it is empty)"
	}
	lines := bytes.Split(raw, []byte("\n"))
	lines = lines[max(0, len(lines)-tailLines):]
	return "  " + string(bytes.Join(lines, []byte("\n  ")))
}

// readEnd returns the last n bytes of a file.
func readEnd(path string, n int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if _, err := f.Seek(max(0, info.Size()-n), io.SeekStart); err != nil {
		return nil, err
	}
	return io.ReadAll(f)
}
