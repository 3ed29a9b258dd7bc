package journal

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
)

// serverLog passes the embedded server's words on to slog, and to who waits for
// the server: a fault it only writes down, and then does not answer. What it
// tells of its normal life is of no interest to the hub's user, so it is debug.
type serverLog struct {
	log *slog.Logger

	mu    sync.Mutex
	ended error                   // the first fatal one
	tell  context.CancelCauseFunc // who is told of errors now, nil: nobody
}

// serverError is what the server has written down.
type serverError struct{ words string }

func (e *serverError) Error() string { return "the log's server says: " + e.words }

// fatal is what the server could not start for, nil when there is nothing.
func (l *serverLog) fatal() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ended
}

// listen lets tell know of the next error; nil ends that.
func (l *serverLog) listen(tell context.CancelCauseFunc) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tell = tell
}

func (l *serverLog) failed(fatal bool, words string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := &serverError{words}
	if fatal && l.ended == nil {
		l.ended = err
	}
	if l.tell != nil {
		l.tell(err)
	}
}

// Noticef implements the server's Logger.
func (l *serverLog) Noticef(format string, v ...any) {
	l.log.Debug("log server", "notice", fmt.Sprintf(format, v...))
}

// Warnf implements the server's Logger.
func (l *serverLog) Warnf(format string, v ...any) {
	l.log.Warn("log server", "warning", fmt.Sprintf(format, v...))
}

// Fatalf implements the server's Logger.
func (l *serverLog) Fatalf(format string, v ...any) {
	l.log.Error("log server", "fatal", fmt.Sprintf(format, v...))
	l.failed(true, fmt.Sprintf(format, v...))
}

// Errorf implements the server's Logger.
func (l *serverLog) Errorf(format string, v ...any) {
	l.log.Error("log server", "error", fmt.Sprintf(format, v...))
	l.failed(false, fmt.Sprintf(format, v...))
}

// Debugf implements the server's Logger.
func (l *serverLog) Debugf(string, ...any) {}

// Tracef implements the server's Logger.
func (l *serverLog) Tracef(string, ...any) {}
