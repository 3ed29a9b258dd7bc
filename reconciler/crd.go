package reconciler

import (
	"context"
	"errors"
	"fmt"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/typed/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/yaml"

	"github.com/reconcile-tracer/tracer/deploy"
	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
)

// establishedTimeout bounds the wait for the API server to serve PodSets.
const establishedTimeout = 30 * time.Second

// InstallCRD creates the CustomResourceDefinition of PodSets, or brings an
// older one up to date, and returns when the API server serves PodSets, at
// most 30 s later. It may be called at any time, by several at once.
func InstallCRD(ctx context.Context, cfg *rest.Config) error {
	client, err := apiextensions.NewForConfig(ownConfig(cfg))
	if err != nil {
		return fmt.Errorf("making a client for CustomResourceDefinitions: %w", err)
	}
	crds := client.CustomResourceDefinitions()
	if err := applyCRD(ctx, crds); err != nil {
		return fmt.Errorf("installing the CRD %s: %w", v1alpha1.CRDName, explain(err))
	}
	if err := waitEstablished(ctx, crds); err != nil {
		return fmt.Errorf("waiting for the CRD %s: %w", v1alpha1.CRDName, err)
	}
	return waitServed(ctx, cfg)
}

// Uninstall deletes the CustomResourceDefinition, and with it every PodSet in
// the cluster. It is no error when there is none.
func Uninstall(ctx context.Context, cfg *rest.Config) error {
	client, err := apiextensions.NewForConfig(ownConfig(cfg))
	if err != nil {
		return fmt.Errorf("making a client for CustomResourceDefinitions: %w", err)
	}
	err = client.CustomResourceDefinitions().Delete(ctx, v1alpha1.CRDName, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("deleting the CRD %s: %w", v1alpha1.CRDName, explain(err))
	}
	return nil
}

// applyCRD tries again where another process was faster.
func applyCRD(ctx context.Context, crds apiextensions.CustomResourceDefinitionInterface) error {
	want := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(deploy.CRD, want); err != nil {
		return fmt.Errorf("reading the embedded CRD: %w", err)
	}
	options := metav1.UpdateOptions{FieldManager: ControllerName}
	return retry.OnError(retry.DefaultRetry, raced, func() error {
		have, err := crds.Get(ctx, want.Name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			_, err = crds.Create(ctx, want, metav1.CreateOptions{FieldManager: ControllerName})
			return err
		}
		if err != nil {
			return err
		}
		have.Spec = want.Spec
		_, err = crds.Update(ctx, have, options)
		return err
	})
}

func raced(err error) bool {
	return apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err)
}

func waitEstablished(ctx context.Context, crds apiextensions.CustomResourceDefinitionInterface) error {
	return wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, establishedTimeout, true, func(ctx context.Context) (bool, error) {
		crd, err := crds.Get(ctx, v1alpha1.CRDName, metav1.GetOptions{})
		if err != nil {
			return false, explain(err)
		}
		return established(crd)
	})
}

// waitServed waits for what follows Established after a moment: that requests
// for PodSets are answered.
func waitServed(ctx context.Context, cfg *rest.Config) error {
	client, err := v1alpha1.NewClientset(ownConfig(cfg))
	if err != nil {
		return err
	}
	err = wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, establishedTimeout, true, func(ctx context.Context) (bool, error) {
		// Any other error, of a missing permission say, is an answer too.
		return !errors.Is(checkServed(ctx, client.PodSets("")), ErrNoCRD), nil
	})
	if err != nil {
		return fmt.Errorf("waiting until %s is served: %w", v1alpha1.CRDName, err)
	}
	return nil
}

func established(crd *apiextensionsv1.CustomResourceDefinition) (bool, error) {
	for _, c := range crd.Status.Conditions {
		switch {
		case c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue:
			return true, nil
		case c.Type == apiextensionsv1.NamesAccepted && c.Status == apiextensionsv1.ConditionFalse:
			return false, fmt.Errorf("its names are taken by another definition: %s: delete that one first", c.Message)
		}
	}
	return false, nil
}
