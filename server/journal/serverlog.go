package journal

import (
	"fmt"
	"log/slog"
)

// serverLog passes the embedded server's words on to slog. What it tells of
// its normal life is of no interest to the hub's user, so it is debug.
type serverLog struct{ log *slog.Logger }

// Noticef implements the server's Logger.
func (l serverLog) Noticef(format string, v ...any) {
	l.log.Debug("log server", "notice", fmt.Sprintf(format, v...))
}

// Warnf implements the server's Logger.
func (l serverLog) Warnf(format string, v ...any) {
	l.log.Warn("log server", "warning", fmt.Sprintf(format, v...))
}

// Fatalf implements the server's Logger.
func (l serverLog) Fatalf(format string, v ...any) {
	l.log.Error("log server", "fatal", fmt.Sprintf(format, v...))
}

// Errorf implements the server's Logger.
func (l serverLog) Errorf(format string, v ...any) {
	l.log.Error("log server", "error", fmt.Sprintf(format, v...))
}

// Debugf implements the server's Logger.
func (l serverLog) Debugf(string, ...any) {}

// Tracef implements the server's Logger.
func (l serverLog) Tracef(string, ...any) {}
