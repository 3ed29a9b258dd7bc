// Package play drives the engine of lessons: it hands rows, time, commands and
// results in, and does the effects, to a cluster and to a hub. The hub plays
// lessons for its page with it, and `tracer lesson run` plays one without a
// page.
package play
