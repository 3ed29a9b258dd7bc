package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
	"github.com/reconcile-tracer/tracer/tracer"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

const (
	// checkEvery is how often a PodSet is looked at: what the sample has of
	// requeue-after.
	checkEvery = 20 * time.Second
	// annotationChecked is when that was last.
	annotationChecked = "example.test/checked"
)

// checkup is a second, small controller: it notes on each PodSet when it looked
// at it, and comes again after a while. It asks for the next pass right after its
// write, as many controllers do, so that this pass reads a cache which has not
// got the write yet.
type checkup struct {
	t       *tracer.Tracer
	queue   *tracer.Queue[string]
	sets    *v1alpha1.Clientset
	indexer cache.Indexer
	last    map[string]time.Time
}

// runCheckup runs the controller until stop is called, against the hub at that address.
func runCheckup(ctx context.Context, cfg *rest.Config, hub, ingestToken string) (stop func(), err error) {
	token, err := os.ReadFile(ingestToken)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	t, err := tracer.Start(ctx, tracer.Config{
		Controller: "checkup", For: v1alpha1.PodSetKind, Workers: 1, Endpoint: hub,
		Headers: map[string]string{"Authorization": "Bearer " + strings.TrimSpace(string(token))},
	})
	if err != nil {
		cancel()
		return nil, err
	}
	own := rest.CopyConfig(cfg)
	own.UserAgent = "checkup"
	own.Wrap(t.Transport)
	sets, err := v1alpha1.NewClientset(own)
	if err != nil {
		cancel()
		_ = t.Shutdown(ctx) // it has nothing to send
		return nil, err
	}
	c := &checkup{t: t, sets: sets, last: map[string]time.Time{}}
	var running sync.WaitGroup
	running.Go(func() { c.run(ctx) })
	return func() {
		cancel()
		running.Wait()
		_ = t.Shutdown(context.WithoutCancel(ctx)) // sends what is left
	}, nil
}

func (c *checkup) run(ctx context.Context) {
	all := c.sets.PodSets(metav1.NamespaceAll)
	informer := cache.NewSharedIndexInformer(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return all.List(ctx, options)
		},
		WatchFuncWithContext: all.Watch,
	}, &v1alpha1.PodSet{}, 0, cache.Indexers{})
	c.queue = tracer.NewQueue(c.t, workqueue.DefaultTypedControllerRateLimiter[string](), tracer.QueueConfig[string]{})
	c.indexer = informer.GetIndexer()
	_, _ = informer.AddEventHandler(c.queue.Handler(v1alpha1.PodSetKind, onlyNew)) // it fails only on a stopped informer
	var watching sync.WaitGroup
	watching.Go(func() { informer.RunWithContext(ctx) })
	defer watching.Wait()
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return
	}
	context.AfterFunc(ctx, c.queue.ShutDown)
	for c.next(ctx) {
	}
}

func onlyNew(q tracer.Adder[string]) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{AddFunc: func(obj any) {
		if set, ok := obj.(*v1alpha1.PodSet); ok {
			q.Add(cache.MetaObjectToName(set).String())
		}
	}}
}

func (c *checkup) next(ctx context.Context) bool {
	key, quit := c.queue.Get()
	if quit {
		return false
	}
	defer c.queue.Done(key)
	ctx = c.queue.Context(ctx, key)
	again, err := c.reconcile(ctx, key)
	switch {
	case err != nil:
		c.queue.AddRateLimited(key)
	case again == 0:
		c.queue.Forget(key)
	case again < time.Second:
		c.queue.Add(key)
	default:
		c.queue.Forget(key)
		c.queue.AddAfter(key, again)
	}
	tracer.Finish(ctx, err)
	return true
}

// reconcile returns when to come again: 0 is never, 1 at once.
func (c *checkup) reconcile(ctx context.Context, key string) (again time.Duration, err error) {
	tracer.Phase(ctx, semconv.SpanFetch)
	obj, exists, err := c.t.Indexer(ctx, v1alpha1.PodSetKind, c.indexer).GetByKey(key)
	if err != nil || !exists {
		return 0, err
	}
	set := obj.(*v1alpha1.PodSet)
	tracer.Observe(ctx, set)
	tracer.Phase(ctx, semconv.SpanCompute)
	if rest := time.Until(c.last[key].Add(checkEvery)); rest > 0 {
		tracer.Plan(ctx, tracer.Action{Verb: "none", Kind: v1alpha1.Kind, Summary: "checked already"})
		return rest, nil
	}
	tracer.Plan(ctx, tracer.Action{Verb: "update", Kind: v1alpha1.Kind, Name: set.Name, Summary: "note the check-up"})
	tracer.Phase(ctx, semconv.SpanApply)
	change := fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, annotationChecked, time.Now().UTC().Format(time.RFC3339Nano))
	if _, err := c.sets.PodSets(set.Namespace).Patch(ctx, set.Name, types.MergePatchType, []byte(change), metav1.PatchOptions{FieldManager: "checkup"}); err != nil {
		return 0, err
	}
	c.last[key] = time.Now()
	return 1, nil
}
