package lessons

import (
	"embed"
	"fmt"
	"io"
)

// make lesson-recordings writes them.
//
//go:embed recordings/*.jsonl.gz
var recordings embed.FS

// Recording opens the recorded session of a built-in lesson: one run of it on a
// real control plane, with its beats. The error wraps fs.ErrNotExist where
// there is none.
func Recording(id string) (io.ReadCloser, error) {
	file, err := recordings.Open("recordings/" + id + ".jsonl.gz")
	if err != nil {
		return nil, fmt.Errorf("opening the recorded session of %s: %w", id, err)
	}
	return file, nil
}
