package supervise

import (
	"bytes"
	"io"
)

// readyPrefix begins the line with which a child says that it is ready.
const readyPrefix = "ready: "

// maxLine is how long a line may be that is looked at; a longer one goes to the
// log in pieces.
const maxLine = 16 << 10

// lines is a writer that picks out the lines which say ready and passes the
// others on. Those that say ready are not passed on: they may hold a token, and
// a log must not.
type lines struct {
	found chan string
	rest  io.Writer
	open  []byte
}

func newLines(rest io.Writer) *lines {
	return &lines{found: make(chan string, 16), rest: rest}
}

func (l *lines) Write(b []byte) (int, error) {
	l.open = append(l.open, b...)
	for {
		line, more, ok := bytes.Cut(l.open, []byte("\n"))
		if !ok {
			break
		}
		l.take(line)
		l.open = more
	}
	if len(l.open) > maxLine {
		l.take(l.open)
		l.open = nil
	}
	return len(b), nil
}

func (l *lines) take(line []byte) {
	if url, ok := bytes.CutPrefix(line, []byte(readyPrefix)); ok {
		select {
		case l.found <- string(bytes.TrimSpace(url)):
		default: // said more often than anyone listens
		}
		return
	}
	// A log that cannot be written must not stop the child.
	_, _ = l.rest.Write(append(line, '\n'))
}
