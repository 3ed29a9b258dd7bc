// Package journal is the hub's durable, ordered log: one stream of blocks in
// an embedded NATS JetStream server that listens to nobody.
//
// Order and durability. Append hands records to one writer goroutine, which
// gathers what has come meanwhile into a block (group commit), publishes it,
// and returns to the callers only after JetStream has stored it with SyncAlways,
// that is after fsync. Config.OnBlock sees every block exactly once, in the
// order of the stream, after it is durable and before its Appends return.
//
// Position. A block's offset is its sequence in the stream; together with
// Epoch, the name of this stream's history, it is the position that the watch
// protocol speaks of. When blocks at the end of the stream are found missing,
// the history is another one from there and gets another epoch.
//
// Trust. Every block carries its writer's number and a CRC-32C. Replay verifies
// both, and gives a block that is damaged or missing as one with Err set, so
// that a loss is never silent.
package journal
