package control

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/reconcile-tracer/tracer/tracer/control/wire"
)

// server is an API server that takes everything, or refuses everything.
type server struct {
	status int
	taken  int
}

func (s *server) RoundTrip(req *http.Request) (*http.Response, error) {
	s.taken++
	return &http.Response{StatusCode: s.status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}")), Request: req}, nil
}

var update = Request{Verb: "update", Resource: schema.GroupResource{Group: "demo.reconcile-tracer.io", Resource: "podsets"}, Name: "web", Item: "default/web"}

func (b *bench) send(ctx context.Context, s *server, r Request) (status metav1.Status, header http.Header, fault string, err error) {
	b.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, "https://server/x", strings.NewReader("{}"))
	if err != nil {
		b.Fatal(err)
	}
	res, fault, err := b.Send(s, req, r)
	if err != nil {
		return status, nil, fault, err
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(&status); err != nil {
		b.Fatal(err)
	}
	return status, res.Header, fault, nil
}

func TestAnswersAreThoseOfTheAPIServer(t *testing.T) {
	for fault, c := range map[string]struct {
		code    int32
		reason  metav1.StatusReason
		message string
		taken   int
	}{
		wire.Fault409: {409, metav1.StatusReasonConflict, `Operation cannot be fulfilled on podsets.demo.reconcile-tracer.io "web": ` +
			"the object has been modified; please apply your changes to the latest version and try again", 0},
		wire.Fault429:           {429, metav1.StatusReasonTooManyRequests, "the server has received too many requests", 0},
		wire.Fault500:           {500, metav1.StatusReasonInternalError, "Internal error occurred: etcdserver: request timed out", 0},
		wire.FaultTimeoutBefore: {504, metav1.StatusReasonTimeout, "Timeout: request did not complete within requested timeout", 0},
		wire.FaultTimeoutAfter:  {504, metav1.StatusReasonTimeout, "Timeout: request did not complete within requested timeout", 1},
	} {
		b, s := newBench(t), &server{status: 200}
		b.do(wire.Command{Command: wire.Fault, Fault: fault, ID: "f"})
		got, header, named, err := b.send(t.Context(), s, update)
		if err != nil || got.Code != c.code || got.Reason != c.reason || !strings.HasPrefix(got.Message, c.message) || got.Kind != "Status" {
			t.Errorf("%s: %+v, %v", fault, got, err)
		}
		if s.taken != c.taken || named != fault || header.Get(HeaderFault) != fault {
			t.Errorf("%s: the server took %d, the fault is called %q", fault, s.taken, named)
		}
		if (header.Get("Retry-After") == "1") != (fault == wire.Fault429) {
			t.Errorf("%s: Retry-After %q", fault, header.Get("Retry-After"))
		}
		if out := b.messages(); b.Armed() || len(out) != 1 || out[0].Why != whyUsedUp {
			t.Errorf("%s: used up, it says %+v and is armed: %v", fault, out, b.Armed())
		}
	}
}

func TestAWriteOfWhatIsNewMeetsAlreadyExists(t *testing.T) {
	b, s := newBench(t), &server{status: 200}
	b.do(wire.Command{Command: wire.Fault, Fault: wire.Fault409, Verb: "create"})
	create := update
	create.Verb = "create"
	if got, _, _, _ := b.send(t.Context(), s, create); got.Reason != metav1.StatusReasonAlreadyExists {
		t.Errorf("%+v", got)
	}
}

func TestAFaultHitsAsOftenAsItSays(t *testing.T) {
	b, s := newBench(t), &server{status: 200}
	b.do(wire.Command{Command: wire.Fault, Fault: wire.Fault500, Count: 2})
	codes := 0
	for range 4 {
		if got, _, _, _ := b.send(t.Context(), s, update); got.Code == 500 {
			codes++
		}
	}
	if codes != 2 || s.taken != 2 {
		t.Errorf("%d failed and %d were taken, want 2 and 2", codes, s.taken)
	}
}

func TestATimeoutAfterWaitsForAWriteThatIsTaken(t *testing.T) {
	b, refusing, taking := newBench(t), &server{status: 422}, &server{status: 200}
	b.do(wire.Command{Command: wire.Fault, Fault: wire.FaultTimeoutAfter})
	if got, _, fault, _ := b.send(t.Context(), refusing, update); got.Code != 0 || fault != "" || !b.Armed() {
		t.Errorf("a refused write: %+v by %q, armed %v", got, fault, b.Armed())
	}
	if got, _, _, _ := b.send(t.Context(), taking, update); got.Code != 504 || taking.taken != 1 || b.Armed() {
		t.Errorf("a taken write: %+v", got)
	}
}

func TestLeasesAndEventsAreLeftAlone(t *testing.T) {
	b, s := newBench(t), &server{status: 200}
	b.do(wire.Command{Command: wire.Fault, Fault: wire.Fault500, Count: 100})
	for _, resource := range []string{"leases", "events"} {
		r := update
		r.Resource.Resource = resource
		if got, _, fault, err := b.send(t.Context(), s, r); err != nil || fault != "" || got.Code != 0 {
			t.Errorf("%s: %+v, %v", resource, got, err)
		}
	}
	b.LiftAll("test")
}

