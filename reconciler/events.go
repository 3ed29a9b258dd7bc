package reconciler

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/record"

	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
)

// startEvents returns a recorder that sends events in the background, like
// ones put together. The second result stops it; what is unsent then is lost.
func (c *controller) startEvents(ctx context.Context) (record.EventRecorder, func()) {
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		panic(err) // it never fails
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	broadcaster := record.NewBroadcaster(record.WithContext(ctx))
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: c.api.plain.CoreV1().Events("")})
	recorder := broadcaster.NewRecorder(scheme, corev1.EventSource{Component: ControllerName})
	return recorder, func() {
		broadcaster.Shutdown()
		cancel()
	}
}
