package reconciler

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"

	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
	"github.com/reconcile-tracer/tracer/tracer"
)

// The back-off after a failure doubles from the first to the last.
const (
	firstBackoff = 5 * time.Millisecond
	lastBackoff  = time.Minute
)

// controller is what workers share. Its fields are set before the first worker
// starts and not changed after.
type controller struct {
	api      clients
	tracer   *tracer.Tracer
	queue    *tracer.Queue[cache.ObjectName]
	sets     cache.SharedIndexInformer
	pods     cache.SharedIndexInformer
	ledger   *ledger
	recorder record.EventRecorder
	workers  int
	drain    time.Duration // see Options.DrainTimeout
	ways     ways
	log      *slog.Logger
}

func newController(o Options, api clients) *controller {
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[cache.ObjectName](firstBackoff, lastBackoff)
	c := &controller{
		api:     api,
		tracer:  o.Tracer,
		queue:   tracer.NewQueue(o.Tracer, limiter, tracer.QueueConfig[cache.ObjectName]{Name: ControllerName}),
		sets:    newSetInformer(api.sets, o.Namespace, o.Resync),
		pods:    newPodInformer(api, o.Namespace),
		ledger:  newLedger(),
		workers: o.Workers,
		drain:   o.DrainTimeout,
		ways:    o.ways(),
		log:     o.Logger.With("controller", ControllerName),
	}
	c.tracer.Workers(c.workers)
	return c
}

// mustNotWrite says whether ctx ended in a way that leaves no time to finish.
func (c *controller) mustNotWrite(ctx context.Context) bool {
	return errors.Is(context.Cause(ctx), ErrLeaseLost)
}

func newSetInformer(client *v1alpha1.Clientset, namespace string, resync time.Duration) cache.SharedIndexInformer {
	sets := client.PodSets(namespace)
	lw := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return sets.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return sets.Watch(ctx, options)
		},
	}
	return cache.NewSharedIndexInformer(cache.ToListWatcherWithWatchListSemantics(lw, client), &v1alpha1.PodSet{}, resync, cache.Indexers{})
}

// indexOwner finds Pods by the UID of the PodSet that owns them.
const indexOwner = "owner"

// newPodInformer sees the Pods that PodSets own, and no others.
func newPodInformer(api clients, namespace string) cache.SharedIndexInformer {
	indexers := cache.Indexers{indexOwner: func(obj any) ([]string, error) {
		if owner := ownerOf(obj); owner != nil {
			return []string{string(owner.UID)}, nil
		}
		return nil, nil
	}}
	return coreinformers.NewFilteredPodInformer(api.kube, namespace, 0, indexers, func(options *metav1.ListOptions) {
		options.LabelSelector = v1alpha1.LabelPodSet
	})
}

// startInformers returns at once; the group is done when both have ended.
func (c *controller) startInformers(ctx context.Context) *sync.WaitGroup {
	c.addHandlers()
	var running sync.WaitGroup
	for kind, informer := range map[string]cache.SharedIndexInformer{v1alpha1.Kind: c.sets, podKind.Kind: c.pods} {
		c.tracer.WatchSync(kind, informer.HasSynced)
		running.Go(func() { informer.RunWithContext(ctx) })
	}
	return &running
}

// podKind is the group, version and kind of a Pod.
var podKind = corev1.SchemeGroupVersion.WithKind("Pod")
