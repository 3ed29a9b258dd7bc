package ctrlruntime

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/reconcile-tracer/tracer/tracer"
)

// tracedClient is the manager's client. Its reads and writes are recorded where
// they are made, in the cache or the transport; here it is only noticed when a
// pass reads the object that it reconciles.
type tracedClient struct{ client.Client }

// Get reads an object.
func (c *tracedClient) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	ctx, p := within(ctx)
	err := c.Client.Get(ctx, key, obj, opts...)
	if err != nil || p == nil || key.Namespace != p.namespace || key.Name != p.name {
		return err
	}
	if gvk, err := apiutil.GVKForObject(obj, c.Scheme()); err == nil && gvk == p.kind {
		tracer.Observe(ctx, obj)
	}
	return nil
}
