// Package server is the hub: it wires the receiver (otlp), the journal, the fold
// (flow), and the fan-out (watch), and serves them with the page.
//
// The way of a request is one way: a handler decodes and appends it to the
// journal; when its block is durable, the fold's goroutine takes the block in,
// and publishes the changed rows to the viewers. A hub that starts folds its
// whole journal first, and so shows what it showed before.
//
// # Who may what
//
// Each of these opens what is said here, and nothing of another's. Tokens are sent
// as a bearer token; /login exchanges the first two for a cookie of their role.
//
//   - The presenter's token: the page and all of /api/v1 but the two websockets below,
//     at the hub's own listener alone. /metrics takes the token, and no cookie.
//   - The viewers' token: the page and, of /api/v1, rows, watch, recordings, lesson,
//     lesson/answer, room/following and room/answer, at both listeners.
//   - The ingest token: /v1/traces, /v1/logs, and OTLP over gRPC.
//   - The control token: /api/v1/control/attach, by which controllers take commands.
//   - A view token, which the presenter asks for and which ends by itself:
//     /api/v1/embed/watch. It is signed with a secret that is for this alone.
//
// A cookie by which a browser is known again, signed too, opens nothing: it gives one
// voice in a question to each browser that watches.
//
// Open to all are /healthz, /readyz, /static, /login, /logout, /embed, which holds no
// rows, and /, which says without a session how to log in. The viewers' listener has
// /static, /login, /logout and / of these, and no /embed. Browsers' routes answer to the
// hub's own names alone; what is sent to them by POST or PUT, and websockets, must come
// from the hub's own page or from no page.
package server
