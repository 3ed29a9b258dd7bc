package cluster

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"

	"github.com/reconcile-tracer/tracer/lessons/format"
)

// saved is an object as it was before a beat.
type saved struct {
	ref
	object *unstructured.Unstructured
}

// Save remembers how the lesson's objects are, before a beat acts.
func (r *Run) Save(ctx context.Context, beat int) error {
	var all []saved
	for _, o := range r.made {
		object, err := r.objects(o.kind).Get(ctx, o.name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("remembering %s %s: %w", o.kind, o.name, explain(err))
		}
		all = append(all, saved{o, object})
	}
	r.saved[beat] = all
	return nil
}

// Undo makes the lesson's objects as they were when beat was saved: what has
// come is deleted, what has gone is made anew, and what has changed is set
// back. Of what it does not know it changes nothing.
func (r *Run) Undo(ctx context.Context, beat int) error {
	was, known := r.saved[beat]
	if !known {
		return nil
	}
	for _, o := range slices.Clone(r.made) {
		if slices.ContainsFunc(was, func(s saved) bool { return s.ref == o }) {
			continue
		}
		r.releaseFinalizers(ctx, o)
		if err := r.delete(ctx, o, ""); err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("deleting %s %s: %w", o.kind, o.name, explain(err))
		}
		r.made = slices.DeleteFunc(r.made, func(m ref) bool { return m == o })
	}
	for _, s := range was {
		if err := r.restore(ctx, s); err != nil {
			return fmt.Errorf("setting %s %s back: %w", s.kind, s.name, explain(err))
		}
	}
	return nil
}

// restore sets spec, labels, annotations and finalizers back; the status is the
// controller's.
func (r *Run) restore(ctx context.Context, s saved) error {
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		now, err := r.objects(s.kind).Get(ctx, s.name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return r.makeAnew(ctx, s)
		}
		if err != nil {
			return err
		}
		setBack(now, s.object)
		_, err = r.objects(s.kind).Update(ctx, now, metav1.UpdateOptions{FieldManager: Manager})
		return err
	})
}

func (r *Run) makeAnew(ctx context.Context, s saved) error {
	fresh := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": s.object.GetAPIVersion(), "kind": s.object.GetKind(), "metadata": map[string]any{"name": s.name},
	}}
	setBack(fresh, s.object)
	_, err := r.objects(s.kind).Create(ctx, fresh, metav1.CreateOptions{FieldManager: Manager})
	return err
}

func setBack(to, was *unstructured.Unstructured) {
	to.SetLabels(was.GetLabels())
	to.SetAnnotations(was.GetAnnotations())
	to.SetFinalizers(was.GetFinalizers())
	for _, field := range []string{"spec", "data"} {
		if v, there := was.Object[field]; there {
			to.Object[field] = v
		}
	}
}

// releaseFinalizers lets an object go that a lesson has put a finalizer on. It
// does its best: what cannot be changed now is seen when the namespace stays.
func (r *Run) releaseFinalizers(ctx context.Context, o ref) {
	if object, err := r.objects(o.kind).Get(ctx, o.name, metav1.GetOptions{}); err == nil {
		r.letGo(ctx, o.kind, object)
	}
}

// releaseAll lets every object in a namespace go that a lesson can have put a
// finalizer on.
func (c *Cluster) releaseAll(ctx context.Context, namespace string) {
	for _, kind := range format.Kinds() {
		all, err := c.objectsIn(namespace, kind).List(ctx, metav1.ListOptions{})
		if err != nil {
			continue // the kind is not there, or what stays is tried again
		}
		for i := range all.Items {
			c.letGo(ctx, kind, &all.Items[i])
		}
	}
}

func (c *Cluster) letGo(ctx context.Context, kind string, object *unstructured.Unstructured) {
	if len(object.GetFinalizers()) == 0 {
		return
	}
	// With the UID it is this object or none, whatever its version is.
	change := fmt.Sprintf(`{"metadata":{"uid":%q,"finalizers":null}}`, object.GetUID())
	_, _ = c.objectsIn(object.GetNamespace(), kind).Patch(ctx, object.GetName(), types.MergePatchType, []byte(change), metav1.PatchOptions{FieldManager: Manager})
}
