// Command traced is a controller written with client-go: it keeps a copy of each
// ConfigMap that has the label example-copy.
package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"syscall"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"

	"github.com/reconcile-tracer/tracer/tracer"
)

var configMap = corev1.SchemeGroupVersion.WithKind("ConfigMap")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	cfg, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err == nil {
		err = run(ctx, cfg)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "copier:", err)
		os.Exit(1)
	}
}

// run runs the controller until ctx ends.
func run(ctx context.Context, cfg *rest.Config) error {
	t, err := tracer.Start(ctx, tracer.Config{Controller: "copier", For: configMap, Workers: 1})
	if err != nil {
		return err
	}
	defer func() { _ = t.Shutdown(context.WithoutCancel(ctx)) }() // sends what is left, for 5 s at most
	cfg.Wrap(t.Transport)
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return fmt.Errorf("making a client: %w", err)
	}
	queue := tracer.NewQueue(t, workqueue.DefaultTypedControllerRateLimiter[string](), tracer.QueueConfig[string]{})
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Core().V1().ConfigMaps().Informer()
	if _, err := informer.AddEventHandler(queue.Handler(configMap, handler)); err != nil {
		return fmt.Errorf("watching ConfigMaps: %w", err)
	}
	t.WatchSync("ConfigMap", informer.HasSynced)
	factory.Start(ctx.Done())
	defer factory.Shutdown()
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return ctx.Err()
	}
	context.AfterFunc(ctx, queue.ShutDown)
	c := &copier{t: t, client: client, indexer: informer.GetIndexer(), queue: queue}
	for c.next(ctx) {
	}
	return nil
}

// handler adds the ConfigMaps that are to be copied, and those whose copy has
// changed.
func handler(q tracer.Adder[string]) cache.ResourceEventHandler {
	add := func(obj any) {
		if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
			obj = gone.Obj
		}
		c, ok := obj.(*corev1.ConfigMap)
		if !ok {
			return
		}
		if _, ok := c.Labels["example-copy"]; ok {
			q.Add(cache.MetaObjectToName(c).String())
		}
		if owner := metav1.GetControllerOf(c); owner != nil && owner.Kind == configMap.Kind {
			q.Add(cache.NewObjectName(c.Namespace, owner.Name).String())
		}
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    add,
		UpdateFunc: func(_, obj any) { add(obj) },
		DeleteFunc: add,
	}
}

// copier is the controller.
type copier struct {
	client  kubernetes.Interface
	indexer cache.Indexer
	queue   *tracer.Queue[string]
	t       *tracer.Tracer
}

// next reconciles the next item, and tells whether there may be another.
func (c *copier) next(ctx context.Context) bool {
	key, quit := c.queue.Get()
	if quit {
		return false
	}
	defer c.queue.Done(key)
	ctx = c.queue.Context(ctx, key)
	defer tracer.RecordPanic(ctx)
	err := c.reconcile(ctx, key)
	tracer.Finish(ctx, err)
	if err != nil {
		c.queue.AddRateLimited(key)
		return true
	}
	c.queue.Forget(key)
	return true
}

// reconcile makes the copy what it should be.
func (c *copier) reconcile(ctx context.Context, key string) error {
	name, err := cache.ParseObjectName(key)
	if err != nil {
		return err
	}
	lister := listers.NewConfigMapLister(c.t.Indexer(ctx, configMap, c.indexer)).ConfigMaps(name.Namespace)
	source, err := lister.Get(name.Name)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	tracer.Observe(ctx, source)
	have, err := lister.Get(name.Name + "-copy")
	if apierrors.IsNotFound(err) {
		want := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
			Name:            name.Name + "-copy",
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(source, configMap)},
		}, Data: source.Data}
		_, err = c.client.CoreV1().ConfigMaps(name.Namespace).Create(ctx, want, metav1.CreateOptions{})
		return err
	}
	if err != nil || maps.Equal(have.Data, source.Data) {
		return err
	}
	want := have.DeepCopy()
	want.Data = source.Data
	_, err = c.client.CoreV1().ConfigMaps(name.Namespace).Update(ctx, want, metav1.UpdateOptions{})
	return err
}
