// Package cluster does the actions of lessons to a real cluster, by the
// requests that kubectl would make, in a namespace of the lesson's own. It
// remembers what it made and how that was before each beat, so that a beat can
// be taken back and everything removed. It labels nothing.
package cluster
