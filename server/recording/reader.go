package recording

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
	"time"

	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/server/journal"
	"github.com/reconcile-tracer/tracer/server/otlp"
)

// The limits of a file, in bytes.
const (
	// MaxLine is how long a line may be.
	MaxLine = 32 << 20
	// MaxFile is how long a file may be, decompressed.
	MaxFile = 4 << 30
)

// Summary is what was found in a file.
type Summary struct {
	Counts
	// Lines is how many lines it has, Skipped how many of them hold what is not
	// shown: metrics and profiles.
	Lines, Skipped int
	// Left is how many spans and log records were left out for being over a
	// limit, and LeftWhy why the first of them was.
	Left    int
	LeftWhy string
	// Marked says that the file tells where in a hub's journal its lines stood.
	Marked bool
	// Digest names the content: 12 letters and digits.
	Digest string
}

// FormatError says that a file is no recording.
type FormatError struct {
	// Line is where that was found, from 1; 0 is the file as a whole.
	Line int
	// What is what was found, Remedy what to do.
	What, Remedy string
}

// Error names the line, what was found there, and what to do.
func (e *FormatError) Error() string {
	at := ""
	if e.Line > 0 {
		at = fmt.Sprintf("line %d: ", e.Line)
	}
	return strings.Join(strings.Fields(at+e.What+": "+e.Remedy), " ")
}

// Read reads a recording, plain or gzipped, and gives its blocks to fn in
// order; the records' Values are their otlp.Batch, and Seq is 0 where the file
// does not tell the block. Offsets and times never go
// back. It ends with fn's error, with a FormatError, or with in's own. What fn
// has had then stands.
func Read(in io.Reader, fn func(journal.Block) error) (Summary, error) {
	r := &reader{fn: fn, digest: sha256.New(), now: time.Now()}
	err := r.read(in)
	r.sum.Digest = hex.EncodeToString(r.digest.Sum(nil))[:12]
	return r.sum, err
}

// reader is one reading of a file.
type reader struct {
	fn     func(journal.Block) error
	sum    Summary
	digest hash.Hash
	now    time.Time

	lines  *bufio.Reader
	buf    []byte
	zipped bool
	size   int64
	// open is the block whose lines are being read, last the offset and time of
	// the one before it.
	open    *journal.Block
	lastSeq uint64
	lastAt  int64
}

func (r *reader) read(in io.Reader) error {
	if err := r.unzip(in); err != nil {
		return err
	}
	for {
		line, err := r.next()
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		ended := err != nil
		if len(bytes.TrimSpace(line)) > 0 {
			if err := r.line(line, ended); err != nil {
				return err
			}
		}
		if ended {
			break
		}
	}
	if err := r.flush(); err != nil {
		return err
	}
	return r.judge()
}

// unzip finds out what the file is.
func (r *reader) unzip(in io.Reader) error {
	r.lines = bufio.NewReaderSize(in, 64<<10)
	if head, _ := r.lines.Peek(2); bytes.Equal(head, magicGzip) {
		zip, err := gzip.NewReader(r.lines)
		if err != nil {
			return r.zipError(err)
		}
		r.zipped = true
		r.lines = bufio.NewReaderSize(zip, 64<<10)
	}
	head, err := r.lines.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return r.readError(err)
	}
	return sniff(head, r.zipped)
}

// next reads a line, with io.EOF when it is the last. It is valid until the
// next call.
func (r *reader) next() ([]byte, error) {
	r.buf = r.buf[:0]
	for {
		part, err := r.lines.ReadSlice('\n')
		r.buf = append(r.buf, part...)
		r.size += int64(len(part))
		switch {
		case len(r.buf) > MaxLine:
			return nil, r.fault(1, fmt.Sprintf("it is longer than the limit of %d MiB", MaxLine>>20), "write smaller batches, one request a line")
		case r.size > MaxFile:
			return nil, r.fault(1, fmt.Sprintf("the file is longer than the limit of %d GiB", MaxFile>>30), "export a part, with --since and --until")
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return nil, r.readError(err)
		}
		_, _ = r.digest.Write(r.buf) // never fails
		r.sum.Lines++
		return r.buf, err
	}
}

// fault is an error at the line that is more lines after the last whole one.
func (r *reader) fault(more int, what, remedy string) error {
	return &FormatError{Line: r.sum.Lines + more, What: what, Remedy: remedy}
}

func (r *reader) readError(err error) error {
	if r.zipped {
		return r.zipError(err)
	}
	return fmt.Errorf("reading line %d: %w", r.sum.Lines+1, err)
}

func (r *reader) zipError(err error) error {
	var corrupt flateError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return r.fault(1, "the gzip is cut off here", "copy the file again; what is whole of it can be read with: gunzip -c FILE | sed '$d' | tracer replay -")
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.As(err, &corrupt):
		return r.fault(1, fmt.Sprintf("the gzip is damaged (%v)", err), "copy the file again")
	}
	return fmt.Errorf("reading line %d: %w", r.sum.Lines+1, err)
}

// line takes one line in. Ended says that no newline follows it.
func (r *reader) line(line []byte, ended bool) error {
	kind, err := r.kindOf(line, ended)
	if err != nil || kind == 0 {
		return err
	}
	req, err := otlp.ParseJSON(kind, line)
	if err != nil {
		return r.notRead(line, ended, err)
	}
	place := takeMark(req.Resources())
	r.clean(req, place)
	r.sum.Marked = r.sum.Marked || place.offset > 0
	if err := r.place(place, req.Newest()); err != nil {
		return err
	}
	return r.add(req, place)
}

