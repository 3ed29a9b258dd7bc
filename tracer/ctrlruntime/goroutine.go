package ctrlruntime

import (
	"bytes"
	"runtime"
	"strconv"
)

// goroutineID is the number of the goroutine that calls it. The runtime tells
// it in stack traces only; it takes about a microsecond. 0 means unknown.
func goroutineID() int64 {
	var buf [64]byte
	text := bytes.TrimPrefix(buf[:runtime.Stack(buf[:], false)], []byte("goroutine "))
	digits, _, _ := bytes.Cut(text, []byte(" "))
	id, err := strconv.ParseInt(string(digits), 10, 64)
	if err != nil {
		return 0
	}
	return id
}
