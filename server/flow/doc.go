// Package flow folds the stream of spans and log records into rows. It is
// pure: Step takes an Input and returns what changed, and nothing in here knows
// a clock, a lock, a goroutine, a network, a file or a logger. Time arrives in
// the input. One goroutine owns a State.
//
// # What holds
//
//   - Same inputs give same outputs.
//   - Spans in any order of arrival give the same rows in the end, and a
//     repeated batch changes nothing, as long as nothing has been evicted.
//     Findings are made from the newest 64 passes of an item.
//   - A row that was given out never changes; Rows at one moment, replaced by
//     the outputs of all later steps, are Rows at any later moment.
//   - A step puts out each row once, in its final state; rows that are gone
//     come first.
//   - Memory stays within Limits for any input.
//   - Every number of a span that did not come is in a Gap, at most 2 seconds
//     after it was missed.
//
// # Reading order
//
// rows.go and step.go are the contract. state.go is the step. pass.go
// assembles a Reconcile; spans.go, causes.go and starts.go take in its spans
// and the records of those still open. joins.go ties writes to causes, servers.go the
// spans of the API server and etcd to writes. items.go,
// waits.go and queue.go are the work queue, samples.go the counts,
// findings.go and rules*.go what is wrong with an item,
// controllers.go who is there, runs.go, ranges.go and gaps.go the emitters and
// what they lost. table.go and evict.go bound it all.
//
// # Decisions
//
// A pass is seen as soon as it is known whose it is: by its root, or, while it
// goes on, by a span.start record or a phase that names the controller. It is
// done when its root has come, and only then counted, in the second of its end.
// Nothing opens it again.
//
// A pass whose process is silent stays open, because the process may only be
// held; its controller is not connected. When another process has taken over
// the controller, or the same one has started anew, what the old one left open
// is ended at the time when it was last heard of: passes get ResultLost. If the
// root comes after all, it decides. The same becomes of a pass whose item a
// worker of the same process has taken again, or of which the process says that
// no worker has it any more, when its root does not come within 2 seconds.
//
// A ready wait begins when the dequeue span does, so that the span and the
// queue.item record make the same row. A delayed wait begins when the delay
// does, by the record; a pass that announces a delay makes one from its end
// for emitters without records, and it gives way to the record's. Time alone
// ends a delay 1 second after it is due, at the due time, if nobody says what
// became of it.
//
// A write and a cause are joined by UID and resourceVersion, whichever comes
// first, and a delete by UID alone, marked as inferred. Only add, update and
// delete are joined: when a version is seen again (resync, relist, initial
// list), nobody's write is the reason. A By that is unknown becomes self when
// controller and process are the same, and other when they are not; what the
// emitter has resolved stays.
//
// A span that the contract has no name for is a server span when it hangs on a
// write: by its parent, by a link or by the audit id, or through another server
// span. Writes and such spans wait a minute for each other; who hangs on nothing
// by then is shown nowhere. They make no emitter known and count nowhere.
//
// Drops (events that a predicate dropped) come as counts so far, by predicate
// and kind; a record that is not newer than the last one of these counts as a
// repetition.
package flow
