package actions

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
)

const (
	// image sleeps; on fake nodes it is not even pulled.
	image = "busybox:1.37"
	// labelRevision counts the changes of a template.
	labelRevision = "revision"
)

func (a *Actions) create(ctx context.Context, r request) (string, error) {
	set := &v1alpha1.PodSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: r.namespace, Name: r.name},
		Spec:       v1alpha1.PodSetSpec{Replicas: &r.replicas, Template: template(r.name)},
	}
	_, err := a.sets.PodSets(r.namespace).Create(ctx, set, metav1.CreateOptions{FieldManager: Manager})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("created PodSet %s with %d replicas", r, r.replicas), nil
}

func template(name string) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": name, labelRevision: "1"}},
		Spec: corev1.PodSpec{
			TerminationGracePeriodSeconds: ptr.To(int64(1)),
			Containers:                    []corev1.Container{{Name: "sleep", Image: image, Command: []string{"sleep", "infinity"}}},
		},
	}
}

func (a *Actions) scale(ctx context.Context, r request) (string, error) {
	before, err := a.get(ctx, r)
	if err != nil {
		return "", err
	}
	from := replicasOf(before)
	if from == r.replicas {
		return fmt.Sprintf("PodSet %s has %d replicas already: nothing was changed", r, from), nil
	}
	if _, err := a.setReplicas(ctx, r, r.replicas); err != nil {
		return "", err
	}
	return fmt.Sprintf("scaled PodSet %s from %d to %d", r, from, r.replicas), nil
}

// deletePod deletes one Pod behind the controller's back.
func (a *Actions) deletePod(ctx context.Context, r request) (string, error) {
	set, err := a.get(ctx, r)
	if err != nil {
		return "", err
	}
	pods, err := a.kube.CoreV1().Pods(r.namespace).List(ctx, metav1.ListOptions{LabelSelector: v1alpha1.LabelPodSet + "=" + r.name})
	if err != nil {
		return "", err
	}
	for _, pod := range pods.Items {
		if pod.DeletionTimestamp != nil || !metav1.IsControlledBy(&pod, set) {
			continue
		}
		options := metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(pod.UID))}
		if err := a.kube.CoreV1().Pods(r.namespace).Delete(ctx, pod.Name, options); err != nil {
			return "", err
		}
		return fmt.Sprintf("deleted Pod %s of PodSet %s", pod.Name, r), nil
	}
	return "", &Error{http.StatusConflict, fmt.Sprintf("PodSet %s has no Pod that could be deleted: scale it up, or wait for its Pods", r)}
}

// changeTemplate raises a label of the template, so that every Pod is of an
// older one.
func (a *Actions) changeTemplate(ctx context.Context, r request) (string, error) {
	set, err := a.get(ctx, r)
	if err != nil {
		return "", err
	}
	revision := nextRevision(set)
	labels := map[string]any{labelRevision: revision}
	_, err = a.patch(ctx, r, object{"spec": object{"template": object{"metadata": object{"labels": labels}}}})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("changed the template of PodSet %s to revision %s", r, revision), nil
}

// nextRevision is 2 for a template without a number.
func nextRevision(set *v1alpha1.PodSet) string {
	n, err := strconv.Atoi(set.Spec.Template.Labels[labelRevision])
	if err != nil {
		n = 1
	}
	return strconv.Itoa(n + 1)
}

func (a *Actions) delete(ctx context.Context, r request) (string, error) {
	policy := metav1.DeletePropagationBackground
	err := a.sets.PodSets(r.namespace).Delete(ctx, r.name, metav1.DeleteOptions{PropagationPolicy: &policy})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("deleted PodSet %s; the garbage collector deletes its Pods", r), nil
}

func (a *Actions) get(ctx context.Context, r request) (*v1alpha1.PodSet, error) {
	return a.sets.PodSets(r.namespace).Get(ctx, r.name, metav1.GetOptions{})
}

func (a *Actions) setReplicas(ctx context.Context, r request, n int32) (*v1alpha1.PodSet, error) {
	return a.patch(ctx, r, object{"spec": object{"replicas": n}})
}

// object is a JSON object.
type object = map[string]any

// patch changes only what it names, on whatever version there is.
func (a *Actions) patch(ctx context.Context, r request, change object) (*v1alpha1.PodSet, error) {
	body, err := json.Marshal(change)
	if err != nil {
		return nil, fmt.Errorf("encoding the patch: %w", err)
	}
	return a.sets.PodSets(r.namespace).Patch(ctx, r.name, types.MergePatchType, body, metav1.PatchOptions{FieldManager: Manager})
}

func replicasOf(set *v1alpha1.PodSet) int32 {
	return ptr.Deref(set.Spec.Replicas, 1)
}
