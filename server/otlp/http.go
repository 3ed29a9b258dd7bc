package otlp

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/reconcile-tracer/tracer/server/flow"
)

const (
	typeProto = "application/x-protobuf"
	typeJSON  = "application/json"
)

// Handler serves POST /v1/traces or /v1/logs, whichever kind says.
func (r *Receiver) Handler(kind Kind) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		mediaType, _, _ := mime.ParseMediaType(req.Header.Get("Content-Type"))
		asJSON := mediaType == typeJSON
		answer, err := r.serve(kind, req, mediaType, w)
		if err != nil {
			r.refused.Add(1)
			writeRefusal(w, err, asJSON)
			return
		}
		w.Header().Set("Content-Type", mediaType)
		_, _ = w.Write(answer)
	})
}

// httpError is a refusal for which HTTP has a status of its own.
type httpError struct {
	status int
	reason string
}

func (e *httpError) Error() string { return e.reason }

func (r *Receiver) serve(kind Kind, req *http.Request, mediaType string, w http.ResponseWriter) ([]byte, error) {
	if err := r.admit(req, mediaType); err != nil {
		return nil, err
	}
	wire, err := r.read(w, req)
	if err != nil {
		return nil, err
	}
	leave, err := enter(req.Context(), r.slots)
	if err != nil {
		return nil, err
	}
	defer leave()
	body, err := r.unpack(wire, req.Header.Get("Content-Encoding"))
	if err != nil {
		return nil, err
	}
	return r.accept(req.Context(), kind, body, mediaType == typeJSON)
}

// admit judges a request by its header alone. A browser sends Origin with each
// POST that a page makes: no page may forge spans, whatever it knows.
func (r *Receiver) admit(req *http.Request, mediaType string) error {
	switch {
	case len(req.Header.Values("Origin")) > 0:
		return &httpError{http.StatusForbidden, "a request with an Origin header comes from a web page: emitters send none"}
	case !r.cfg.Authorize(Bearer(req.Header.Get("Authorization"))):
		return &refusal{codes.Unauthenticated, "the Authorization header must be \"Bearer <ingest token>\": " +
			"set OTEL_EXPORTER_OTLP_HEADERS with the token in the file ingest-token of the hub's data folder, or that of --ingest-token"}
	case mediaType != typeProto && mediaType != typeJSON:
		return &httpError{http.StatusUnsupportedMediaType, fmt.Sprintf("Content-Type %q is not taken: use %s or %s",
			flow.Brief(mediaType), typeProto, typeJSON)}
	}
	return nil
}

// Bearer returns the token of an Authorization header, "" where there is none.
func Bearer(header string) string {
	scheme, token, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// readWithin bounds how long a whole body may take, however it trickles.
const readWithin = 30 * time.Second

// read reads a body as it is on the wire, up to the limit, from a sender that
// does not stall.
func (r *Receiver) read(w http.ResponseWriter, req *http.Request) ([]byte, error) {
	leave, err := enter(req.Context(), r.readers)
	if err != nil {
		return nil, err
	}
	defer leave()
	body := &patient{http.MaxBytesReader(w, req.Body, r.cfg.MaxWire), http.NewResponseController(w), r.cfg.Stall, time.Now().Add(readWithin)}
	data, err := io.ReadAll(body)
	if err != nil {
		return nil, r.readError(err)
	}
	// A request without a deadline may wait for the disk; the server sets the
	// next one's.
	_ = body.conn.SetReadDeadline(time.Time{})
	return data, nil
}

// patient reads as long as something comes within stall, until a time.
type patient struct {
	io.Reader
	conn  *http.ResponseController
	stall time.Duration
	until time.Time
}

// Read implements io.Reader. Not every connection has deadlines.
func (p *patient) Read(buf []byte) (int, error) {
	deadline := time.Now().Add(p.stall)
	if deadline.After(p.until) {
		deadline = p.until
	}
	_ = p.conn.SetReadDeadline(deadline)
	return p.Reader.Read(buf)
}

// unpack decompresses a body, stopping at the limit: nothing past it is ever in
// memory.
func (r *Receiver) unpack(wire []byte, encoding string) ([]byte, error) {
	var body io.Reader = bytes.NewReader(wire)
	switch strings.ToLower(encoding) {
	case "", "identity":
	case "gzip":
		zip, err := gzip.NewReader(body)
		if err != nil {
			return nil, r.readError(err)
		}
		body = zip
	default:
		return nil, &httpError{http.StatusUnsupportedMediaType,
			fmt.Sprintf("Content-Encoding %q is not taken: use gzip or none", flow.Brief(encoding))}
	}
	data, err := io.ReadAll(io.LimitReader(body, r.cfg.MaxBody+1))
	if err != nil {
		return nil, r.readError(err)
	}
	if int64(len(data)) > r.cfg.MaxBody {
		return nil, r.tooLarge("decompressed", r.cfg.MaxBody)
	}
	return data, nil
}

func (r *Receiver) readError(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return r.tooLarge("sent", r.cfg.MaxWire)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return errSlow
	}
	return &refusal{codes.InvalidArgument, fmt.Sprintf("reading the body: %v: nothing was stored", err)}
}

func (r *Receiver) tooLarge(how string, limit int64) error {
	return &httpError{http.StatusRequestEntityTooLarge,
		fmt.Sprintf("the body is over the limit of %d bytes as %s: send smaller batches", limit, how)}
}

// writeRefusal answers as the protocol wants it: a google.rpc.Status in the
// encoding of the request, and Retry-After where trying again helps.
func writeRefusal(w http.ResponseWriter, err error, asJSON bool) {
	code, httpStatus := codes.InvalidArgument, 0
	var he *httpError
	if errors.As(err, &he) {
		httpStatus = he.status
	} else {
		code = asRefusal(err).code
		httpStatus = statusOf(code)
	}
	if code == codes.ResourceExhausted || code == codes.Unavailable {
		w.Header().Set("Retry-After", "1")
	}
	if code == codes.Unauthenticated {
		w.Header().Set("WWW-Authenticate", `Bearer realm="tracer ingest"`)
	}
	message := status.New(code, legible(err.Error())).Proto()
	body, contentType := []byte(nil), typeProto
	if asJSON {
		body, _ = protojson.Marshal(message)
		contentType = typeJSON
	} else {
		body, _ = proto.Marshal(message)
	}
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(httpStatus)
	_, _ = w.Write(body)
}

// legible makes of a reason that quotes a sender's bytes one that can be sent.
func legible(reason string) string { return strings.ToValidUTF8(reason, "\uFFFD") }

func statusOf(code codes.Code) int {
	switch code {
	case codes.InvalidArgument:
		return http.StatusBadRequest
	case codes.Unauthenticated:
		return http.StatusUnauthorized
	case codes.ResourceExhausted:
		return http.StatusTooManyRequests
	case codes.Unavailable:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}
