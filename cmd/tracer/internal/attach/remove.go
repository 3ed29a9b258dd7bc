package attach

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/reconcile-tracer/tracer/reconciler"
	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
)

// RemovalPermissions returns all that a removal asks for.
func RemovalPermissions() []Permission {
	return spread([]rule{
		{[]string{"list", "delete"}, podSets.because("removing the PodSets", Required)},
		{[]string{"list", "delete"}, pods.because("removing their Pods", Required)},
		{[]string{"get", "delete"}, crds.named(v1alpha1.CRDName).because("removing the CRD", Required)},
	})
}

// Removal is what goes: the CRD, every PodSet in the cluster, whoever made it,
// and the Pods that these own.
type Removal struct {
	// Installed says that the CRD is there. Without it there is nothing to remove.
	Installed bool
	// PodSets and Pods are namespace/name.
	PodSets, Pods []string

	config *rest.Config
	kube   kubernetes.Interface
	sets   *v1alpha1.Clientset
}

// Survey finds what there is to remove. It changes nothing.
func Survey(ctx context.Context, cfg *rest.Config) (*Removal, error) {
	r := &Removal{config: cfg}
	var err error
	if r.kube, err = kubernetes.NewForConfig(cfg); err != nil {
		return nil, fmt.Errorf("making a client: %w", err)
	}
	if r.sets, err = v1alpha1.NewClientset(cfg); err != nil {
		return nil, err
	}
	if r.Installed, err = installed(r.kube); err != nil || !r.Installed {
		return r, err
	}
	sets, err := r.sets.PodSets("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("listing PodSets: %w", err)
	}
	for _, set := range sets.Items {
		r.PodSets = append(r.PodSets, set.Namespace+"/"+set.Name)
	}
	pods, err := r.ownedPods(ctx)
	for _, pod := range pods {
		r.Pods = append(r.Pods, pod.Namespace+"/"+pod.Name)
	}
	return r, err
}

// installed says whether the API server serves PodSets.
func installed(client kubernetes.Interface) (bool, error) {
	served, err := client.Discovery().ServerResourcesForGroupVersion(v1alpha1.SchemeGroupVersion.String())
	switch {
	case apierrors.IsNotFound(err):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("asking whether PodSets are served: %w", err)
	}
	for _, resource := range served.APIResources {
		if resource.Name == v1alpha1.Resource {
			return true, nil
		}
	}
	return false, nil
}

// ownedPods are the Pods that a PodSet controls. The label alone is not enough:
// anybody may set it.
func (r *Removal) ownedPods(ctx context.Context) ([]corev1.Pod, error) {
	all, err := r.kube.CoreV1().Pods("").List(ctx, metav1.ListOptions{LabelSelector: v1alpha1.LabelPodSet})
	if err != nil {
		return nil, fmt.Errorf("listing Pods: %w", err)
	}
	var owned []corev1.Pod
	for _, pod := range all.Items {
		owner := metav1.GetControllerOf(&pod)
		if owner != nil && owner.Kind == v1alpha1.PodSetKind.Kind && owner.APIVersion == v1alpha1.SchemeGroupVersion.String() {
			owned = append(owned, pod)
		}
	}
	return owned, nil
}

// Run removes it all, and returns when nothing is left, which is bounded by ctx
// alone. The Pods are deleted here and not left to the garbage collector: it
// learns late that a kind is gone, and some clusters run none.
func (r *Removal) Run(ctx context.Context) error {
	if !r.Installed {
		return nil
	}
	if err := r.until(ctx, "the PodSets", r.removeSets); err != nil {
		return err
	}
	if err := r.until(ctx, "the Pods", r.removePods); err != nil {
		return err
	}
	if err := reconciler.Uninstall(ctx, r.config); err != nil {
		return err
	}
	return r.until(ctx, "the CRD", func(context.Context) (int, error) {
		still, err := installed(r.kube)
		if still {
			return 1, err
		}
		return 0, err
	})
}

// until repeats a removal until it finds nothing left.
func (r *Removal) until(ctx context.Context, what string, remove func(context.Context) (int, error)) error {
	left := 0
	err := wait.PollUntilContextCancel(ctx, 200*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		var err error
		left, err = remove(ctx)
		return left == 0, err
	})
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("removing %s: %d are left (finalizers of others may hold them; look with kubectl, then run this again): %w", what, left, context.Cause(ctx))
	}
	if err != nil {
		return fmt.Errorf("removing %s: %w", what, err)
	}
	return nil
}

func (r *Removal) removeSets(ctx context.Context) (int, error) {
	sets, err := r.sets.PodSets("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return 0, err
	}
	background := metav1.DeletePropagationBackground
	for _, set := range sets.Items {
		options := metav1.DeleteOptions{PropagationPolicy: &background}
		if err := r.sets.PodSets(set.Namespace).Delete(ctx, set.Name, options); err != nil && !apierrors.IsNotFound(err) {
			return 0, err
		}
	}
	return len(sets.Items), nil
}

func (r *Removal) removePods(ctx context.Context) (int, error) {
	pods, err := r.ownedPods(ctx)
	if err != nil {
		return 0, err
	}
	for _, pod := range pods {
		if pod.DeletionTimestamp != nil {
			continue // it is on its way
		}
		err := r.kube.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return 0, err
		}
	}
	return len(pods), nil
}
