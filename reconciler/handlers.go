package reconciler

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
	"github.com/reconcile-tracer/tracer/tracer"
)

// adder is the queue as an event handler sees it.
type adder = tracer.Adder[cache.ObjectName]

// addHandlers must be called before the informers start. Every event counts,
// the ones of own writes too: they are how the controller learns what became
// of a write.
func (c *controller) addHandlers() {
	c.listen(v1alpha1.Kind, c.sets, c.queue.Handler(v1alpha1.PodSetKind, func(q adder) cache.ResourceEventHandler {
		return handlerOf(q, keyOfSet)
	}))
	c.ways.watchPods(c)
}

func (c *controller) watchPods() {
	c.listen(podKind.Kind, c.pods, c.queue.Handler(podKind, func(q adder) cache.ResourceEventHandler {
		return handlerOf(q, keyOfOwner)
	}))
}

// listen panics where client-go refuses, which it does only to an informer
// that has been started or stopped.
func (c *controller) listen(kind string, informer cache.SharedIndexInformer, handler cache.ResourceEventHandler) {
	if err := informer.SetWatchErrorHandlerWithContext(c.tracer.WatchErrorHandler(kind, nil)); err != nil {
		panic(fmt.Sprintf("listening to %ss: %v", kind, err))
	}
	if _, err := informer.AddEventHandler(handler); err != nil {
		panic(fmt.Sprintf("listening to %ss: %v", kind, err))
	}
}

// handlerOf adds to q the key that keyOf finds for an event's object. An
// update that moves an object from one key to another concerns both.
func handlerOf(q adder, keyOf func(obj any) (cache.ObjectName, bool)) cache.ResourceEventHandler {
	add := func(obj any) {
		if key, ok := keyOf(obj); ok {
			q.Add(key)
		}
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc: add,
		UpdateFunc: func(old, now any) {
			before, had := keyOf(old)
			after, has := keyOf(now)
			if had && (!has || before != after) {
				q.Add(before)
			}
			add(now)
		},
		DeleteFunc: add,
	}
}

func keyOfSet(obj any) (cache.ObjectName, bool) {
	key, err := cache.DeletionHandlingObjectToName(obj)
	return key, err == nil
}

func keyOfOwner(obj any) (cache.ObjectName, bool) {
	if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = gone.Obj
	}
	owner := ownerOf(obj)
	if owner == nil {
		return cache.ObjectName{}, false
	}
	return cache.NewObjectName(obj.(metav1.Object).GetNamespace(), owner.Name), true
}

// ownerOf returns the reference to the PodSet that controls obj, nil when obj
// is no object or none does.
func ownerOf(obj any) *metav1.OwnerReference {
	object, ok := obj.(metav1.Object)
	if !ok {
		return nil
	}
	owner := metav1.GetControllerOf(object)
	if owner == nil || owner.Kind != v1alpha1.Kind || !ofGroup(owner.APIVersion) {
		return nil
	}
	return owner
}

// ofGroup says whether apiVersion is of this API group, of whatever version.
func ofGroup(apiVersion string) bool {
	return strings.HasPrefix(apiVersion, v1alpha1.GroupName+"/")
}
