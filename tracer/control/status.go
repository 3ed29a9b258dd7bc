package control

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reconcile-tracer/tracer/tracer/control/wire"
)

// HeaderFault stands on an answer that no API server gave, and names the fault.
const HeaderFault = "Tracer-Fault"

// retryAfter is what a 429 asks for, in seconds: the least that can be said.
const retryAfter = 1

// What the API server says in these cases, word for word.
const (
	textConflict = "the object has been modified; please apply your changes to the latest version and try again"
	textTooMany  = "the server has received too many requests and has asked us to try again later"
	textTimeout  = "request did not complete within requested timeout - context deadline exceeded"
	textInternal = "etcdserver: request timed out"
)

// refusal is an answer as the API server writes it: a Status in JSON.
func refusal(fault string, req *http.Request, r Request) *http.Response {
	status := statusOf(fault, r)
	status.Kind, status.APIVersion = "Status", "v1"
	body, err := json.Marshal(status)
	if err != nil { // it has nothing in it that cannot be written
		body = nil
	}
	res := &http.Response{
		StatusCode: int(status.Code), Status: strconv.Itoa(int(status.Code)) + " " + http.StatusText(int(status.Code)),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}, HeaderFault: {fault}, "Cache-Control": {"no-cache, private"}},
		Body:   io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: req,
	}
	if fault == wire.Fault429 {
		res.Header.Set("Retry-After", strconv.Itoa(retryAfter))
	}
	return res
}

func statusOf(fault string, r Request) metav1.Status {
	switch {
	case fault == wire.Fault409 && r.Verb == "create":
		return apierrors.NewAlreadyExists(r.Resource, r.Name).Status()
	case fault == wire.Fault409:
		return apierrors.NewConflict(r.Resource, r.Name, errors.New(textConflict)).Status()
	case fault == wire.Fault429:
		return apierrors.NewTooManyRequests(textTooMany, retryAfter).Status()
	case fault == wire.Fault500:
		return apierrors.NewInternalError(errors.New(textInternal)).Status()
	}
	return apierrors.NewTimeoutError(textTimeout, 0).Status()
}
