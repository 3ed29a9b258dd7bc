package reconciler

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
)

// collector is a queue that only remembers.
type collector struct{ keys []string }

func (c *collector) Add(key cache.ObjectName)                       { c.keys = append(c.keys, key.String()) }
func (c *collector) AddAfter(key cache.ObjectName, _ time.Duration) { c.Add(key) }
func (c *collector) AddRateLimited(key cache.ObjectName)            { c.Add(key) }

func ownedBy(name string) *corev1.Pod {
	set := &v1alpha1.PodSet{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: "set"}}
	return newPod(set)
}

func TestPodEventsReachTheirOwner(t *testing.T) {
	stranger := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", OwnerReferences: []metav1.OwnerReference{
		*metav1.NewControllerRef(&metav1.ObjectMeta{Name: "web"}, corev1.SchemeGroupVersion.WithKind("ReplicationController")),
	}}}
	tests := map[string]struct {
		event func(cache.ResourceEventHandler)
		want  []string
	}{
		"added":              {func(h cache.ResourceEventHandler) { h.OnAdd(ownedBy("web"), false) }, []string{"default/web"}},
		"updated":            {func(h cache.ResourceEventHandler) { h.OnUpdate(ownedBy("web"), ownedBy("web")) }, []string{"default/web"}},
		"moved":              {func(h cache.ResourceEventHandler) { h.OnUpdate(ownedBy("a"), ownedBy("b")) }, []string{"default/a", "default/b"}},
		"released":           {func(h cache.ResourceEventHandler) { h.OnUpdate(ownedBy("a"), stranger) }, []string{"default/a"}},
		"deleted":            {func(h cache.ResourceEventHandler) { h.OnDelete(ownedBy("web")) }, []string{"default/web"}},
		"deleted, tombstone": {func(h cache.ResourceEventHandler) { h.OnDelete(cache.DeletedFinalStateUnknown{Obj: ownedBy("web")}) }, []string{"default/web"}},
		"not ours":           {func(h cache.ResourceEventHandler) { h.OnAdd(stranger, false) }, nil},
		"no object":          {func(h cache.ResourceEventHandler) { h.OnDelete("?") }, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var q collector
			test.event(handlerOf(&q, keyOfOwner))
			if diff := cmp.Diff(test.want, q.keys); diff != "" {
				t.Errorf("keys (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPodSetEventsReachIt(t *testing.T) {
	set := &v1alpha1.PodSet{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"}}
	var q collector
	h := handlerOf(&q, keyOfSet)
	h.OnAdd(set, true)
	h.OnUpdate(set, set)
	h.OnDelete(cache.DeletedFinalStateUnknown{Key: "default/gone"})
	if diff := cmp.Diff([]string{"default/web", "default/web", "default/gone"}, q.keys); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
}
