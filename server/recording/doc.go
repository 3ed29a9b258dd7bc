// Package recording reads and writes recorded sessions: files of OTLP in JSON,
// one request a line, as the OpenTelemetry Collector's file exporter writes
// them, gzipped or not.
//
// What a file of ours has beside the requests is where each one stood in the
// hub's journal: attributes of its resources say in which block and when it was
// received. They are taken off when the file is read, so that a recording folds
// to the rows that the hub had, offsets included. What a block held besides
// requests (that time passed, that something was lost) is a line of logs whose
// resource has these attributes and no record. Other readers of OTLP find
// nothing in it that they do not know.
//
// A file without these attributes is read as well: a line is a block, received
// at the latest time in it.
//
// Reading order: mark.go is the attributes, writer.go and reader.go the two
// ways, sniff.go what a file is that is no recording, cut.go which part of a
// journal is written.
package recording
