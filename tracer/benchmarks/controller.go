package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"github.com/reconcile-tracer/tracer/tracer"
)

// workers is how many workers the controller has.
const workers = 2

// run is what one run of the controller came to.
type run struct {
	CPU      time.Duration // a reconcile, of the whole process
	P50, P99 time.Duration // from the intended time to the end of the reconcile
	Done     int
}

// controller reads a Pod from its cache and updates its status, as small
// controllers do. Its parts differ only where tracing is put in.
type controller struct {
	queue   workqueue.TypedRateLimitingInterface[string]
	indexer cache.Indexer
	client  kubernetes.Interface
	// tracing, when there is any
	tracer *tracer.Tracer
	own    *tracer.Queue[string]

	failed atomic.Pointer[error]

	mu     sync.Mutex
	wanted map[string][]time.Time // intended times by key
	took   []time.Duration
}

// runController runs a controller at rate reconciles a second and prints what
// that came to. With endpoint it is traced.
func runController(ctx context.Context, apiURL, endpoint string, rate int, warm, measured time.Duration) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := &controller{wanted: map[string][]time.Time{}}
	config := &rest.Config{Host: apiURL, QPS: -1}
	config.ContentType = "application/json" // the server knows no other
	end, err := c.instrument(config, endpoint)
	if err != nil {
		return err
	}
	defer end()
	if c.client, err = kubernetes.NewForConfig(config); err != nil {
		return fmt.Errorf("making a client: %w", err)
	}
	if err := c.watch(ctx); err != nil {
		return err
	}
	var running sync.WaitGroup
	for range workers {
		running.Go(func() { c.work(ctx) })
	}
	c.load(rate, warm)
	c.mu.Lock()
	c.took = c.took[:0]
	c.mu.Unlock()
	before := cpu(syscall.RUSAGE_SELF)
	c.load(rate, measured)
	used := cpu(syscall.RUSAGE_SELF) - before
	c.queue.ShutDown()
	running.Wait()
	return c.report(used)
}

func (c *controller) instrument(config *rest.Config, endpoint string) (end func(), err error) {
	if endpoint == "" {
		c.queue = workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
		return func() {}, nil
	}
	c.tracer, c.own, end, err = traced(endpoint)
	if err != nil {
		return nil, err
	}
	c.queue = c.own
	config.Wrap(c.tracer.Transport)
	return end, nil
}

// watch fills the cache; an event counts when it changes the spec, and then
// adds the Pod.
func (c *controller) watch(ctx context.Context) error {
	factory := informers.NewSharedInformerFactory(c.client, 0)
	informer := factory.Core().V1().Pods().Informer()
	c.indexer = informer.GetIndexer()
	handler := func(q tracer.Adder[string]) cache.ResourceEventHandler {
		return cache.ResourceEventHandlerFuncs{UpdateFunc: func(old, obj any) {
			if old.(*corev1.Pod).Generation != obj.(*corev1.Pod).Generation {
				q.Add(cache.MetaObjectToName(obj.(*corev1.Pod)).String())
			}
		}}
	}
	h := handler(c.queue)
	if c.own != nil {
		h = c.own.Handler(widget, handler)
	}
	if _, err := informer.AddEventHandler(h); err != nil {
		return fmt.Errorf("adding the handler: %w", err)
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	return nil
}

// load adds Pods in turn at their intended times, whether or not the
// controller keeps up.
func (c *controller) load(rate int, d time.Duration) {
	began := time.Now()
	for i := range int(d.Seconds() * float64(rate)) {
		at := began.Add(time.Duration(i) * time.Second / time.Duration(rate))
		time.Sleep(time.Until(at))
		key := "default/" + podName(i%pods)
		c.mu.Lock()
		c.wanted[key] = append(c.wanted[key], at)
		c.mu.Unlock()
		c.queue.Add(key)
	}
}

func (c *controller) work(ctx context.Context) {
	for {
		key, quit := c.queue.Get()
		if quit {
			return
		}
		c.mu.Lock()
		since := c.wanted[key]
		delete(c.wanted, key)
		c.mu.Unlock()
		c.reconcile(ctx, key)
		now := time.Now()
		c.mu.Lock()
		for _, at := range since {
			c.took = append(c.took, now.Sub(at))
		}
		c.mu.Unlock()
	}
}

func (c *controller) reconcile(ctx context.Context, key string) {
	defer c.queue.Done(key)
	indexer := c.indexer
	if c.own != nil {
		ctx = c.own.Context(ctx, key)
		indexer = c.tracer.Indexer(ctx, widget, indexer)
	}
	err := c.update(ctx, listers.NewPodLister(indexer), key)
	tracer.Finish(ctx, err)
	if err != nil {
		c.failed.Store(&err)
		c.queue.AddRateLimited(key)
		return
	}
	c.queue.Forget(key)
}

func (c *controller) update(ctx context.Context, lister listers.PodLister, key string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	cached, err := lister.Pods(namespace).Get(name)
	if err != nil {
		return fmt.Errorf("reading the Pod: %w", err)
	}
	p := cached.DeepCopy()
	p.Status.NominatedNodeName = "node-" + strconv.FormatInt(time.Now().UnixNano(), 36)
	if _, err := c.client.CoreV1().Pods(namespace).UpdateStatus(ctx, p, metav1.UpdateOptions{}); err != nil {
		return fmt.Errorf("updating the status: %w", err)
	}
	return nil
}

func (c *controller) report(used time.Duration) error {
	took := slices.Sorted(slices.Values(c.took))
	n := len(took)
	if err := c.failed.Load(); err != nil {
		return *err
	}
	if n == 0 {
		return fmt.Errorf("no reconcile was done")
	}
	return json.NewEncoder(os.Stdout).Encode(run{
		CPU: used / time.Duration(n), P50: took[n/2], P99: took[n*99/100], Done: n,
	})
}
