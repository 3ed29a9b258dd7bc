// Package classroom is what a presenter and the viewers of one hub share: who
// is there, who follows, and what the presenter means to show.
//
// It is pure: it has no clock, lock, goroutine or network. One caller at a time
// tells a Room what happened; whether anything changed for others is the
// answer, and State is what they are to know then. A state stands for itself and
// replaces the one before, so that a viewer that missed some converges.
//
// What is shared is meaning, not pixels: which recording or what is live, a moment,
// a selection, a filter, a speed. Each page shows it in its own theme and size.
package classroom
