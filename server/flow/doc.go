// Package flow folds the stream of spans and log records into rows. It is
// pure: Step takes an Input and returns what changed, and nothing in here knows
// a clock, a lock, a goroutine, a network, a file or a logger. Time arrives in
// the input. One goroutine owns a State.
//
// Same inputs give same outputs, in any order of arrival within a trace the
// same final rows, and a repeated batch changes nothing.
package flow
