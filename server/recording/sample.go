package recording

import (
	"bytes"
	_ "embed" // the sample
	"io"
)

// SampleName is the sample session's name.
const SampleName = "sample"

// sample is written by make sample.
//
//go:embed sample.jsonl.gz
var sample []byte

// OpenSample opens the session that is built in: what the reference controller
// does on a real control plane in two minutes. The command internal/sample records it.
func OpenSample() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(sample)), nil }
