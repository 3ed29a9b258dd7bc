package spancheck

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// MaxLine is how long a line may be, in bytes.
const MaxLine = 64 << 20

// Options of Check. The zero value is useful.
type Options struct {
	// PerRule is how many findings of one rule are kept; 0 is all.
	PerRule int
}

// Rules about lines.
const (
	ruleLine  = "line"
	ruleEmpty = "empty"
)

const wantLine = "one OTLP request in JSON a line, as the Collector's file exporter writes it"

// checker holds what has been read so far.
type checker struct {
	perRule int
	report  Report
	traces  map[string]*traceState
	order   []*traceState
	runs    map[runKey]*run
	runIDs  []runKey
	states  bool // a controller.state record came
	// resources are those that have been looked at.
	resources map[runKey]bool
}

// Check reads OTLP JSON lines, gzip or not, to their end. A line that is not
// OTLP is a finding; the error is about the stream itself: it cannot be read,
// is compressed in another way, or a line is longer than MaxLine.
func Check(r io.Reader, o Options) (Report, error) {
	lines, err := plain(r)
	if err != nil {
		return Report{}, err
	}
	c := &checker{perRule: o.PerRule, traces: map[string]*traceState{}, runs: map[runKey]*run{}, resources: map[runKey]bool{}}
	c.report.Counts = map[string]int{}
	for more := true; more; {
		var line []byte
		if line, more, err = readLine(lines); err != nil {
			return Report{}, fmt.Errorf("line %d: %w", c.report.Lines+1, err)
		}
		if len(line) > 0 {
			c.report.Lines++
			c.line(bytes.TrimSpace(line))
		}
	}
	return c.end(), nil
}

// plain takes gzip off, if there is any.
func plain(r io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	head, err := in.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		unzipped, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("reading gzip: %w", err)
		}
		return bufio.NewReaderSize(unzipped, 64<<10), nil
	case bytes.Contains(head, []byte{0xb5, 0x2f, 0xfd}):
		return nil, errors.New("it is compressed with zstd (decompress it first, or set the file exporter's compression to none)")
	case len(head) > 0 && head[0] < ' ' && !bytes.ContainsAny(head[:1], "\t\r\n"):
		return nil, errors.New("it is binary, not JSON lines (set the file exporter's format to json)")
	}
	return in, nil
}

// readLine returns a line with its end, and whether there may be more.
func readLine(in *bufio.Reader) (line []byte, more bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > MaxLine {
			return nil, false, fmt.Errorf("it is longer than %d MiB (one request a line; smaller batches)", MaxLine>>20)
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return line, true, nil
		case errors.Is(err, io.EOF):
			return line, false, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, false, err
		}
	}
}

// line takes one line in. Metrics and profiles are not the contract's business.
func (c *checker) line(data []byte) {
	at := where{line: c.report.Lines}
	if len(data) == 0 {
		return
	}
	var signals map[string]json.RawMessage
	if err := json.Unmarshal(data, &signals); err != nil {
		c.wrong(at, ruleLine, wantLine, "the line is not a JSON object: %v", err)
		return
	}
	_, traces := signals["resourceSpans"]
	_, logs := signals["resourceLogs"]
	_, metrics := signals["resourceMetrics"]
	_, profiles := signals["resourceProfiles"]
	switch {
	case traces:
		c.traceLine(at, data)
	case logs:
		c.logLine(at, data)
	case !metrics && !profiles:
		c.wrong(at, ruleLine, wantLine, "the line has neither resourceSpans nor resourceLogs (has it snake_case names?)")
	}
}

func (c *checker) traceLine(at where, data []byte) {
	td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(data)
	if err != nil {
		c.wrong(at, ruleLine, wantLine, "the line is not an OTLP trace request: %v", err)
		return
	}
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			c.scopeSpans(at, rs.Resource(), ss)
		}
	}
}

func (c *checker) logLine(at where, data []byte) {
	ld, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(data)
	if err != nil {
		c.wrong(at, ruleLine, wantLine, "the line is not an OTLP logs request: %v", err)
		return
	}
	for _, rl := range ld.ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			c.scopeLogs(at, rl.Resource(), sl)
		}
	}
}

// end judges what only the whole stream can tell.
func (c *checker) end() Report {
	for _, t := range c.order {
		if len(t.spans) > 0 { // else all that is known of it is that it began
			c.report.Reconciles++
			c.checkTrace(t)
		}
	}
	for _, key := range c.runIDs {
		c.checkRun(key, c.runs[key])
	}
	last := where{line: c.report.Lines}
	switch {
	case c.report.Spans == 0 && c.report.Logs == 0:
		c.wrong(last, ruleEmpty, "spans of scope "+quotedScope, "nothing in it belongs to the contract")
	case !c.states:
		c.note(last, "controller-state", "a controller.state record at least once a second",
			"there is none: the page cannot show what the controller waits for at its start, nor notice soon that it is gone")
	}
	sortFindings(c.report.Findings)
	return c.report
}
