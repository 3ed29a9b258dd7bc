// Package lessons holds the lessons that are built in: YAML files, which
// docs/lessons.md describes. Its subpackages read them (format), play them as a
// pure state machine (engine), act on a cluster (cluster) and put all that
// together (play).
package lessons
