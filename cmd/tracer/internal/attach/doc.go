// Package attach is what `tracer attach` asks of a cluster and takes away from
// it again: what this account may do, by the API server's own word, and the
// removal of what attaching has put there.
package attach
