package otlp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc/codes"
)

// request is what the two signals have in common.
type request interface {
	unmarshal(body []byte, asJSON bool) error
	// keep drops the spans or log records for which f is false.
	keep(f func(any) bool)
	redact() (changed bool)
	count() int
	resources() []pcommon.Map
	payload() ([]byte, error)
	MarshalJSON() ([]byte, error)
	decode() Batch
	answer(r rejection, asJSON bool) ([]byte, error)
}

func newRequest(kind Kind) request {
	if kind == Traces {
		return &traceRequest{ptraceotlp.NewExportRequest()}
	}
	return &logRequest{plogotlp.NewExportRequest()}
}

// Decode turns a stored payload into the fold's inputs. It gives the same for
// the same payload always, so that a replay folds like the first time.
func Decode(kind Kind, payload []byte) (Batch, error) {
	if kind != Traces && kind != Logs {
		return Batch{}, fmt.Errorf("decoding a payload: kind %d is neither traces (%d) nor logs (%d)", kind, Traces, Logs)
	}
	req := newRequest(kind)
	if err := parse(req, payload, false, maxWalk, math.MaxInt); err != nil {
		return Batch{}, fmt.Errorf("decoding a payload: %w", err)
	}
	return req.decode(), nil
}

// parse measures the request before it decodes: the decoder recurses, and makes
// of a few megabytes a gigabyte of stack or of spans.
func parse(req request, body []byte, asJSON bool, depth, budget int) error {
	err := measured(req, body, asJSON, depth, budget)
	if errors.Is(err, errBudget) {
		return &httpError{http.StatusRequestEntityTooLarge, err.Error()}
	}
	if err != nil {
		return &refusal{codes.InvalidArgument, fmt.Sprintf("the body is not an OTLP request: %v: nothing was stored", err)}
	}
	return nil
}

func measured(req request, body []byte, asJSON bool, depth, budget int) error {
	if asJSON {
		if err := checkJSON(body, depth, budget); err != nil {
			return err
		}
		if !isObject(body) {
			return errors.New("it is not one JSON object")
		}
	} else if err := checkProto(body, req, depth, budget); err != nil {
		return err
	}
	return req.unmarshal(body, asJSON)
}

// isObject is stricter than the decoder, which stops at the end of an object,
// and takes null for one.
func isObject(body []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("{")) && json.Valid(body)
}

type traceRequest struct{ ptraceotlp.ExportRequest }

func (r *traceRequest) unmarshal(body []byte, asJSON bool) error {
	if asJSON {
		return r.UnmarshalJSON(body)
	}
	return r.UnmarshalProto(body)
}

func (r *traceRequest) count() int               { return r.Traces().SpanCount() }
func (r *traceRequest) payload() ([]byte, error) { return r.MarshalProto() }

func (r *traceRequest) resources() (all []pcommon.Map) {
	for _, rs := range r.Traces().ResourceSpans().All() {
		all = append(all, rs.Resource().Attributes())
	}
	return all
}

func (r *traceRequest) keep(f func(any) bool) {
	r.Traces().ResourceSpans().RemoveIf(func(rs ptrace.ResourceSpans) bool {
		if !f(rs.Resource().Attributes()) {
			rs.ScopeSpans().RemoveIf(func(ptrace.ScopeSpans) bool { return true })
		}
		rs.ScopeSpans().RemoveIf(func(ss ptrace.ScopeSpans) bool {
			if !f(ss.Scope()) {
				return true
			}
			ss.Spans().RemoveIf(func(s ptrace.Span) bool { return !f(s) })
			// The numbering of a request whose spans were all rejected stays:
			// it is what makes the gap known.
			return false
		})
		return false
	})
}

func (r *traceRequest) answer(rej rejection, asJSON bool) ([]byte, error) {
	res := ptraceotlp.NewExportResponse()
	if rej.count > 0 {
		res.PartialSuccess().SetRejectedSpans(int64(rej.count))
		res.PartialSuccess().SetErrorMessage(rej.reason)
	}
	if asJSON {
		return res.MarshalJSON()
	}
	return res.MarshalProto()
}

type logRequest struct{ plogotlp.ExportRequest }

func (r *logRequest) unmarshal(body []byte, asJSON bool) error {
	if asJSON {
		return r.UnmarshalJSON(body)
	}
	return r.UnmarshalProto(body)
}

func (r *logRequest) count() int               { return r.Logs().LogRecordCount() }
func (r *logRequest) payload() ([]byte, error) { return r.MarshalProto() }

func (r *logRequest) resources() (all []pcommon.Map) {
	for _, rl := range r.Logs().ResourceLogs().All() {
		all = append(all, rl.Resource().Attributes())
	}
	return all
}

func (r *logRequest) keep(f func(any) bool) {
	r.Logs().ResourceLogs().RemoveIf(func(rl plog.ResourceLogs) bool {
		if !f(rl.Resource().Attributes()) {
			return true
		}
		rl.ScopeLogs().RemoveIf(func(sl plog.ScopeLogs) bool {
			if !f(sl.Scope()) {
				return true
			}
			sl.LogRecords().RemoveIf(func(l plog.LogRecord) bool { return !f(l) })
			return false
		})
		return false
	})
}

func (r *logRequest) answer(rej rejection, asJSON bool) ([]byte, error) {
	res := plogotlp.NewExportResponse()
	if rej.count > 0 {
		res.PartialSuccess().SetRejectedLogRecords(int64(rej.count))
		res.PartialSuccess().SetErrorMessage(rej.reason)
	}
	if asJSON {
		return res.MarshalJSON()
	}
	return res.MarshalProto()
}
