package reconciler

import (
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
)

// ErrNoCRD is what Run returns when the cluster does not know PodSets.
var ErrNoCRD = errors.New("the API server does not serve " + v1alpha1.CRDName +
	": install the CRD with --install-crd, or apply deploy/crd")

// explain adds the remedy to an API error where there is a common one.
func explain(err error) error {
	switch {
	case apierrors.IsUnauthorized(err):
		return fmt.Errorf("the API server does not accept these credentials: get a new kubeconfig: %w", err)
	case apierrors.IsForbidden(err):
		return fmt.Errorf("%w: bind the account to the rules in deploy/rbac.yaml, or use another one", err)
	}
	return err
}
