package cluster

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reconcile-tracer/tracer/lessons/format"
)

// explainAction says what was done to what, why it failed, and the remedy.
func (r *Run) explainAction(a format.Action, err error) error {
	switch {
	case apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse):
		return fmt.Errorf("%s %s: the API server knows no %s: install its CRD, for PodSets with tracer reconcile --install-crd: %w", a.Verb, nameOf(a), a.Kind, err)
	case apierrors.IsNotFound(err):
		return fmt.Errorf("%s %s: there is none in namespace %s: apply it in an earlier beat, or mend the name: %w", a.Verb, nameOf(a), r.Namespace, err)
	}
	return fmt.Errorf("%s %s: %w", a.Verb, nameOf(a), explain(err))
}

// explain adds the remedy where there is a common one.
func explain(err error) error {
	var answer apierrors.APIStatus
	switch {
	case apierrors.IsForbidden(err):
		return fmt.Errorf("%w: give the account the right, or use another kubeconfig", err)
	case apierrors.IsInvalid(err), apierrors.IsBadRequest(err):
		return fmt.Errorf("%w: mend the object in the lesson", err)
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("it was interrupted: %w", err)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("the API server did not answer in time: see whether the cluster is up: %w", err)
	case !errors.As(err, &answer):
		return fmt.Errorf("%w: see whether the cluster is up", err)
	}
	return err
}
