package otlp

import (
	"math"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Request is one request of either kind, decoded whole: what a line of a
// recorded file holds. It is not safe for concurrent use.
type Request struct {
	kind  Kind
	inner request
}

// maxFileDecoded bounds what one line of a file may take decoded. A request in
// JSON counts up to four times what the same one counts in protobuf.
const maxFileDecoded = 8 * maxDecoded

// ParseStored decodes a payload that Config.Store was given.
func ParseStored(kind Kind, payload []byte) (Request, error) {
	r := Request{kind, newRequest(kind)}
	return r, measured(r.inner, payload, false, maxWalk, math.MaxInt)
}

// ParseJSON decodes a request in JSON from a source that is not trusted: what
// nests too deep or would take too much memory is an error.
func ParseJSON(kind Kind, body []byte) (Request, error) {
	r := Request{kind, newRequest(kind)}
	return r, measured(r.inner, body, true, Caps{}.withDefaults().Depth, maxFileDecoded)
}

// Kind says which of the two it is.
func (r Request) Kind() Kind { return r.kind }

// Count is how many spans or log records it holds.
func (r Request) Count() int { return r.inner.count() }

// Resources are the attributes of its resources, which may be changed.
func (r Request) Resources() []pcommon.Map { return r.inner.resources() }

// Clean leaves out what is over a cap, or later than now and a minute, and
// redacts the rest, as a Receiver does. It returns how many spans or log records were
// left out, and why the first of them was. What the presenter told a controller
// stays: a Receiver takes that from nobody, but in a recording the hub has said it.
func (r Request) Clean(now time.Time) (left int, reason string) {
	rej := Caps{recorded: true}.withDefaults().apply(r.inner, now)
	r.inner.redact()
	return rej.count, rej.reason
}

// Spans calls f with each of its spans, which f may change.
func (r Request) Spans(f func(ptrace.Span)) {
	r.inner.keep(func(v any) bool {
		if s, ok := v.(ptrace.Span); ok {
			f(s)
		}
		return true
	})
}

// KeepLogs drops the log records for which f is false.
func (r Request) KeepLogs(f func(plog.LogRecord) bool) {
	r.inner.keep(func(v any) bool {
		l, ok := v.(plog.LogRecord)
		return !ok || f(l)
	})
}

// Newest is the latest time in it, in microseconds since the epoch; 0 when it
// holds none.
func (r Request) Newest() int64 {
	newest := pcommon.Timestamp(0)
	r.inner.keep(func(v any) bool {
		switch v := v.(type) {
		case ptrace.Span:
			newest = max(newest, v.EndTimestamp(), v.StartTimestamp())
		case plog.LogRecord:
			newest = max(newest, v.Timestamp(), v.ObservedTimestamp())
		}
		return true
	})
	return micros(newest)
}

// Batch is what the contract knows of it.
func (r Request) Batch() Batch { return r.inner.decode() }

// Payload is it in protobuf, as the journal stores it.
func (r Request) Payload() ([]byte, error) { return r.inner.payload() }

// JSON is it in JSON, on one line without its end.
func (r Request) JSON() ([]byte, error) { return r.inner.MarshalJSON() }
