package tracer

import (
	"errors"
	"io"
	"sync"
)

// watchedBody lets a scanner see the bytes that the client reads, and tells
// once when the client is through with the body. It changes and holds none.
type watchedBody struct {
	io.ReadCloser
	scan scanner // nil when there is nothing to scan
	once sync.Once
	done func(found scanned, err error)
}

// Read reads as the body does.
func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.scan != nil && n > 0 {
		_, _ = b.scan.Write(p[:n])
	}
	if err != nil {
		b.finish(err)
	}
	return n, err
}

// Close closes the body; the client may do so before its end.
func (b *watchedBody) Close() error {
	err := b.ReadCloser.Close()
	b.finish(nil)
	return err
}

func (b *watchedBody) finish(err error) {
	b.once.Do(func() {
		if errors.Is(err, io.EOF) {
			err = nil
		}
		var found scanned
		if b.scan != nil {
			found = b.scan.result()
		}
		b.done(found, err)
	})
}
