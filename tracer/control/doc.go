// Package control is the debugger's side in the controller: it takes the
// presenter's commands from a hub and holds workers, slows them down and lets
// their API requests fail. It is off unless tracer.Config.Control says so;
// package tracer uses it, controllers have no need to.
//
// # What it costs
//
// While nothing stands, a Checkpoint costs the atomic load of Armed.
//
// # What it never does
//
// It fails open. When the connection to the hub ends, or the hub is silent for
// wire.Silence, every hold and fault is lifted, within a second from when the
// hub went away. No worker is held at one place for longer than wire.MaxHold. A
// hold ends when the reconcile's context ends, or the queue shuts down. Faults
// hit requests of a reconcile alone, and never Leases or Events; watches are
// held only where that was asked for by resource.
package control
