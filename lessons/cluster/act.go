package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"

	"github.com/reconcile-tracer/tracer/lessons/format"
)

// Do does one action, which is none of control, and says in a sentence what
// was done. The error names the object and the remedy.
func (r *Run) Do(ctx context.Context, a format.Action) (string, error) {
	did, err := r.do(ctx, a)
	if a.Refused != "" {
		return r.refused(a, err)
	}
	if err != nil {
		return "", r.explainAction(a, err)
	}
	return did, nil
}

func (r *Run) do(ctx context.Context, a format.Action) (string, error) {
	switch a.Verb {
	case format.DoApply:
		return r.apply(ctx, a)
	case format.DoCreate:
		return r.create(ctx, a)
	case format.DoEdit:
		return r.edit(ctx, a)
	case format.DoScale:
		_, err := r.patch(ctx, a, []string{"spec", "replicas"}, a.Values[0], "scale")
		return fmt.Sprintf("scaled %s to %v", nameOf(a), a.Values[0]), err
	case format.DoDelete:
		return "deleted " + nameOf(a), r.delete(ctx, ref{a.Kind, a.Name}, "")
	case format.DoDeleteChild:
		return r.deleteChild(ctx, a)
	case format.DoWriteOld:
		return r.writeOld(ctx, a)
	}
	return "", fmt.Errorf("action %q is not done to a cluster", a.Verb)
}

func nameOf(a format.Action) string { return a.Kind + " " + a.Name }

// refused checks that the API server refused what it was to refuse.
func (r *Run) refused(a format.Action, err error) (string, error) {
	switch reason := string(apierrors.ReasonForError(err)); {
	case err == nil:
		return "", fmt.Errorf("%s was taken, and was to be refused as %s: mend the beat", requestOf(a), a.Refused)
	case reason != a.Refused:
		return "", r.explainAction(a, err)
	}
	var answer apierrors.APIStatus
	errors.As(err, &answer)
	return fmt.Sprintf("%s was refused (%d %s)", requestOf(a), answer.Status().Code, a.Refused), nil
}

// requestOf says what an action sends last: "a create of ConfigMap a".
func requestOf(a format.Action) string {
	switch a.Verb {
	case format.DoApply, format.DoEdit:
		return "an " + a.Verb + " of " + nameOf(a)
	case format.DoDeleteChild:
		return "a delete of a " + a.Child + " of " + nameOf(a)
	case format.DoWriteOld:
		return "a write with an old version of " + nameOf(a)
	}
	return "a " + a.Verb + " of " + nameOf(a)
}

func (r *Run) apply(ctx context.Context, a format.Action) (string, error) {
	object := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(a.Manifest)}
	object.SetNamespace(r.Namespace)
	r.remember(a)
	_, err := r.objects(a.Kind).Apply(ctx, a.Name, object, metav1.ApplyOptions{FieldManager: Manager, Force: true})
	return "applied " + nameOf(a), err
}

func (r *Run) create(ctx context.Context, a format.Action) (string, error) {
	object := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(a.Manifest)}
	object.SetNamespace(r.Namespace)
	r.remember(a)
	_, err := r.objects(a.Kind).Create(ctx, object, metav1.CreateOptions{FieldManager: Manager})
	return "created " + nameOf(a), err
}

func (r *Run) remember(a format.Action) {
	if made := (ref{a.Kind, a.Name}); !slices.Contains(r.made, made) {
		r.made = append(r.made, made)
	}
}

func (r *Run) edit(ctx context.Context, a format.Action) (string, error) {
	var values, versions []string
	for _, v := range a.Values {
		now, err := r.patch(ctx, a, a.Path, v)
		if err != nil {
			return "", err
		}
		values, versions = append(values, setTo(v)), append(versions, now.GetResourceVersion())
	}
	return fmt.Sprintf("set %s of %s to %s (resourceVersion %s)", strings.Join(a.Path, "."), nameOf(a), strings.Join(values, ", then "), strings.Join(versions, ", ")), nil
}

// setTo says a value; null takes the field away.
func setTo(value any) string {
	if value == nil {
		return "nothing"
	}
	return fmt.Sprint(value)
}

// patch changes one field on whatever version there is.
func (r *Run) patch(ctx context.Context, a format.Action, path []string, value any, subresource ...string) (*unstructured.Unstructured, error) {
	body, err := json.Marshal(nest(path, value))
	if err != nil {
		return nil, fmt.Errorf("encoding the patch: %w", err)
	}
	return r.objects(a.Kind).Patch(ctx, a.Name, types.MergePatchType, body, metav1.PatchOptions{FieldManager: Manager}, subresource...)
}

func nest(path []string, value any) any {
	for _, name := range slices.Backward(path) {
		value = map[string]any{name: value}
	}
	return value
}

// delete deletes an object; uid is "" for whichever has the name.
func (r *Run) delete(ctx context.Context, o ref, uid string) error {
	policy := metav1.DeletePropagationBackground
	options := metav1.DeleteOptions{PropagationPolicy: &policy}
	if uid != "" {
		options.Preconditions = metav1.NewUIDPreconditions(uid)
	}
	return r.objects(o.kind).Delete(ctx, o.name, options)
}

// deleteChild deletes, of the objects that the owner controls, the one whose
// name comes first.
func (r *Run) deleteChild(ctx context.Context, a format.Action) (string, error) {
	owner, err := r.objects(a.Kind).Get(ctx, a.Name, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	all, err := r.objects(a.Child).List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	children := map[string]string{}
	for i := range all.Items {
		if o := &all.Items[i]; o.GetDeletionTimestamp() == nil && metav1.IsControlledBy(o, owner) {
			children[o.GetName()] = string(o.GetUID())
		}
	}
	for _, name := range slices.Sorted(maps.Keys(children)) {
		return fmt.Sprintf("deleted %s %s of %s", a.Child, name, nameOf(a)), r.delete(ctx, ref{a.Child, name}, children[name])
	}
	return "", fmt.Errorf("it controls no %s that could be deleted: let an earlier beat wait for one", a.Child)
}

// writeOld lets two writers meet: both read one version of the object, and both
// send it back whole, each with another value.
func (r *Run) writeOld(ctx context.Context, a format.Action) (string, error) {
	var old *unstructured.Unstructured
	// Somebody else may write between the read and the first write.
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() (err error) {
		if old, err = r.objects(a.Kind).Get(ctx, a.Name, metav1.GetOptions{}); err == nil {
			err = r.sendBack(ctx, a, old, a.Values[0])
		}
		return err
	})
	switch {
	case apierrors.IsConflict(err):
		return "", errors.New("the first writer was refused: let an earlier beat wait until nobody writes it any more")
	case err != nil:
		return "", err
	}
	return "wrote over an old version of " + nameOf(a), r.sendBack(ctx, a, old, a.Values[len(a.Values)-1])
}

// sendBack updates an object as it was read, with one field changed.
func (r *Run) sendBack(ctx context.Context, a format.Action, read *unstructured.Unstructured, value any) error {
	changed := read.DeepCopy()
	if err := unstructured.SetNestedField(changed.Object, value, a.Path...); err != nil {
		return fmt.Errorf("setting %s: %w", strings.Join(a.Path, "."), err)
	}
	_, err := r.objects(a.Kind).Update(ctx, changed, metav1.UpdateOptions{FieldManager: Manager})
	return err
}