// kindOf says what a line is by its first name; 0 is one to be left out.
func (r *reader) kindOf(line []byte, ended bool) (otlp.Kind, error) {
	name, err := firstName(line)
	switch {
	case err != nil:
		return 0, r.notRead(line, ended, err)
	case name == "resourceSpans":
		return otlp.Traces, nil
	case name == "resourceLogs":
		return otlp.Logs, nil
	case name == "resourceMetrics", name == "resourceProfiles", name == "":
		r.sum.Skipped++
		return 0, nil
	}
	return 0, r.fault(0, fmt.Sprintf("it is JSON and no OTLP request: it begins with %q", flow.Brief(name)),
		"give a file of OTLP JSON lines, which begin with \"resourceSpans\" or \"resourceLogs\"")
}

var errNoObject = errors.New("it is not one JSON object")

// firstName returns the first name in a JSON object, "" in an empty one.
func firstName(line []byte) (string, error) {
	dec := json.NewDecoder(bytes.NewReader(line))
	if t, err := dec.Token(); err != nil {
		return "", err
	} else if t != json.Delim('{') {
		return "", errNoObject
	}
	t, err := dec.Token()
	if err != nil {
		return "", err
	}
	name, _ := t.(string) // else it is the closing bracket
	return name, nil
}

// notRead says why a line is no request.
func (r *reader) notRead(line []byte, ended bool, err error) error {
	switch {
	case json.Valid(line):
		what, _, _ := strings.Cut(err.Error(), ", error found in ") // the decoder then quotes the line
		return r.fault(0, "it is JSON and no OTLP request: "+what, "write it with the Collector's file exporter, or with tracer export")
	case r.sum.Lines == 1 && bytes.HasPrefix(line, []byte("{")) && !ended:
		return r.fault(0, "the request goes over several lines", "write each on one line: jq -c . FILE")
	case ended:
		return r.fault(0, "it is cut off in the middle", "copy the file again; what is whole of it can be read with: sed '$d' FILE | tracer replay -")
	}
	return r.fault(0, fmt.Sprintf("it is not JSON: %v", err), "mend or remove the line")
}

func (r *reader) clean(req otlp.Request, place mark) {
	now := r.now
	if place.received > 0 {
		now = time.UnixMicro(place.received) // the hub has judged it then
	}
	left, why := req.Clean(now)
	if r.sum.Left == 0 {
		r.sum.LeftWhy = why
	}
	r.sum.Left += left
}

// place opens the block in which a line stood. Without a mark, that is one of
// its own.
func (r *reader) place(m mark, newest int64) error {
	if m.offset == 0 {
		if err := r.flush(); err != nil {
			return err
		}
		r.begin(r.lastSeq+1, newest)
		r.open.Seq = 0
		return nil
	}
	if r.open != nil && r.open.Seq != 0 && r.open.Offset == m.offset {
		return nil
	}
	if err := r.flush(); err != nil {
		return err
	}
	if m.offset <= r.lastSeq {
		return r.fault(0, fmt.Sprintf("its position is %d, and the one before has %d", m.offset, r.lastSeq),
			"are these two recordings in one file? Replay them one by one")
	}
	r.begin(m.offset, m.received)
	return nil
}

func (r *reader) begin(offset uint64, at int64) {
	r.lastSeq, r.lastAt = offset, max(r.lastAt, at)
	r.open = &journal.Block{Offset: offset, Seq: offset, At: r.lastAt}
}

// damage is why a block could not be read when it was recorded.
type damage string

// Error says it in the words of then.
func (d damage) Error() string { return string(d) }

// Is makes it a journal.ErrCorrupt.
func (damage) Is(err error) bool { return err == journal.ErrCorrupt }

// add puts a line into the open block.
func (r *reader) add(req otlp.Request, m mark) error {
	switch {
	case m.damaged != "" && m.received == 0:
		r.open.Err = damage(m.damaged)
		return nil
	case m.damaged != "":
		r.open.Records = append(r.open.Records, journal.Record{}) // of no kind: a loss to whoever decodes it
		return nil
	case m.loss != "":
		r.open.Records = append(r.open.Records, journal.Record{Kind: journal.KindLoss, Payload: []byte(m.loss)})
		return nil
	}
	batch := req.Batch()
	if req.Count() == 0 && len(batch.Emitters) == 0 {
		return nil // time has passed
	}
	payload, err := req.Payload()
	if err != nil {
		return r.fault(0, fmt.Sprintf("the request cannot be encoded: %v", err), "remove the line")
	}
	r.sum.Requests++
	if req.Kind() == otlp.Traces {
		r.sum.Spans += int64(req.Count())
	} else {
		r.sum.Logs += int64(req.Count())
	}
	r.open.Records = append(r.open.Records, journal.Record{Kind: journal.Kind(req.Kind()), Payload: payload, Value: batch})
	return nil
}

// flush gives the open block away.
func (r *reader) flush() error {
	b := r.open
	r.open = nil
	if b == nil {
		return nil
	}
	return r.fn(*b)
}

// judge says of a file without a request what it is.
func (r *reader) judge() error {
	switch {
	case r.lastSeq > 0:
		return nil
	case r.sum.Skipped > 0:
		return &FormatError{What: "it is OTLP without spans or log records (metrics, or empty requests)",
			Remedy: "let the Collector write traces and logs to the file"}
	}
	return errEmpty
}
