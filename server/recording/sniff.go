package recording

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"unicode/utf8"
)

// sniffed is how many bytes of a file are looked at to tell what it is.
const sniffed = 512

// flateError is what a damaged gzip gives.
type flateError = flate.CorruptInputError

var magicGzip = []byte{0x1f, 0x8b}

const asLines = "give OTLP in JSON, one request a line, plain or gzipped, as tracer export and the Collector's file exporter write it"

// errEmpty is of a file without a line.
var errEmpty = &FormatError{What: "it is empty", Remedy: asLines}

// kinds are files that are told by their first bytes.
var kinds = []struct {
	magic  string
	what   string
	remedy string
}{
	{"\x1f\x8b", "a gzip within a gzip", "gunzip it once"},
	{"\x28\xb5\x2f\xfd", "compressed with zstd", "zstdcat FILE | tracer replay -"},
	{"BZh", "compressed with bzip2", "bzcat FILE | tracer replay -"},
	{"\xfd7zXZ\x00", "compressed with xz", "xzcat FILE | tracer replay -"},
	{"PK\x03\x04", "a zip archive", "unzip it, and give the file in it"},
	{"\x89PNG\r\n\x1a\n", "a PNG picture", asLines},
	{"\xff\xd8\xff", "a JPEG picture", asLines},
	{"%PDF-", "a PDF", asLines},
	{"\x7fELF", "a program", asLines},
	{"SQLite format 3\x00", "an SQLite database", asLines},
	{"[", "a JSON array, and no OTLP JSON lines", "write its elements one a line: jq -c '.[]' FILE"},
	{"<", "HTML or XML", asLines},
	{"---", "YAML", asLines},
}

// sniff says by the first bytes of a file that it cannot be a recording.
func sniff(head []byte, zipped bool) error {
	in := func(what, remedy string) error {
		if zipped {
			what = "a gzip of what is no recording: " + what
		}
		return &FormatError{What: "it is " + what, Remedy: remedy}
	}
	if len(head) == 0 {
		return in("empty", asLines)
	}
	if isTar(head) {
		return in("a tar archive", "unpack it, and give the file in it")
	}
	if isProtobuf(head) {
		return in("binary, perhaps OTLP in protobuf", "write it as JSON: in the Collector, format: json of the file exporter")
	}
	body := bytes.TrimLeft(head, " \t\r\n")
	for _, k := range kinds {
		if bytes.HasPrefix(head, []byte(k.magic)) || bytes.HasPrefix(body, []byte(k.magic)) {
			return in(k.what, k.remedy)
		}
	}
	switch {
	case len(body) == 0 && len(head) < sniffed:
		return in("empty but for spaces", asLines)
	case len(body) == 0 || body[0] == '{':
		return nil
	case isBinary(body):
		return in("binary", asLines)
	case isYAML(body):
		return in("text that looks like YAML", asLines)
	}
	return in("text, and no JSON", asLines)
}

func isTar(head []byte) bool {
	return len(head) > 262 && string(head[257:262]) == "ustar"
}

// isProtobuf finds a request as it is on the wire, or behind its length, as the
// Collector's file exporter writes it: both begin with field 1, a message.
func isProtobuf(head []byte) bool {
	if len(head) > 5 && head[4] == 0x0a {
		if n := binary.BigEndian.Uint32(head); n > 1 && n < MaxLine {
			return head[0] == 0
		}
	}
	return head[0] == 0x0a && isBinary(head)
}

// isBinary finds bytes that no text has. The end may be within a letter.
func isBinary(head []byte) bool {
	for len(head) > 0 {
		r, n := utf8.DecodeRune(head)
		if r == utf8.RuneError && n == 1 && utf8.FullRune(head) {
			return true
		}
		if r < ' ' && r != '\n' && r != '\r' && r != '\t' {
			return true
		}
		head = head[n:]
	}
	return false
}

// isYAML finds a first line like "kind: PodSet", after comments.
func isYAML(body []byte) bool {
	for line := range bytes.Lines(body) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		name, _, ok := bytes.Cut(line, []byte(":"))
		return ok && !bytes.ContainsAny(name, " \"{")
	}
	return false
}
