package tracer

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// flushEvery is the longest that a finished span waits before it is sent.
	flushEvery = 25 * time.Millisecond
	// linger lets the spans of one burst go together when all has been quiet.
	linger         = 5 * time.Millisecond
	requestTimeout = 10 * time.Second
	// bodyTimeout bounds the reading of an answer whose status is known.
	bodyTimeout = time.Second
	maxAnswer   = 64 << 10
	// maxKept is the largest body whose buffer is used again.
	maxKept      = 1 << 20
	firstBackoff = 50 * time.Millisecond
	maxBackoff   = 2 * time.Second
	maxAskedWait = 5 * time.Second
	// patience is for how long one request is answered with "later" before it
	// makes room for the next.
	patience = time.Minute
	// dropEvery is how often it is logged at most that something was dropped.
	dropEvery = time.Minute
)

// source is where a sender takes its requests from.
type source struct {
	wake <-chan struct{}
	// next appends the next request's body, of n things, to buf; n is 0 when
	// there is none.
	next func(buf []byte) (body []byte, n int)
	// lose is told how many things of a request could not be sent.
	lose func(n int)
	// lost is how many things are lost so far, also those that found no room.
	lost func() int64
}

// sender posts the requests of one signal, one at a time and in order.
type sender struct {
	url     string
	headers map[string]string
	client  *http.Client
	log     *slog.Logger
	source  source
	stop    <-chan struct{}

	plain   bool // send without compression
	body    []byte
	zipped  bytes.Buffer
	zip     *gzip.Writer
	failing bool
	last    time.Time

	reasons []string // of partial successes, that were logged
	dropped int      // since that was logged last
	logged  time.Time
}

// newHubClient makes the client for a hub: it follows no redirect, because
// that could carry the token elsewhere.
func newHubClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 2
	transport.MaxResponseHeaderBytes = 32 << 10
	return &http.Client{
		Transport:     transport,
		Timeout:       requestTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// run sends until stop is closed and everything is sent, or until ctx ends.
func (s *sender) run(ctx context.Context) {
	for {
		select {
		case <-s.source.wake:
			s.pause(ctx)
			s.drain(ctx)
		case <-s.stop:
			s.drain(ctx)
			return
		}
	}
}

// pause waits so that a burst goes in one request, and no longer than that a
// span is sent 25 ms after it ended.
func (s *sender) pause(ctx context.Context) {
	wait := max(linger, flushEvery-linger-time.Since(s.last))
	sleep(ctx, wait, s.stop)
}

// drain sends all there is; ctx ending makes the rest count as lost.
func (s *sender) drain(ctx context.Context) {
	for {
		body, n := s.source.next(s.body[:0])
		if n == 0 {
			return
		}
		s.body = body
		left, err := s.send(ctx, body)
		s.last = time.Now()
		s.report(err)
		if err != nil {
			s.drop(n, err)
			continue
		}
		s.reportPartial(left, n)
	}
}

// send posts body until the hub takes it or refuses it for good. One that it
// says for a minute to be unable to take is not tried any more: that may be the
// request's own fault, and others wait.
func (s *sender) send(ctx context.Context, body []byte) (partial, error) {
	packed := &lent{bytes: body}
	if !s.plain {
		packed.bytes = s.compress(body)
	}
	defer s.keep(packed)
	var since time.Time // of answers that may be due to the request
	for backoff := firstBackoff; ; backoff = min(2*backoff, maxBackoff) {
		left, asked, err := s.post(ctx, packed)
		if err == nil || !retryable(err) || ctx.Err() != nil {
			return left, err
		}
		s.report(err)
		switch {
		case !maybeOfThisOne(err):
			since = time.Time{}
		case since.IsZero():
			since = time.Now()
		case time.Since(since) >= patience:
			return partial{}, err
		}
		if asked == 0 {
			asked = backoff/2 + rand.N(backoff)
		}
		sleep(ctx, asked, nil)
	}
}

func (s *sender) compress(body []byte) []byte {
	s.zipped.Reset()
	if s.zip == nil {
		s.zip, _ = gzip.NewWriterLevel(nil, gzip.BestSpeed)
	}
	s.zip.Reset(&s.zipped)
	// Writing to a buffer never fails.
	_, _ = s.zip.Write(body)
	_ = s.zip.Close()
	return s.zipped.Bytes()
}

// keep lets go of buffers that a connection still reads from, and of those
// that a large batch has grown beyond what is worth keeping.
func (s *sender) keep(packed *lent) {
	if packed.readers.Load() > 0 || cap(s.body) > maxKept {
		s.body, s.zipped = nil, bytes.Buffer{}
	}
}

// lent is a buffer that requests read from. net/http may go on reading after
// it has answered; until every reader is closed the bytes must stay.
type lent struct {
	bytes   []byte
	readers atomic.Int32
}

func (l *lent) open() (io.ReadCloser, error) {
	l.readers.Add(1)
	return &lentReader{Reader: bytes.NewReader(l.bytes), of: l}, nil
}

type lentReader struct {
	*bytes.Reader
	of   *lent
	once sync.Once
}

// Close gives the buffer back; it never fails.
func (r *lentReader) Close() error {
	r.once.Do(func() { r.of.readers.Add(-1) })
	return nil
}

// post makes one attempt; left is what was left out of a request that was taken,
// wait what the hub asked for, 0 if it did not.
func (s *sender) post(ctx context.Context, body *lent) (left partial, wait time.Duration, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, nil)
	if err != nil {
		return left, 0, fmt.Errorf("making the request: %w", err)
	}
	req.Body, _ = body.open()
	req.GetBody, req.ContentLength = body.open, int64(len(body.bytes))
	for name, value := range s.headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", "application/x-protobuf")
	if !s.plain {
		req.Header.Set("Content-Encoding", "gzip")
	}
	res, err := s.client.Do(req)
	if err != nil {
		return left, 0, fmt.Errorf("reaching the hub: %w", err)
	}
	defer res.Body.Close()
	// Reading the rest keeps the connection; a hub that never ends its answer loses it.
	timer := time.AfterFunc(bodyTimeout, cancel)
	defer timer.Stop()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if res.StatusCode/100 != 2 {
		return left, retryAfter(res.Header.Get("Retry-After")), refused{res.StatusCode}
	}
	if err == nil {
		left = readPartial(answer)
	}
	return left, 0, nil
}

func retryAfter(header string) time.Duration {
	seconds, err := strconv.Atoi(strings.TrimSpace(header))
	if err != nil || seconds <= 0 {
		return 0
	}
	return min(time.Duration(seconds)*time.Second, maxAskedWait)
}

// report logs the first failure after a success and the first success after a
// failure.
func (s *sender) report(err error) {
	switch {
	case err != nil && !s.failing:
		s.log.Warn("sending to the hub fails, the controller goes on", "url", s.url, "error", err)
	case err == nil && s.failing:
		s.log.Info("sending to the hub works again", "url", s.url, "dropped_so_far", s.source.lost())
	}
	s.failing = err != nil
}

// drop counts what could not be sent, and logs it once a minute at most.
func (s *sender) drop(n int, err error) {
	s.source.lose(n)
	s.dropped += n
	if now := time.Now(); now.Sub(s.logged) >= dropEvery {
		s.log.Warn("what could not be sent to the hub is dropped", "url", s.url, "dropped", s.dropped, "error", err)
		s.logged, s.dropped = now, 0
	}
}

// sleep waits for d, or until ctx ends or stop (which may be nil) is closed.
func sleep(ctx context.Context, d time.Duration, stop <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	case <-stop:
	}
}
