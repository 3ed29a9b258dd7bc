package reconciler

import (
	"bytes"
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/reconcile-tracer/tracer/deploy"
	"github.com/reconcile-tracer/tracer/internal/clustertest"
	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
)

// The rules in deploy/rbac.yaml are enough for everything that the controller
// does, leader election and owner references that block deletion included.
func TestTheRulesSuffice(t *testing.T) {
	b := newBench(t)
	for _, document := range bytes.Split(deploy.RBAC, []byte("\n---\n")) {
		obj, _, err := scheme.Codecs.UniversalDeserializer().Decode(document, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := createObject(t.Context(), b.kube, obj); err != nil && !apierrors.IsAlreadyExists(err) {
			t.Fatal(err)
		}
	}
	o := b.candidate("with-few-rights")
	o.LeaderElection.Namespace = "tracer"
	o.Config.Impersonate = rest.ImpersonationConfig{
		UserName: "system:serviceaccount:tracer:tracer-reconciler",
		Groups:   []string{"system:serviceaccounts", "system:serviceaccounts:tracer", "system:authenticated"},
	}
	b.start(o)
	b.create("web", 2)
	b.settled("web", 2)
	b.scale("web", 1)
	b.settled("web", 1)
	clustertest.Eventually(t, "an event was recorded", func(ctx context.Context) bool {
		events, err := b.kube.CoreV1().Events(b.namespace).List(ctx, metav1.ListOptions{FieldSelector: "reason=SuccessfulDelete"})
		return err == nil && len(events.Items) > 0
	})
}

func createObject(ctx context.Context, client kubernetes.Interface, obj runtime.Object) error {
	var err error
	switch o := obj.(type) {
	case *corev1.Namespace:
		_, err = client.CoreV1().Namespaces().Create(ctx, o, metav1.CreateOptions{})
	case *corev1.ServiceAccount:
		_, err = client.CoreV1().ServiceAccounts(o.Namespace).Create(ctx, o, metav1.CreateOptions{})
	case *rbacv1.ClusterRole:
		_, err = client.RbacV1().ClusterRoles().Create(ctx, o, metav1.CreateOptions{})
	case *rbacv1.ClusterRoleBinding:
		_, err = client.RbacV1().ClusterRoleBindings().Create(ctx, o, metav1.CreateOptions{})
	case *rbacv1.Role:
		_, err = client.RbacV1().Roles(o.Namespace).Create(ctx, o, metav1.CreateOptions{})
	case *rbacv1.RoleBinding:
		_, err = client.RbacV1().RoleBindings(o.Namespace).Create(ctx, o, metav1.CreateOptions{})
	default:
		panic("a kind that this test does not know")
	}
	return err
}

func TestTheSampleRuns(t *testing.T) {
	b := newBench(t)
	b.start(b.options())
	sample := &v1alpha1.PodSet{}
	if err := yaml.UnmarshalStrict(deploy.Sample, sample); err != nil {
		t.Fatal(err)
	}
	sample.Namespace = b.namespace
	if _, err := b.sets.Create(t.Context(), sample, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	b.settled(sample.Name, *sample.Spec.Replicas)
}
