package tracer

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// memoryHub is a transport that answers with the given statuses in turn, and
// then with 200.
type memoryHub struct {
	statuses []int
	header   http.Header
	at       []time.Time
}

func (h *memoryHub) RoundTrip(*http.Request) (*http.Response, error) {
	h.at = append(h.at, time.Now())
	status := http.StatusOK
	if len(h.statuses) > 0 {
		status, h.statuses = h.statuses[0], h.statuses[1:]
	}
	return &http.Response{StatusCode: status, Header: h.header, Body: http.NoBody}, nil
}

// runSender runs a sender whose source is the returned counter; add adds n things.
func runSender(hub *memoryHub) (add func(n int), lost *int, stop func()) {
	waiting, wake, end := 0, make(chan struct{}, 1), make(chan struct{})
	lost = new(int)
	s := &sender{
		url: "http://hub/v1/traces", client: &http.Client{Transport: hub}, log: slog.New(slog.DiscardHandler), stop: end,
		source: source{wake: wake, lose: func(n int) { *lost += n }, next: func(buf []byte) ([]byte, int) {
			n := waiting
			waiting = 0
			return append(buf, strings.Repeat("x", n)...), n
		}},
	}
	done := make(chan struct{})
	go func() { defer close(done); s.run(context.Background()) }()
	return func(n int) { waiting += n; signal(wake) }, lost, func() { close(end); <-done }
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
		"down twice":        {[]int{503, 500}, "", 3, 0, 50 * time.Millisecond, time.Second},
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
				if len(hub.at) != c.tries || *lost != c.lost {
					t.Fatalf("%d tries, %d lost, want %d and %d", len(hub.at), *lost, c.tries, c.lost)
				}
				if took := hub.at[len(hub.at)-1].Sub(hub.at[0]); took < c.atLeast || took > c.under {
					t.Errorf("it took %v, want %v to %v", took, c.atLeast, c.under)
				}
				stop()
			})
		})
	}
}
