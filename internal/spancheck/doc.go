// Package spancheck says what an emitter gets wrong about the span contract
// (docs/spans.md): it reads OTLP as JSON lines, as the Collector's file exporter
// writes it, and reports on each span and log record. It reads nothing but what
// it is given, has no clock, and does not change with the hub: the rules are
// those of the contract.
package spancheck
