package reconciler

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
	"github.com/reconcile-tracer/tracer/tracer"
)

// wrapTransport lets t see the requests that are made with cfg.
func wrapTransport(*tracer.Tracer, *rest.Config) {}

// indexerOf returns the informer's store, as the pass of ctx reads it.
func indexerOf(_ *tracer.Tracer, _ context.Context, _ schema.GroupVersionKind, informer cache.SharedIndexInformer) cache.Indexer {
	return informer.GetIndexer()
}

// ofGroup says whether apiVersion is of this API group, of whatever version.
func ofGroup(apiVersion string) bool {
	return strings.HasPrefix(apiVersion, v1alpha1.GroupName+"/")
}
