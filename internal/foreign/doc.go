// Package foreign is a proof in tests: a controller that others wrote is
// instrumented from outside, and its whole loop is seen. README.md says which,
// and what could not be seen. There is nothing to import.
package foreign
