// Package librarytest holds tests of package tracer against a real API server:
// every verb and body that client-go sends, stale caches, secrets, and hubs
// that are down, slow or mad. It has no code of its own.
package librarytest
