package actions

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Error says what went wrong and what to do.
type Error struct {
	status int
	text   string
}

// Error returns the text.
func (e *Error) Error() string { return e.text }

// HTTPStatus returns the status to answer with, 4xx or 5xx.
func (e *Error) HTTPStatus() int { return e.status }

func bad(format string, args ...any) *Error {
	return &Error{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

// explain makes an Error of what the API server answered, or did not.
func (r request) explain(err error) error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	var answer apierrors.APIStatus
	if !errors.As(err, &answer) {
		return r.explainSilence(err)
	}
	status := int(answer.Status().Code)
	if status < 400 {
		status = http.StatusBadGateway
	}
	return &Error{status, r.words(err)}
}

func (r request) explainSilence(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return &Error{http.StatusGatewayTimeout, fmt.Sprintf("the API server did not answer within %v: see whether the cluster is up, and try again", timeout)}
	}
	return &Error{http.StatusServiceUnavailable, fmt.Sprintf("the API server cannot be reached: see whether the cluster is up, and try again: %v", err)}
}

func (r request) words(err error) string {
	switch {
	case apierrors.HasStatusCause(err, "NamespaceTerminating"):
		return fmt.Sprintf("namespace %s is being deleted: choose another one", r.namespace)
	case apierrors.IsNotFound(err):
		return r.missing(err)
	case apierrors.IsAlreadyExists(err):
		return fmt.Sprintf("PodSet %s exists already: choose another name, or delete it first", r)
	case apierrors.IsForbidden(err):
		return fmt.Sprintf("the page's account may not do this: give it the right, or use another kubeconfig: %v", err)
	case apierrors.IsConflict(err):
		return fmt.Sprintf("PodSet %s was changed at the same time: try again: %v", r, err)
	}
	return fmt.Sprintf("the API server refused: %v", err)
}

// missing says which of the things that an action needs is not there.
func (r request) missing(err error) string {
	var answer apierrors.APIStatus
	kind := ""
	if errors.As(err, &answer) && answer.Status().Details != nil {
		kind = answer.Status().Details.Kind
	}
	switch {
	case kind == "namespaces":
		return fmt.Sprintf("namespace %s does not exist: make it with kubectl create namespace %s, or choose another one", r.namespace, r.namespace)
	case apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse):
		return fmt.Sprintf("the API server knows no PodSets: install the CRD with tracer reconcile --install-crd: %v", err)
	}
	return fmt.Sprintf("PodSet %s does not exist: create it first: %v", r, err)
}
