package tracer

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/reconcile-tracer/tracer/tracer/control/wire"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// writeCall is one write under way.
type writeCall struct {
	*call
	own    *ownWrite
	sent   scanned
	method string
	dryRun bool
	// collection: it deletes what a selector finds.
	collection bool
	sub        bool // it is to a subresource
}

// write sends a request that changes something and records it.
func (r *reconcile) write(next http.RoundTripper, req *http.Request, to target) (*http.Response, error) {
	c, audit := r.startCall(semconv.SpanApply, semconv.SpanWrite, trace.SpanKindClient)
	if c == nil {
		return next.RoundTrip(req)
	}
	w := &writeCall{
		call: c, sent: peek(req), method: req.Method, dryRun: strings.Contains(req.URL.RawQuery, "dryRun=") && req.URL.Query().Get("dryRun") != "",
		collection: req.Method == http.MethodDelete && to.name == "", sub: to.subresource != "",
		own: &ownWrite{
			span: c.span.SpanContext(), resource: to.resource,
			namespace: to.namespace, name: to.name,
		},
	}
	w.describe(to, audit)
	w.own.began = time.Now()
	r.t.writes.start(w.own)
	res, fault, err := r.send(next, marked(req, audit, c.span.SpanContext()), to, w.sent.name)
	if fault != "" {
		w.span.SetAttributes(attribute.String(semconv.AttrWriteFault, fault))
	}
	wrote := func(what ...string) {
		r.wrote(req.Context().Done(), what, verbOf(req.Method, to), to.resource.Resource)
	}
	if failed := unanswered(res, err); failed != nil {
		w.end(w.fail(errorType(failed)))
		wrote(errorType(failed))
		return res, err
	}
	watch(res, func(found scanned, err error) {
		w.answered(res.StatusCode, found, err)
		wrote(cmp.Or(failureOf(res.StatusCode, found, err), wire.WriteOK), strconv.Itoa(res.StatusCode))
	})
	return res, nil
}

// marked is a copy of the request that carries the ids by which the API
// server's audit events and spans can be joined.
func marked(req *http.Request, audit string, span trace.SpanContext) *http.Request {
	out := req.WithContext(req.Context())
	out.Header = req.Header.Clone()
	if out.Header == nil {
		out.Header = http.Header{}
	}
	// In their canonical form, as Set would make them.
	ids := []string{audit, "00-" + span.TraceID().String() + "-" + span.SpanID().String() + "-01"}
	out.Header["Audit-Id"], out.Header["Traceparent"] = ids[:1:1], ids[1:]
	return out
}

// describe sets what is known before the request is sent.
func (w *writeCall) describe(to target, audit string) {
	name := to.name
	if name == "" {
		name = w.sent.name
	}
	attrs := append(make([]attribute.KeyValue, 0, 8),
		attribute.String(semconv.AttrHTTPMethod, w.method),
		attribute.String(semconv.AttrAuditID, audit),
		attribute.String(semconv.AttrWriteResource, to.resource.Resource))
	for _, a := range []struct{ key, value string }{
		{semconv.AttrWriteSubresource, to.subresource},
		{semconv.AttrWriteNamespace, to.namespace},
		{semconv.AttrWriteName, name},
		{semconv.AttrWriteUID, w.sent.uid},
		{semconv.AttrWriteResourceVersionOld, w.sent.version},
	} {
		if a.value != "" {
			attrs = append(attrs, attribute.String(a.key, a.value))
		}
	}
	w.span.SetAttributes(attrs...)
}

// answered records the answer when the client has read it.
func (w *writeCall) answered(status int, found scanned, err error) {
	attrs := []attribute.KeyValue{attribute.Int(semconv.AttrHTTPStatus, status)}
	failure := failureOf(status, found, err)
	switch {
	case failure != "" && status >= 400:
		if status != http.StatusGatewayTimeout { // else nobody knows whether it was made
			w.r.t.writes.failed(w.own)
		}
		attrs = append(attrs, w.fail(failure))
	case failure != "": // made, but what it made is not known
		attrs = append(attrs, w.fail(failure))
	default:
		attrs = append(attrs, w.succeeded(found)...)
		if status == http.StatusCreated && w.own.version != "" && w.own.uid != "" && !w.sub {
			attrs = append(attrs, attribute.Bool(semconv.AttrWriteOwned, found.owned))
		}
	}
	w.end(attrs...)
}

// succeeded notes what the write made and describes it.
func (w *writeCall) succeeded(found scanned) []attribute.KeyValue {
	own := w.own
	own.answered = time.Now()
	own.uid, own.version = found.uid, found.version
	if found.kind == "Status" {
		own.uid, own.version = found.goneUID, ""
		own.gone = w.method == http.MethodDelete
	}
	w.r.t.writes.name(own, found.name)
	if w.collection && found.kind != "" && found.kind != "Status" {
		w.r.t.writes.collected(own, found.objects)
		return []attribute.KeyValue{attribute.Bool(semconv.AttrWriteNoop, found.items == 0)}
	}
	noop := w.dryRun || (own.version != "" && (w.sent.version == own.version || w.r.hasRead(own.uid, own.version)))
	noop = w.r.t.writes.succeeded(own, noop)
	if w.method == http.MethodDelete && !own.gone && !w.dryRun {
		w.r.t.writes.deleting(own)
	}
	attrs := []attribute.KeyValue{attribute.Bool(semconv.AttrWriteNoop, noop)}
	if own.version != "" {
		attrs = append(attrs, attribute.String(semconv.AttrWriteResourceVersionNew, own.version))
	}
	if own.uid != "" {
		attrs = append(attrs, attribute.String(semconv.AttrWriteUID, own.uid))
	}
	if own.name != "" {
		attrs = append(attrs, attribute.String(semconv.AttrWriteName, own.name))
	}
	if len(found.fields) > 0 {
		attrs = append(attrs, attribute.StringSlice(semconv.AttrWriteFields, found.fields))
	}
	return attrs
}
