package controllers

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	cmapp "k8s.io/controller-manager/app"
	"k8s.io/controller-manager/pkg/clientbuilder"
	"k8s.io/controller-manager/pkg/informerfactory"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app/config"
	"k8s.io/kubernetes/cmd/kube-controller-manager/names"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
)

const (
	gcName    = "generic-garbage-collector"
	gcWorkers = 20 // the controller manager's own default
	// gcDiscovery is how often the collector looks for new kinds of objects. The
	// controller manager looks every 30 s and offers no flag: who deletes an object
	// of a kind that was just defined would wait that long to see its Pods go.
	gcDiscovery = 2 * time.Second
	// gcFirstSync is how long the collector waits for its first complete picture.
	gcFirstSync = 30 * time.Second
)

// takeOverGC reports whether the controller manager is to collect garbage, and
// takes that off its list, since this package runs the same collector itself.
func takeOverGC(cfg *config.Config) bool {
	list := cfg.ComponentConfig.Generic.Controllers
	off := app.ControllersDisabledByDefault()
	if !cfg.ComponentConfig.GarbageCollectorController.EnableGarbageCollector ||
		!cmapp.IsControllerEnabled(names.GarbageCollectorController, sets.NewString(off...), list) {
		return false
	}
	cfg.ComponentConfig.Generic.Controllers = append(
		[]string{"-" + names.GarbageCollectorController},
		slices.DeleteFunc(slices.Clone(list), func(n string) bool { return n == names.GarbageCollectorController })...)
	return true
}

// collectGarbage runs the garbage collector until ctx ends. It acts as the same
// service account as in the controller manager.
func collectGarbage(ctx context.Context, cfg *config.Config) error {
	builder := clientbuilder.NewDynamicClientBuilder(rest.AnonymousClientConfig(cfg.Kubeconfig), cfg.Client.CoreV1(), metav1.NamespaceSystem)
	clientConfig, err := builder.Config(gcName)
	if err != nil {
		return fmt.Errorf("configuring the garbage collector: %w", err)
	}
	client, err := kubernetes.NewForConfig(clientConfig)
	if err != nil {
		return fmt.Errorf("making the garbage collector's client: %w", err)
	}
	gc, err := newGC(ctx, client, clientConfig)
	if err != nil {
		return fmt.Errorf("making the garbage collector: %w", err)
	}
	var running sync.WaitGroup
	running.Go(func() { gc.Run(ctx, gcWorkers, gcFirstSync) })
	running.Go(func() { gc.Sync(ctx, client.Discovery(), gcDiscovery) })
	running.Wait()
	return nil
}

func newGC(ctx context.Context, client kubernetes.Interface, clientConfig *rest.Config) (*garbagecollector.GarbageCollector, error) {
	metadataClient, err := metadata.NewForConfig(clientConfig)
	if err != nil {
		return nil, err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client.Discovery()))
	factory := informerfactory.NewInformerFactory(
		informers.NewSharedInformerFactory(client, 0),
		metadatainformer.NewSharedInformerFactory(metadataClient, 0))
	started := make(chan struct{})
	close(started) // nobody else shares these informers
	return garbagecollector.NewGarbageCollector(ctx, client, metadataClient, mapper, garbagecollector.DefaultIgnoredResources(), factory, started)
}
