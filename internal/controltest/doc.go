// Package controltest holds tests of commands from end to end: a real API
// server, the reference controller, and a hub in a process of its own, so that
// it can be killed. It has no code of its own.
package controltest
