package spancheck

import (
	"cmp"
	"fmt"
	"slices"
)

// Severity says how bad a finding is.
type Severity int

// The severities.
const (
	// Note is allowed by the contract, but leaves something out of the picture.
	Note Severity = iota
	// Wrong breaks the contract.
	Wrong
)

func (s Severity) String() string {
	if s == Wrong {
		return "wrong"
	}
	return "note"
}

// Finding is one thing that is not as the contract has it.
type Finding struct {
	Severity Severity
	// Rule names the kind of finding, for example "attribute-type".
	Rule string
	// Line is the line of the file, from 1.
	Line int
	// TraceID and SpanID are lower-case hex and Name is the name of the span,
	// log record or event; all are "" where the finding is about the line.
	TraceID, SpanID, Name string
	// Problem is what is there, Want what the contract wants instead.
	Problem, Want string
}

// Report is what was found in one stream.
type Report struct {
	// Lines, Spans and Logs count what was read and belongs to the contract,
	// Reconciles the traces of these spans.
	Lines, Reconciles, Spans, Logs int
	// Ignored counts spans and log records that are not the contract's business.
	Ignored int
	// Findings are in the order of their lines, at most Options.PerRule of each
	// rule; Counts are complete.
	Findings []Finding
	Counts   map[string]int
	// Wrong and Notes count all findings by severity.
	Wrong, Notes int
}

// where is what findings about one span or record have in common.
type where struct {
	line                  int
	traceID, spanID, name string
}

func (c *checker) wrong(w where, rule, want, problem string, args ...any) {
	c.report.Wrong++
	c.add(Wrong, w, rule, want, problem, args...)
}

func (c *checker) note(w where, rule, want, problem string, args ...any) {
	c.report.Notes++
	c.add(Note, w, rule, want, problem, args...)
}

func (c *checker) add(s Severity, w where, rule, want, problem string, args ...any) {
	c.report.Counts[rule]++
	if c.perRule > 0 && c.report.Counts[rule] > c.perRule {
		return
	}
	c.report.Findings = append(c.report.Findings, Finding{
		Severity: s, Rule: rule, Line: w.line, TraceID: w.traceID, SpanID: w.spanID, Name: clip(w.name),
		Problem: fmt.Sprintf(problem, args...), Want: want,
	})
}

// clip keeps a foreign string from flooding a report.
func clip(s string) string {
	const most = 80
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

func sortFindings(all []Finding) {
	slices.SortStableFunc(all, func(a, b Finding) int { return cmp.Compare(a.Line, b.Line) })
}
