// Package reconciler is the reference controller: it keeps each PodSet at the
// number of Pods that its spec asks for, the way a well-made controller does,
// so that its loop is worth looking at.
//
// Read it in this order. Run (run.go) starts everything and waits for
// everything. Event handlers (handlers.go) turn what the informers see into
// keys in the work queue; workers (worker.go) take keys out and hand each to
// reconcile (reconcile.go), an ordered list of steps over one scope:
//
//	observe  reads the PodSet and its Pods from the informers' caches
//	plan     is a pure function from what was observed to a list of actions
//	apply    turns the actions into API requests
//	status   is in the plan like everything else, and is written in one place
//
// The first step that fails ends the pass, and its error puts the key back
// with a back-off. Own writes that a cache does not show yet are kept in the
// ledger (ledger.go): a pass that would read an older state than the
// controller itself has written plans nothing and waits for the event.
//
// What is got wrong most often stands apart in ways.go, so that mistakes.go can
// get it wrong on purpose (Options.Bug).
//
// PodSets carry no finalizer. Their Pods have an owner reference, and the
// garbage collector deletes them.
package reconciler
