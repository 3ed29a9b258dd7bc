package reconciler

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"

	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
)

// newPod makes a Pod of set's template, owned by set. The API server chooses
// the end of its name.
func newPod(set *v1alpha1.PodSet) *corev1.Pod {
	template := set.Spec.Template.DeepCopy()
	labels := maps.Clone(template.Labels)
	if labels == nil {
		labels = map[string]string{}
	}
	labels[v1alpha1.LabelPodSet] = set.Name
	labels[v1alpha1.LabelTemplate] = templateHash(set)
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			GenerateName:    set.Name + "-",
			Namespace:       set.Namespace,
			Labels:          labels,
			Annotations:     template.Annotations,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(set, v1alpha1.PodSetKind)},
		},
		Spec: template.Spec,
	}
}

// templateHash tells templates apart. JSON, because it keeps maps in order and
// leaves out what is not set: a later version of the Pod type with new fields
// gives the same hash.
func templateHash(set *v1alpha1.PodSet) string {
	text, err := json.Marshal(set.Spec.Template)
	if err != nil {
		// No value of a decoded template can fail to encode.
		panic(fmt.Sprintf("encoding the template of PodSet %s/%s: %v", set.Namespace, set.Name, err))
	}
	hash := fnv.New32a()
	hash.Write(text)
	return rand.SafeEncodeString(fmt.Sprint(hash.Sum32()))
}
