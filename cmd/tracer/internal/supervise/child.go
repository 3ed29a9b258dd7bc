package supervise

import (
	"os"
	"time"
)

// Child says what to keep running. It is not changed by this package and can be
// kept more than once, one after the other.
type Child struct {
	// Name is what messages call it.
	Name string
	// Path and Args are the program and its arguments, without the program.
	Path string
	Args []string
	// Env is the whole environment; nil means this process's.
	Env []string
	// Log is the file that its standard error is appended to, and its standard
	// output but for the lines that say ready. The file that is there at the
	// first start is kept with ".old" appended.
	Log string
	// Files become its file descriptors 3, 4, …; the caller keeps its own.
	Files []*os.File
	// Policy says when it is started again and how long it may take to end.
	Policy Policy
}

// Policy says how patient to be. The zero value is useful: each field that is 0
// has the default that it names.
type Policy struct {
	// Backoff is the wait before the first restart (100 ms), doubled for each
	// quick death in a row up to MaxBackoff (5 s).
	Backoff, MaxBackoff time.Duration
	// Quick is how short a life counts as a quick death (10 s), MaxQuick how
	// many of them in a row end the attempt (5).
	Quick    time.Duration
	MaxQuick int
	// Grace is how long it may take to end after it was asked to, before it is
	// killed (3 s).
	Grace time.Duration
}

func (p Policy) withDefaults() Policy {
	p.Backoff = or(p.Backoff, 100*time.Millisecond)
	p.MaxBackoff = or(p.MaxBackoff, 5*time.Second)
	p.Quick = or(p.Quick, 10*time.Second)
	p.MaxQuick = or(p.MaxQuick, 5)
	p.Grace = or(p.Grace, 3*time.Second)
	return p
}

func or[T comparable](value, otherwise T) T {
	var zero T
	if value == zero {
		return otherwise
	}
	return value
}

// delay is the wait before the restart that follows so many quick deaths in a
// row.
func (p Policy) delay(quick int) time.Duration {
	d := p.Backoff
	for range quick - 1 {
		if d *= 2; d >= p.MaxBackoff {
			return p.MaxBackoff
		}
	}
	return min(d, p.MaxBackoff)
}

// EventKind says what happened to a child.
type EventKind int

// What happens to a child.
const (
	// Started: the process runs; it may not be ready.
	Started EventKind = iota + 1
	// Ready: it has printed a line "ready: …"; it comes at each start.
	Ready
	// Died: it ended without being asked to and is started again after Delay.
	Died
	// Stopped: it ended because it was asked to.
	Stopped
)

// Event is one thing that happened to a child.
type Event struct {
	Child string
	Kind  EventKind
	// PID is the process that it happened to.
	PID int
	// Line is what follows "ready: ".
	Line string
	// After is the time since the start of the process.
	After time.Duration
	// Err is how it died, Delay when it is started again.
	Err   error
	Delay time.Duration
}
