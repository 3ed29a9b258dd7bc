package tracer

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// maxPeek is how large a request's body may be to be looked at.
const maxPeek = 1 << 20

// Transport wraps the transport of a client: rest.Config.Wrap(t.Transport).
// Requests whose context is a reconcile's become read and write spans; all
// others, watches and connections pass untouched. A nil next is
// http.DefaultTransport.
func (t *Tracer) Transport(next http.RoundTripper) http.RoundTripper {
	if next == nil {
		next = http.DefaultTransport
	}
	return &transport{t: t, next: next}
}

type transport struct {
	t    *Tracer
	next http.RoundTripper
}

// WrappedRoundTripper returns the transport below, as client-go asks for.
func (tr *transport) WrappedRoundTripper() http.RoundTripper { return tr.next }

// RoundTrip sends the request and records it if it is a reconcile's.
func (tr *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if !tr.t.Enabled() || req.URL == nil {
		return tr.next.RoundTrip(req)
	}
	r := from(req.Context())
	if r == nil {
		return tr.t.watch(tr.next, req)
	}
	to, ok := parseTarget(req.URL)
	if ok {
		r.beforeCall(req.Context().Done(), isWrite(req.Method))
	}
	switch {
	case ok && isWrite(req.Method):
		return r.write(tr.next, req, to)
	case ok && req.Method == http.MethodGet:
		return r.liveRead(tr.next, req, to)
	default:
		return tr.next.RoundTrip(req)
	}
}

// call is one API request under way.
type call struct {
	r     *reconcile
	span  trace.Span
	write bool
}

// startCall begins the span of a request in the phase where it belongs. It is
// nil when the reconcile is done.
func (r *reconcile) startCall(phase, name string, kind trace.SpanKind) (*call, string) {
	now := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done {
		return nil, ""
	}
	r.enter(phase, now)
	c := &call{r: r, span: r.child(r.span, name, now, trace.WithSpanKind(kind)), write: phase == semconv.SpanApply}
	r.open[c.span.SpanContext().SpanID()] = c.span
	if c.write {
		r.writing++
		return c, r.auditID()
	}
	r.reading++
	return c, ""
}

// end ends the request's span.
func (c *call) end(attrs ...attribute.KeyValue) {
	now := time.Now()
	r := c.r
	r.mu.Lock()
	defer r.mu.Unlock()
	c.span.SetAttributes(attrs...)
	c.span.End(trace.WithTimestamp(now))
	delete(r.open, c.span.SpanContext().SpanID())
	r.idle = now
	if c.write {
		r.writing--
	} else {
		r.reading--
	}
}

// fail marks the span as failed and names the error's type.
func (c *call) fail(kind string) attribute.KeyValue {
	c.span.SetStatus(codes.Error, "")
	return attribute.String(semconv.AttrErrorType, kind)
}

// liveRead sends a GET and records it as a read of the API.
func (r *reconcile) liveRead(next http.RoundTripper, req *http.Request, to target) (*http.Response, error) {
	c, _ := r.startCall(semconv.SpanFetch, semconv.SpanRead, trace.SpanKindClient)
	if c == nil {
		return next.RoundTrip(req)
	}
	c.span.SetAttributes(
		attribute.String(semconv.AttrReadSource, semconv.ReadAPI),
		attribute.String(semconv.AttrReadKind, to.resource.Resource))
	res, _, err := r.send(next, req, to, "")
	if failed := unanswered(res, err); failed != nil {
		c.end(c.fail(errorType(failed)))
		return res, err
	}
	watch(res, func(found scanned, err error) { c.endRead(res.StatusCode, found, err) })
	return res, nil
}

// errNoAnswer stands for an answer that a transport says is there and is not;
// net/http tells the client of it.
var errNoAnswer = errors.New("no answer")

// unanswered is the error of a request without an answer, nil where there is one.
func unanswered(res *http.Response, err error) error {
	if err == nil && res == nil {
		return errNoAnswer
	}
	return err
}

func (c *call) endRead(status int, found scanned, err error) {
	attrs := []attribute.KeyValue{attribute.Int(semconv.AttrHTTPStatus, status)}
	count := found.items
	if status/100 == 2 && count == 0 && found.uid != "" {
		count = 1
	}
	attrs = append(attrs, attribute.Int(semconv.AttrReadCount, count))
	if kind := word(found.kind); kind != "" && kind != "Status" {
		attrs = append(attrs, attribute.String(semconv.AttrReadKind, kind))
	}
	if failure := failureOf(status, found, err); failure != "" {
		attrs = append(attrs, c.fail(failure))
	}
	c.end(attrs...)
}

// failureOf is the error's type of an answer, empty for a good one.
func failureOf(status int, found scanned, err error) string {
	switch {
	case err != nil:
		return errorType(err)
	case status < 400:
		return ""
	case found.reason != "":
		return found.reason
	default:
		return strconv.Itoa(status)
	}
}

// watch has the body of an answer scanned while the client reads it.
func watch(res *http.Response, done func(scanned, error)) {
	if res.Body == nil || res.Body == http.NoBody {
		done(scanned{}, nil)
		return
	}
	body := &watchedBody{ReadCloser: res.Body, done: done}
	if res.Header.Get("Content-Encoding") == "" {
		body.scan = newScanner(res.Header.Get("Content-Type"))
	}
	res.Body = body
}

// peek scans a copy of a request's body for the object's identity, if there is
// one to be had.
func peek(req *http.Request) scanned {
	if req.GetBody == nil || req.ContentLength > maxPeek {
		return scanned{}
	}
	scan := newScanner(req.Header.Get("Content-Type"))
	if scan == nil {
		return scanned{}
	}
	if s, ok := scan.(*jsonScanner); ok {
		s.brief = true
	}
	body, err := req.GetBody()
	if err != nil {
		return scanned{}
	}
	defer body.Close()
	// Bodies in memory, as client-go's are, write themselves without a copy.
	if whole, ok := body.(io.WriterTo); ok && req.ContentLength > 0 {
		_, _ = whole.WriteTo(scan)
	} else {
		_, _ = io.CopyN(scan, body, maxPeek)
	}
	return scan.result()
}
