// Command sample records the session that is built into tracer, and with which
// the page shows what it can do where nothing is attached.
//
// Use: make sample, which builds what it needs; or go run ./internal/sample
// [-o file], in the module's root, with bin/tracer and bin/localcluster. It runs
// the demo with its control plane and its reconciler, does for two minutes what
// somebody might do with kubectl, exports the hub's journal, and checks that all
// that the sample is to show is in it. It takes about three minutes.
package main
