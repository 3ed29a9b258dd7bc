package recording

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"

	"github.com/reconcile-tracer/tracer/server/journal"
	"github.com/reconcile-tracer/tracer/server/otlp"
)

// Counts is what a file holds: requests, and what is in them. Lines without a
// request count as nothing.
type Counts struct {
	Requests, Spans, Logs int64
}

// Writer writes blocks of a journal as lines. It is not safe for concurrent use.
type Writer struct {
	out    *bufio.Writer
	zip    *gzip.Writer // nil when the file is plain
	cut    Cut
	counts Counts
}

// NewWriter makes a Writer of what cut lets through; the zero Cut is all. Close
// it; w stays the caller's.
func NewWriter(w io.Writer, gzipped bool, cut Cut) *Writer {
	if !gzipped {
		return &Writer{out: bufio.NewWriterSize(w, 64<<10), cut: cut}
	}
	zip := gzip.NewWriter(w)
	return &Writer{out: bufio.NewWriterSize(zip, 64<<10), zip: zip, cut: cut}
}

// Counts is what has been written so far.
func (w *Writer) Counts() Counts { return w.counts }

// Write writes a block, if it is within the cut. The error is the underlying
// writer's.
func (w *Writer) Write(b journal.Block) error {
	at := mark{offset: b.Offset, received: b.At}
	switch {
	case !w.cut.holds(b):
		return nil
	case b.Err != nil:
		return w.note(mark{offset: b.Offset, damaged: b.Err.Error()})
	case len(b.Records) == 0:
		return w.note(at)
	}
	for _, r := range b.Records {
		if err := w.record(at, r); err != nil {
			return err
		}
	}
	return nil
}

func (w *Writer) record(at mark, r journal.Record) error {
	if r.Kind == journal.KindLoss {
		at.loss = string(r.Payload)
		return w.note(at)
	}
	req, err := parseStored(r)
	if err != nil {
		at.damaged = err.Error()
		return w.note(at)
	}
	w.cut.apply(req)
	resources := req.Resources()
	if len(resources) == 0 {
		return w.note(at) // nothing is left of it but its time
	}
	for _, attrs := range resources {
		at.put(attrs)
	}
	line, err := req.JSON()
	if err != nil {
		return fmt.Errorf("encoding a request of block %d: %w", at.offset, err)
	}
	w.counts.Requests++
	if req.Kind() == otlp.Traces {
		w.counts.Spans += int64(req.Count())
	} else {
		w.counts.Logs += int64(req.Count())
	}
	return w.line(line)
}

func parseStored(r journal.Record) (otlp.Request, error) {
	if r.Kind != journal.KindTraces && r.Kind != journal.KindLogs {
		return otlp.Request{}, fmt.Errorf("a record of kind %d", r.Kind)
	}
	return otlp.ParseStored(otlp.Kind(r.Kind), r.Payload)
}

func (w *Writer) note(m mark) error {
	line, err := m.line()
	if err != nil {
		return fmt.Errorf("encoding a note of block %d: %w", m.offset, err)
	}
	return w.line(line)
}

func (w *Writer) line(line []byte) error {
	if _, err := w.out.Write(line); err != nil {
		return err
	}
	return w.out.WriteByte('\n')
}

// Flush hands on what is written so far, as far as compression lets it.
func (w *Writer) Flush() error { return w.out.Flush() }

// Close ends the file.
func (w *Writer) Close() error {
	err := w.out.Flush()
	if w.zip != nil && err == nil {
		err = w.zip.Close()
	}
	return err
}
