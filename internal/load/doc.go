// Command load sends a hub the spans of made-up controllers over OTLP, in an
// open loop: reconcile n happens at its intended time, whether the hub keeps up
// or not, and its spans carry that time. What the hub is late with is then seen
// as lateness, and not hidden by a generator that waits for it.
//
// With -library a real controller that uses the tracer library reconciles in
// this process instead; it measures the way from the end of a phase on.
//
// At the end one line of JSON says what was sent, how late, and what was
// refused.
package main
