package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"golang.org/x/term"
)

// progress is one line on a terminal that says how far something is. Where
// there is no terminal, it says nothing.
type progress struct {
	out   io.Writer // nil where nobody looks
	last  time.Time
	shown bool
}

// progressEvery is how often the line changes.
const progressEvery = 200 * time.Millisecond

func newProgress(out io.Writer) *progress {
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return &progress{out: out, last: time.Now()}
	}
	return &progress{}
}

func (p *progress) tell(requests, bytes int64) {
	if p.out == nil || time.Since(p.last) < progressEvery {
		return
	}
	p.last, p.shown = time.Now(), true
	what := ""
	if requests > 0 {
		what = grouped(requests, "request") + ", "
	}
	fmt.Fprintf(p.out, "\r\x1b[K%s%s", what, bytesSaid(bytes))
}

// clear takes the line away.
func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}

// grouped says how many of something there are: 1,204 requests.
func grouped(n int64, what string) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	if n == 1 {
		return digits + " " + what
	}
	return digits + " " + what + "s"
}

// bytesSaid says a size in decimal units: 812 bytes, 18.3 kB, 2.1 MB.
func bytesSaid(n int64) string {
	switch {
	case n < 1000:
		return grouped(n, "byte")
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	case n < 1_000_000_000:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}
