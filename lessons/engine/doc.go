// Package engine plays a lesson as a pure state machine: Step takes a command,
// rows, the time or the result of an effect, and returns effects as data. It
// has no clock, goroutine, network or cluster; package play drives it.
//
// A beat goes through these states:
//
//	ready ─next─▶ acting ─▶ waiting ─▶ done ─next─▶ the next beat
//	question ─next─▶ …as above; the reveal comes with done
//
// Whatever fails ends the lesson: what it made is taken away, and the state
// keeps the beat, the line in the file and the remedy.
package engine
