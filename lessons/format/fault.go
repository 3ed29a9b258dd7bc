package format

import (
	"fmt"
	"slices"
	"strings"
)

// Fault is one thing that is wrong with a lesson.
type Fault struct {
	File string
	Line int
	// Field is where in the lesson, as in beats[2].wait.for[0].
	Field string
	// Text says what is wrong, what the limit is, and what to do.
	Text string
}

// Error implements error.
func (f Fault) Error() string {
	if f.Field == "" {
		return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Text)
	}
	return fmt.Sprintf("%s:%d: %s: %s", f.File, f.Line, f.Field, f.Text)
}

// Faults are all that is wrong with a lesson, in the order of lines. It is
// never empty where it is an error.
type Faults []Fault

// Error implements error: one fault a line.
func (fs Faults) Error() string {
	var lines []string
	for _, f := range fs {
		lines = append(lines, f.Error())
	}
	return strings.Join(lines, "\n")
}

// sorted returns them in the order of lines, the first of each kind kept.
func (fs Faults) sorted() Faults {
	slices.SortStableFunc(fs, func(a, b Fault) int { return a.Line - b.Line })
	return fs
}
