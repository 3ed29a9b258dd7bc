// Package server is the hub: it wires the receiver (otlp), the journal, the fold
// (flow), and the fan-out (watch), and serves them with the page.
//
// The way of a request is one way: a handler decodes and appends it to the
// journal; when its block is durable, the fold's goroutine takes the block in,
// and publishes the changed rows to the viewers. A hub that starts folds its
// whole journal first, and so shows what it showed before.
//
// Who may what. The presenter's token, as a bearer token or as the cookie that
// /login exchanges it for, is for the page, the rows, the watch, the actions
// and the metrics; the ingest token is for /v1/traces, /v1/logs and gRPC alone.
// Neither does the other's work. /healthz, /readyz and /static are open.
package server
