package tracer

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// memoryHub is a transport that answers with the given statuses in turn, and
// then with 200 and the answer. A status of 0 is no answer at all.
type memoryHub struct {
	mu       sync.Mutex // of statuses: a test may change them while it is asked
	statuses []int
	answer   []byte
	header   http.Header
	at       []time.Time
}

func (h *memoryHub) RoundTrip(*http.Request) (*http.Response, error) {
	h.at = append(h.at, time.Now())
	status := h.next()
	if status == 0 {
		return nil, errors.New("nobody there")
	}
	return &http.Response{StatusCode: status, Header: h.header, Body: io.NopCloser(bytes.NewReader(h.answer))}, nil
}

func (h *memoryHub) next() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.statuses) == 0 {
		return http.StatusOK
	}
	status := h.statuses[0]
	h.statuses = h.statuses[1:]
	return status
}

// recover has the hub take all that comes.
func (h *memoryHub) recover() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.statuses = nil
}

// runSender runs a sender whose source is the returned counter; add adds n things.
func runSender(hub *memoryHub) (add func(n int), lost *atomic.Int64, stop func()) {
	return runLogging(hub, io.Discard)
}

func runLogging(hub *memoryHub, log io.Writer) (add func(n int), lost *atomic.Int64, stop func()) {
	var waiting atomic.Int64
	wake, end := make(chan struct{}, 1), make(chan struct{})
	lost = new(atomic.Int64)
	s := &sender{
		url: "http://hub/v1/traces", client: &http.Client{Transport: hub}, log: slog.New(slog.NewTextHandler(log, nil)), stop: end,
		source: source{wake: wake, lose: func(n int) { lost.Add(int64(n)) }, lost: lost.Load, next: func(buf []byte) ([]byte, int) {
			n := int(waiting.Swap(0))
			return append(buf, strings.Repeat("x", n)...), n
		}},
	}
	done := make(chan struct{})
	go func() { defer close(done); s.run(context.Background()) }()
	return func(n int) { waiting.Add(int64(n)); signal(wake) }, lost, func() { close(end); <-done }
}

func TestEverySpanIsSentWithin25Milliseconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := &memoryHub{}
		add, _, stop := runSender(hub)
		for range 20 {
			before, began := len(hub.at), time.Now()
			add(1)
			time.Sleep(flushEvery) // of the bubble's clock
			synctest.Wait()
			if len(hub.at) == before || hub.at[before].Sub(began) > flushEvery {
				t.Fatalf("a span was not sent after %v", flushEvery)
			}
		}
		stop()
	})
}

func TestTheFirstSpanAfterAQuietTimeIsSentAlmostAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := &memoryHub{}
		add, _, stop := runSender(hub)
		time.Sleep(time.Second) // of the bubble's clock
		began := time.Now()
		add(1)
		time.Sleep(flushEvery)
		synctest.Wait()
		if got := hub.at[0].Sub(began); got > linger {
			t.Errorf("it took %v, want %v", got, linger)
		}
		stop()
	})
}

// A token that the hub does not take is the user's to mend.
func TestARefusalOfTheTokenSaysWhatToDo(t *testing.T) {
	for _, status := range []int{401, 403} {
		said := refused{status}.Error()
		for _, want := range []string{strconv.Itoa(status), "OTEL_EXPORTER_OTLP_HEADERS=\"Authorization=Bearer%20<token>\"", "the file ingest-token"} {
			if !strings.Contains(said, want) {
				t.Errorf("%d says %q, want %s in it", status, said, want)
			}
		}
	}
	if said := (refused{400}).Error(); strings.Contains(said, "token") {
		t.Errorf("400 says %q", said)
	}
}

