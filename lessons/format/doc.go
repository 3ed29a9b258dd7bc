// Package format reads lessons: YAML files that docs/lessons.md describes. It
// checks all that can be checked without a cluster, and names file, line,
// field, limit and remedy of each fault. It does no I/O.
package format
