// Package wire is what the hub and a controller that takes commands say to each
// other: the commands with their limits, the conditions of breakpoints, and the
// messages that carry them. It imports nothing but the standard library and
// package semconv, because both sides import it: one cannot take for good what
// the other refuses. Package format of the lessons imports it for the same reason.
// docs/control.md describes it in prose.
//
// Over a websocket with Subprotocol, which the controller opens at Path with a
// token of its own, messages go as JSON text:
//
//	controller → hub   hello   the controller's name and a word for the process, first of all
//	hub → controller   beat    every BeatEvery; the controller answers with one
//	hub → controller   command a Command, with a running number; with the time left, if it stands already
//	controller → hub   ack     that number; with an error the command is refused
//	controller → hub   ended   a standing command has ended by itself, and why
package wire
