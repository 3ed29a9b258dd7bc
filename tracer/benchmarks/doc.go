// Command benchmarks measures what package tracer costs a controller, beside
// what it is compared with, in one run: the bare OpenTelemetry SDK, otelhttp's
// transport, and the same controller untraced.
//
//	make bench-library
//
// The sides take turns (A B A B …), so that a machine that is slow for a while
// is slow for both. What is compared is CPU time, of one thread or of the whole
// process, because it moves less than the clock on a machine that others use
// too. A ratio is the median of the rounds' own ratios; the interval is their
// range, which holds the true median with 98 % for seven rounds.
//
// It is a module of its own, so that nobody who imports tracer gets otelhttp.
package main