func TestRetries(t *testing.T) {
	for name, c := range map[string]struct {
		statuses       []int
		after          string
		tries, lost    int
		atLeast, under time.Duration
	}{
		"taken":             {nil, "", 1, 0, 0, 10 * time.Millisecond},
		"down twice":        {[]int{503, 502}, "", 3, 0, 50 * time.Millisecond, time.Second},
		"a gateway's":       {[]int{504}, "", 2, 0, 20 * time.Millisecond, time.Second},
		"broken":            {[]int{500}, "", 1, 4, 0, 10 * time.Millisecond},
		"not made for it":   {[]int{501}, "", 1, 4, 0, 10 * time.Millisecond},
		"full, says when":   {[]int{429}, "3", 2, 0, 3 * time.Second, 4 * time.Second},
		"full, asks a lot":  {[]int{429}, "3600", 2, 0, maxAskedWait, maxAskedWait + time.Second},
		"refused":           {[]int{400}, "", 1, 4, 0, 10 * time.Millisecond},
		"not authorised":    {[]int{401}, "", 1, 4, 0, 10 * time.Millisecond},
		"a redirect":        {[]int{307}, "", 1, 4, 0, 10 * time.Millisecond},
		"asks for nonsense": {[]int{429}, "-1", 2, 0, 20 * time.Millisecond, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				hub := &memoryHub{statuses: c.statuses, header: http.Header{"Retry-After": {c.after}}}
				add, lost, stop := runSender(hub)
				add(4)
				time.Sleep(10 * time.Second) // of the bubble's clock
				synctest.Wait()
				if len(hub.at) != c.tries || int(lost.Load()) != c.lost {
					t.Fatalf("%d tries, %d lost, want %d and %d", len(hub.at), int(lost.Load()), c.tries, c.lost)
				}
				if took := hub.at[len(hub.at)-1].Sub(hub.at[0]); took < c.atLeast || took > c.under {
					t.Errorf("it took %v, want %v to %v", took, c.atLeast, c.under)
				}
				stop()
			})
		})
	}
}

// One request that is never taken makes room for the next, and a hub that is
// full or away is waited for.
func TestOneBadRequestDoesNotStarveTheOthers(t *testing.T) {
	for name, c := range map[string]struct{ status, lost int }{
		"a request that is never taken": {http.StatusServiceUnavailable, 3},
		"a full hub":                    {http.StatusTooManyRequests, 0},
		"no hub":                        {0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log strings.Builder
				hub := &memoryHub{statuses: slices.Repeat([]int{c.status}, 10_000)}
				add, lost, stop := runLogging(hub, &log)
				add(3)
				time.Sleep(patience - time.Second) // of the bubble's clock
				synctest.Wait()
				if int(lost.Load()) > 0 {
					t.Fatalf("%d are lost too soon", int(lost.Load()))
				}
				time.Sleep(4 * time.Second) // a back-off of the longest, and some
				synctest.Wait()
				hub.recover()
				add(5)
				time.Sleep(4 * time.Second)
				synctest.Wait()
				if int(lost.Load()) != c.lost {
					t.Errorf("%d are lost, want %d", int(lost.Load()), c.lost)
				}
				if said := strings.Contains(log.String(), "dropped=3"); said != (c.lost > 0) {
					t.Errorf("the log says %s", &log)
				}
				if n := len(hub.at); hub.at[n-1].Sub(hub.at[n-2]) > maxBackoff*3/2 {
					t.Errorf("the last request came %v after the one before", hub.at[n-1].Sub(hub.at[n-2]))
				}
				stop()
			})
		})
	}
}

// partialAnswer is an answer that has left out n things: of OTLP's
// ExportTraceServiceResponse the field partial_success (1), and of that
// rejected_spans (1) and error_message (2).
func partialAnswer(n int64, reason string) []byte {
	partial := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), uint64(n))
	partial = protowire.AppendString(protowire.AppendTag(partial, 2, protowire.BytesType), reason)
	return protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), partial)
}

// What the hub leaves out of what it takes is counted, and each reason logged
// once.
func TestPartialSuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		hub := &memoryHub{}
		add, lost, stop := runLogging(hub, &log)
		send := func(answer []byte) {
			hub.answer = answer
			add(4)
			time.Sleep(flushEvery) // of the bubble's clock
			synctest.Wait()
		}
		for _, n := range []int64{1, 2, 9, 0, -1} {
			send(partialAnswer(n, "over the limit"))
		}
		if int(lost.Load()) != 1+2+4 || strings.Count(log.String(), "over the limit") != 1 {
			t.Errorf("%d are lost, want 7; the log says %s", int(lost.Load()), &log)
		}
		for i := range 100 {
			send(partialAnswer(1, "reason "+strconv.Itoa(i)))
		}
		if got := strings.Count(log.String(), "\n"); got != maxReasons {
			t.Errorf("%d lines, want %d", got, maxReasons)
		}
		for _, answer := range [][]byte{nil, []byte("{}"), []byte("\x0a"), []byte("\x0a\x05\x08"), bytes.Repeat([]byte{0xff}, 100)} {
			before := int(lost.Load())
			if send(answer); int(lost.Load()) != before {
				t.Errorf("%x loses something", answer)
			}
		}
		stop()
	})
}
