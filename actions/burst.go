package actions

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
)

const (
	// annotationTouched is what the conflict action writes, and takes away.
	annotationTouched = v1alpha1.GroupName + "/touched"
	// touches is how many quick edits are to get between the controller's
	// read and its write: enough for it to meet a 409, and few enough that one
	// can follow what it does then.
	touches = 4
	// turn is the number of replicas from which bursts go down instead of up.
	turn = 8
)

// fiveEdits changes spec.replicas five times as fast as the API server allows.
func (a *Actions) fiveEdits(ctx context.Context, r request) (string, error) {
	set, err := a.get(ctx, r)
	if err != nil {
		return "", err
	}
	before := replicasOf(set)
	var values, versions []string
	for _, n := range fiveValues(before) {
		set, err := a.setReplicas(ctx, r, n)
		if err != nil {
			return "", err
		}
		values = append(values, fmt.Sprint(n))
		versions = append(versions, set.ResourceVersion)
	}
	return fmt.Sprintf("edited PodSet %s five times: replicas %d → %s (resourceVersions %s)",
		r, before, strings.Join(values, " → "), strings.Join(versions, ", ")), nil
}

// fiveValues go up and down, and end one away from n.
func fiveValues(n int32) []int32 {
	one := oneAway(n) - n
	return []int32{n + one, n + 2*one, n + one, n + 2*one, n + one}
}

// oneAway returns a neighbour of n, so that bursts stay between a few Pods and
// not too many.
func oneAway(n int32) int32 {
	if n >= turn {
		return n - 1
	}
	return n + 1
}

// conflict writes over a version that is no longer the newest, which the API
// server refuses, and then tries to bring the controller into the same
// position.
func (a *Actions) conflict(ctx context.Context, r request) (string, error) {
	old, err := a.get(ctx, r)
	if err != nil {
		return "", err
	}
	if _, err := a.touch(ctx, r, "1"); err != nil {
		return "", err
	}
	refusal, err := a.writeOver(ctx, old)
	if err != nil {
		return "", err
	}
	from, to, err := a.provoke(ctx, r, old)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s's second write on resourceVersion %s was answered %d %s; then scaled PodSet %s from %d to %d amid quick edits",
		Manager, old.ResourceVersion, refusal.Code, refusal.Reason, r, from, to), nil
}

// writeOver updates the PodSet from an old version, and returns the refusal.
func (a *Actions) writeOver(ctx context.Context, old *v1alpha1.PodSet) (metav1.Status, error) {
	stale := old.DeepCopy()
	metav1.SetMetaDataAnnotation(&stale.ObjectMeta, annotationTouched, "stale")
	_, err := a.sets.PodSets(old.Namespace).Update(ctx, stale, metav1.UpdateOptions{FieldManager: Manager})
	var answer apierrors.APIStatus
	if apierrors.IsConflict(err) && errors.As(err, &answer) {
		return answer.Status(), nil
	}
	if err == nil {
		err = &Error{http.StatusBadGateway, "the API server took a write on an old resourceVersion: it should have answered 409"}
	}
	return metav1.Status{}, err
}

// provoke makes the controller write a status while the version moves on.
func (a *Actions) provoke(ctx context.Context, r request, set *v1alpha1.PodSet) (from, to int32, err error) {
	from = replicasOf(set)
	to = oneAway(from)
	if _, err := a.setReplicas(ctx, r, to); err != nil {
		return from, to, err
	}
	for i := range touches {
		if _, err := a.touch(ctx, r, fmt.Sprint(i+2)); err != nil {
			return from, to, err
		}
	}
	_, err = a.touch(ctx, r, nil)
	return from, to, err
}

// touch sets the annotation, or takes it away when value is nil.
func (a *Actions) touch(ctx context.Context, r request, value any) (*v1alpha1.PodSet, error) {
	return a.patch(ctx, r, object{"metadata": object{"annotations": object{annotationTouched: value}}})
}
