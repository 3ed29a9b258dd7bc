// Package nodes plays the part of the machines: it registers Nodes that do not
// exist, binds Pods to them as a scheduler does, and moves Pods through their
// life as a kubelet does, without running any container. Controllers and people
// see Pods become Running and Ready and, when deleted, end gracefully.
package nodes

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// requestsPerSecond is the limit for the requests of all nodes together; the
// default of client-go, 5, would make a Deployment of 30 take its time.
const requestsPerSecond = 500

// Agent is a set of nodes and their scheduler.
type Agent struct {
	client    kubernetes.Interface
	informers informers.SharedInformerFactory
	scheduler *scheduler
	kubelets  map[string]*kubelet
	names     []string
	log       *slog.Logger
	ready     chan struct{}
}

// New makes an agent for count nodes, "node-1" and so on. It copies cfg and does
// nothing before Run.
func New(cfg *rest.Config, count int, log *slog.Logger) (*Agent, error) {
	own := rest.CopyConfig(cfg)
	own.QPS, own.Burst = requestsPerSecond, 2*requestsPerSecond
	own.UserAgent = "localcluster-nodes"
	client, err := kubernetes.NewForConfig(own)
	if err != nil {
		return nil, fmt.Errorf("making the nodes' client: %w", err)
	}
	return newAgent(client, count, log), nil
}

func newAgent(client kubernetes.Interface, count int, log *slog.Logger) *Agent {
	a := &Agent{
		client:    client,
		informers: informers.NewSharedInformerFactory(client, 0),
		kubelets:  map[string]*kubelet{},
		log:       log,
		ready:     make(chan struct{}),
	}
	pods, nodes := a.informers.Core().V1().Pods(), a.informers.Core().V1().Nodes()
	a.scheduler = newScheduler(client, pods.Lister(), nodes.Lister(), log)
	for i := 1; i <= count; i++ {
		name := fmt.Sprintf("node-%d", i)
		a.names = append(a.names, name)
		a.kubelets[name] = newKubelet(client, pods.Lister(), name, i, log)
	}
	return a
}

// Ready is closed when every Node is registered and Ready.
func (a *Agent) Ready() <-chan struct{} { return a.ready }

// Run registers the Nodes and looks after them and their Pods until ctx ends. It
// returns when all its goroutines have ended; its error says what could not be
// set up, and is nil when ctx ended.
func (a *Agent) Run(ctx context.Context) error {
	if err := a.subscribe(); err != nil {
		return err
	}
	if err := a.registerAll(ctx); err != nil {
		return fmt.Errorf("registering nodes: %w", err)
	}
	close(a.ready)
	a.informers.Start(ctx.Done())
	defer a.informers.Shutdown()
	for kind, ok := range a.informers.WaitForCacheSync(ctx.Done()) {
		if !ok {
			return fmt.Errorf("filling the nodes' cache of %v: %w", kind, context.Cause(ctx))
		}
	}
	a.work(ctx)
	return nil
}

// work runs the scheduler and the kubelets until ctx ends.
func (a *Agent) work(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { a.scheduler.run(ctx) })
	for _, k := range a.kubelets {
		running.Go(func() { k.run(ctx) })
		running.Go(func() { a.heartbeat(ctx, k.node) })
	}
}

// subscribe routes the events of Pods: those without a node to the scheduler,
// the others to their node.
func (a *Agent) subscribe() error {
	pods := cache.ResourceEventHandlerFuncs{
		AddFunc:    a.routePod,
		UpdateFunc: func(_, obj any) { a.routePod(obj) },
		DeleteFunc: a.podGone,
	}
	if _, err := a.informers.Core().V1().Pods().Informer().AddEventHandler(pods); err != nil {
		return fmt.Errorf("watching pods: %w", err)
	}
	nodes := cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { a.scheduler.retryPending() },
		UpdateFunc: func(any, any) { a.scheduler.retryPending() },
	}
	if _, err := a.informers.Core().V1().Nodes().Informer().AddEventHandler(nodes); err != nil {
		return fmt.Errorf("watching nodes: %w", err)
	}
	return nil
}

// podGone lets the node release what it held for the Pod.
func (a *Agent) podGone(obj any) {
	if unseen, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = unseen.Obj
	}
	if pod, ok := obj.(*v1.Pod); ok {
		a.scheduler.forget(pod.UID)
		a.routePod(pod)
	}
}

func (a *Agent) routePod(obj any) {
	pod, ok := obj.(*v1.Pod)
	if !ok {
		return
	}
	key := cache.MetaObjectToName(pod)
	if pod.Spec.NodeName == "" {
		a.scheduler.queue.Add(key)
		return
	}
	a.scheduler.forget(pod.UID)
	if k := a.kubelets[pod.Spec.NodeName]; k != nil {
		k.queue.Add(key)
	}
}

// pause waits, and reports whether ctx still lives.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