func TestLatency(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(b *bench, cancel context.CancelFunc)
		took time.Duration
		err  error
	}{
		"whole":     {func(*bench, context.CancelFunc) {}, 300 * time.Millisecond, nil},
		"lifted":    {func(b *bench, _ context.CancelFunc) { b.LiftAll(whyLost) }, 100 * time.Millisecond, nil},
		"cancelled": {func(_ *bench, cancel context.CancelFunc) { cancel() }, 100 * time.Millisecond, context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, s := newBench(t), &server{status: 200}
				b.do(wire.Command{Command: wire.Fault, Fault: wire.FaultLatency, DelayMS: 300})
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				time.AfterFunc(100*time.Millisecond, func() { c.end(b, cancel) })
				began := time.Now()
				_, _, _, err := b.send(ctx, s, update)
				if took := time.Since(began); took != c.took || !errors.Is(err, c.err) || (s.taken == 1) != (c.err == nil) {
					t.Errorf("took %v, %v, taken %d", took, err, s.taken)
				}
				b.LiftAll("test")
			})
		})
	}
}

// A delay has hit a request that ends meanwhile: it counts, and cuts that of no other
// short.
func TestLatencyCountsRequestsThatEndMeanwhile(t *testing.T) {
	for count, want := range map[int]time.Duration{1: 0, 2: 300 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			b, s := newBench(t), &server{status: 200}
			b.do(wire.Command{Command: wire.Fault, Fault: wire.FaultLatency, DelayMS: 300, Count: count, ID: "f"})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var given sync.WaitGroup
			given.Go(func() {
				if _, _, _, err := b.send(ctx, s, update); !errors.Is(err, context.Canceled) {
					t.Errorf("the first ended with %v", err)
				}
			})
			synctest.Wait() // it is in the delay
			time.AfterFunc(100*time.Millisecond, cancel)
			began := time.Now()
			if _, _, _, err := b.send(t.Context(), s, update); err != nil {
				t.Error(err)
			}
			if took := time.Since(began); took != want {
				t.Errorf("with a count of %d the second took %v, want %v", count, took, want)
			}
			given.Wait()
			if out := b.messages(); b.Armed() || len(out) != 1 || out[0].Why != whyUsedUp {
				t.Errorf("with a count of %d, used up, it says %+v and is armed: %v", count, out, b.Armed())
			}
			b.LiftAll("test")
		})
	}
}

// stream is a body that gives out one event at each read.
type stream struct{ events chan string }

func (s stream) Read(p []byte) (int, error) {
	e, ok := <-s.events
	if !ok {
		return 0, io.EOF
	}
	return copy(p, e), nil
}

func (s stream) Close() error { return nil }

func TestWatchEventsAreHeldAndComeAfterwards(t *testing.T) {
	for name, end := range map[string]struct {
		end func(b *bench, body io.Closer, cancel context.CancelFunc)
		at  time.Duration
	}{
		"its time":    {func(*bench, io.Closer, context.CancelFunc) {}, 3 * time.Second},
		"lifted":      {func(b *bench, _ io.Closer, _ context.CancelFunc) { b.LiftAll(whyLost) }, time.Second},
		"closed":      {func(_ *bench, body io.Closer, _ context.CancelFunc) { _ = body.Close() }, time.Second},
		"the context": {func(_ *bench, _ io.Closer, cancel context.CancelFunc) { cancel() }, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				events := make(chan string, 2)
				res := &http.Response{Body: stream{events}}
				b.Watch(ctx, res, "podsets")
				b.do(wire.Command{Command: wire.Fault, Fault: wire.FaultHoldWatch, Seconds: 3})
				time.AfterFunc(time.Second, func() { end.end(b, res.Body, cancel) })
				began := time.Now()
				events <- "event"
				p := make([]byte, 10)
				if n, err := res.Body.Read(p); string(p[:n]) != "event" || err != nil || time.Since(began) != end.at {
					t.Errorf("read %q, %v after %v, want after %v", p[:n], err, time.Since(began), end.at)
				}
				b.LiftAll("test")
			})
		})
	}
}

func TestOnlyAWatchThatThereIsCanBeHeld(t *testing.T) {
	b := newBench(t)
	res := &http.Response{Body: stream{}}
	b.Watch(t.Context(), res, "pods")
	hold := wire.Command{Command: wire.Fault, Controller: "podset", Fault: wire.FaultHoldWatch, Seconds: 3, Resource: "services"}
	if err := b.Do(hold); err == nil || !strings.Contains(err.Error(), `resource "services" is not watched by podset: use one of pods`) {
		t.Errorf("%v", err)
	}
	hold.Resource = "pods"
	b.do(hold)
	_ = res.Body.Close()
	if err := b.Do(hold); err == nil {
		t.Error("a watch that is closed is held")
	}
	b.LiftAll("test")
}
