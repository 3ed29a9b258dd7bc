package otlp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/codes"
)

// Kind says which of the protocol's requests a payload is. Its numbers are
// those that the journal stores.
type Kind uint8

// The kinds of requests.
const (
	Traces Kind = 1
	Logs   Kind = 2
)

// ErrBusy is to be wrapped by the error of Config.Store when the sender should
// send the same again in a moment.
var ErrBusy = errors.New("the hub is full")

// ErrTooLarge is to be wrapped by the error of Config.Store when a request can
// never be stored: to send it again is of no use.
var ErrTooLarge = errors.New("the batch is too large to be stored")

// Config says what a Receiver does with a request. Store and Authorize are
// required.
type Config struct {
	// Store makes a request durable before it returns. The payload is
	// protobuf, the batch what Decode makes of it; both become Store's own.
	Store func(ctx context.Context, kind Kind, payload []byte, batch Batch) error
	// Authorize says whether a bearer token may send; "" is no token.
	Authorize func(token string) bool
	// MaxWire is the largest body as it comes over the wire. 0 is 4 MiB.
	MaxWire int64
	// MaxBody is the largest body once it is decompressed. 0 is 6 MiB.
	MaxBody int64
	// MaxAtOnce is how many requests are worked on at once; others wait. 0 is
	// 16.
	MaxAtOnce int
	// MaxReading is how many requests are read from the network at once. 0 is
	// 128.
	MaxReading int
	// Stall is how long a sender may send nothing of a body that it has begun;
	// over gRPC, how long it may take for a message. 0 is 5 s.
	Stall time.Duration
	// Now is the hub's clock, which times are compared with. nil is time.Now.
	Now func() time.Time
	// Caps bound single spans and log records.
	Caps Caps
}

// Receiver takes requests. Its methods may be called from any goroutine.
type Receiver struct {
	cfg   Config
	slots chan struct{}
	// readers are slots for what is not here yet: a sender that stalls must not
	// keep others from being worked on.
	readers chan struct{}

	spans    atomic.Int64
	logs     atomic.Int64
	rejected atomic.Int64
	refused  atomic.Int64
}

// Counts is what a Receiver has done since it was made.
type Counts struct {
	// Spans and Logs were stored, Rejected were left out of a stored request,
	// Refused counts requests that were refused whole.
	Spans, Logs, Rejected, Refused int64
}

// New makes a Receiver.
func New(cfg Config) *Receiver {
	if cfg.MaxWire == 0 {
		cfg.MaxWire = 4 << 20
	}
	if cfg.MaxBody == 0 {
		cfg.MaxBody = 6 << 20
	}
	if cfg.MaxAtOnce == 0 {
		cfg.MaxAtOnce = 16
	}
	if cfg.MaxReading == 0 {
		cfg.MaxReading = 128
	}
	if cfg.Stall == 0 {
		cfg.Stall = 5 * time.Second
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.Caps = cfg.Caps.withDefaults()
	return &Receiver{cfg: cfg, slots: make(chan struct{}, cfg.MaxAtOnce), readers: make(chan struct{}, cfg.MaxReading)}
}

// Counts returns the counts so far.
func (r *Receiver) Counts() Counts {
	return Counts{Spans: r.spans.Load(), Logs: r.logs.Load(), Rejected: r.rejected.Load(), Refused: r.refused.Load()}
}

// enter waits for a slot, so that many large requests at once do not add up.
func enter(ctx context.Context, slots chan struct{}) (leave func(), err error) {
	select {
	case slots <- struct{}{}:
		return func() { <-slots }, nil
	case <-ctx.Done():
		return nil, &refusal{codes.Unavailable, "the hub is busy and the request's time is over: send it again"}
	}
}

// accept takes one request whole and returns the encoded answer.
func (r *Receiver) accept(ctx context.Context, kind Kind, body []byte, asJSON bool) ([]byte, error) {
	req := newRequest(kind)
	if err := parse(req, body, asJSON, r.cfg.Caps.Depth, maxDecoded); err != nil {
		return nil, err
	}
	rejected := r.cfg.Caps.apply(req, r.cfg.Now())
	redacted := req.redact()
	if err := r.store(ctx, kind, req, body, asJSON || redacted || rejected.count > 0); err != nil {
		return nil, err
	}
	r.rejected.Add(int64(rejected.count))
	return req.answer(rejected, asJSON)
}

// store stores a request: as it came if nothing was changed in it, which saves
// encoding it again.
func (r *Receiver) store(ctx context.Context, kind Kind, req request, body []byte, changed bool) error {
	batch := req.decode()
	if req.count() == 0 && len(batch.Emitters) == 0 {
		return nil // nothing is left, not even a claim of what should be there
	}
	payload := body
	if changed {
		var err error
		if payload, err = req.payload(); err != nil {
			return fmt.Errorf("encoding what is stored: %w", err)
		}
	}
	if err := r.cfg.Store(ctx, kind, payload, batch); err != nil {
		return storeRefusal(err)
	}
	if kind == Traces {
		r.spans.Add(int64(req.count()))
	} else {
		r.logs.Add(int64(req.count()))
	}
	return nil
}

// refusal is why a request is refused whole: gRPC's code, from which HTTP's
// status follows, and words for whoever reads the emitter's log.
type refusal struct {
	code   codes.Code
	reason string
}

func (e *refusal) Error() string { return e.reason }

var errSlow = &refusal{codes.Unavailable, "the request came too slowly, and nothing was stored: send it again"}

func storeRefusal(err error) error {
	if errors.Is(err, ErrBusy) {
		return &refusal{codes.ResourceExhausted, "the hub's journal is full: send the same batch again later"}
	}
	if errors.Is(err, ErrTooLarge) {
		return &httpError{http.StatusRequestEntityTooLarge, err.Error()}
	}
	return &refusal{codes.Unavailable, "the batch was not stored: " + err.Error() + ": send it again later"}
}

func asRefusal(err error) *refusal {
	var r *refusal
	if errors.As(err, &r) {
		return r
	}
	// What only HTTP has a status for is a fault of the request.
	if he, ok := errors.AsType[*httpError](err); ok {
		return &refusal{codes.InvalidArgument, he.reason}
	}
	return &refusal{codes.Internal, err.Error()}
}
