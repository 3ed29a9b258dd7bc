package journal

import (
	"fmt"
	"log/slog"
)

// serverLog passes the embedded server's words on to slog. What it tells of
// its normal life is of no interest to the hub's user, so it is debug.
type serverLog struct{ log *slog.Logger }

func (l serverLog) Noticef(format string, v ...any) {
	l.log.Debug("log server", "notice", fmt.Sprintf(format, v...))
}

func (l serverLog) Warnf(format string, v ...any) {
	l.log.Warn("log server", "warning", fmt.Sprintf(format, v...))
}

func (l serverLog) Fatalf(format string, v ...any) {
	l.log.Error("log server", "fatal", fmt.Sprintf(format, v...))
}

func (l serverLog) Errorf(format string, v ...any) {
	l.log.Error("log server", "error", fmt.Sprintf(format, v...))
}

func (l serverLog) Debugf(string, ...any) {}
func (l serverLog) Tracef(string, ...any) {}
