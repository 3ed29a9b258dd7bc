// Package watch shows the table of rows to many viewers at once, each of which
// converges on it: a snapshot, then frames of what has changed.
//
// The protocol. Frames are JSON text over a websocket (subprotocol tracer.v1);
// each carries the hub's now in microseconds.
//
//	{"type":"snapshot","epoch":…,"offset":…,"now":…,"reason":"start|lagged|epoch|filter","rows":[…]}
//	{"type":"rows","offset":…,"now":…,"rows":[…],"gone":["kind/key",…]}
//	{"type":"elided","from":…,"to":…,"offset":…,"now":…,"reconciles":830,"by":{"success":829,"error":1}}
//	{"type":"bookmark","epoch":…,"offset":…,"now":…}
//	{"type":"room","now":…,"room":{…}}
//	{"type":"error","code":"closing|full|pin","message":…,"now":…}
//
// An error is the last frame, and says why the viewer is let go, but for the code
// pin. What is wrong in a request is answered with a status before there is a
// websocket.
//
// A viewer has one thing to say, {"type":"pin","controller":…,"item":…}: of this
// item nothing is to be left out, until it pins another or none ("" and ""), or is
// gone. What was left out of the item and is there still comes with the next
// frame, to all with the filter. What cannot be done is answered by an error with
// the code pin, and changes nothing.
//
// A room frame says who else watches and what the presenter shows. It stands for
// all of the room and has no place in the stream: it comes after the first
// frames, and when it changes, whatever the filter.
//
// A row stands for its whole state, and replaces the one with the same kind and
// key. Gone names rows which left the filter or were evicted, as kind, slash,
// key. A position is <epoch>:<offset>; from= a position is answered by a
// bookmark at that position and the missing frames, or by a snapshot with its
// reason, never by a third thing:
//
//	start   there was no position
//	lagged  the missing frames are not kept any more (or the hub was restarted)
//	epoch   the position is of another history
//	filter  nobody watched with this filter, so that there are no such frames
//
// When a change takes more than one frame, all but the last of them carry the
// offset from before the change, so that a position never claims what was not
// delivered.
//
// A snapshot holds the rows of now, all gaps and findings, all that goes on,
// the newest limit reconciles that have ended (2,000 unless limit= says
// otherwise), and of the other rows those that reach into the time of these
// reconciles, up to as many again for each kind. GET /api/v1/rows has the rest.
//
// How it stays bounded. Frames are encoded once for each distinct filter, by
// one goroutine, into a ring; a viewer is a place in that ring, not a queue. A
// viewer that falls off the ring gets a snapshot (lagged) and what it missed as
// exact counts (elided). What a feed is too fast for is left out (thin.go), but
// not of what is pinned (pins.go): up to 64 items a feed. The first change after a quiet time goes out at once,
// then one frame a tick, and the tick grows with the number of viewers.
package watch
