package reconciler

import (
	"context"
	"fmt"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
)

// permission is one thing that the controller must be allowed to do.
type permission struct {
	group, resource, subresource string
	verbs                        []string
}

func (p permission) String() string {
	name := p.resource
	if p.group != "" {
		name += "." + p.group
	}
	if p.subresource != "" {
		name += "/" + p.subresource
	}
	return name
}

// permissions are those that rbac.yaml in package deploy grants for work.
var permissions = []permission{
	{v1alpha1.GroupName, v1alpha1.Resource, "", []string{"list", "watch"}},
	{v1alpha1.GroupName, v1alpha1.Resource, "status", []string{"update"}},
	{corev1.GroupName, "pods", "", []string{"list", "watch", "create", "delete"}},
}

// checkAccess returns an error that says which verb on which resource is not
// allowed. Without it an informer would try again for ever, silently.
func checkAccess(ctx context.Context, client kubernetes.Interface, namespace string, needs []permission) error {
	var missing []string
	for _, p := range needs {
		for _, verb := range p.verbs {
			ok, err := allowed(ctx, client, namespace, p, verb)
			if err != nil {
				return fmt.Errorf("asking the API server what this account may do: %w", explain(err))
			}
			if !ok {
				missing = append(missing, verb+" "+p.String())
			}
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("forbidden: this account may not %s%s: bind it to the rules in deploy/rbac.yaml, or use another one",
		strings.Join(missing, ", "), inNamespace(namespace))
}

func allowed(ctx context.Context, client kubernetes.Interface, namespace string, p permission, verb string) (bool, error) {
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Namespace: namespace, Verb: verb, Group: p.group, Resource: p.resource, Subresource: p.subresource,
		},
	}}
	answer, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return false, err
	}
	return answer.Status.Allowed, nil
}

func inNamespace(namespace string) string {
	if namespace == "" {
		return " in all namespaces"
	}
	return " in namespace " + namespace
}

// checkServed returns ErrNoCRD when the API server does not know PodSets.
func checkServed(ctx context.Context, sets *v1alpha1.Client) error {
	_, err := sets.List(ctx, metav1.ListOptions{Limit: 1})
	switch {
	case apierrors.IsNotFound(err):
		return ErrNoCRD
	case err != nil:
		return fmt.Errorf("listing PodSets: %w", explain(err))
	}
	return nil
}
