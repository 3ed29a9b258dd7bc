// Package supervise keeps child processes running: it starts them, hears when
// they are ready, starts them again when they die, and ends them.
//
// A child gets a pipe as its standard input that it is expected to read: the
// pipe reaches its end when the parent is gone, however the parent ended, and
// the child then ends itself. It is in a process group of its own, so that
// Ctrl-C in a terminal reaches the parent alone, which ends its children in
// order.
package supervise
