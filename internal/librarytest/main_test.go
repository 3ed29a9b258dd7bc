package librarytest

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/reconcile-tracer/tracer/internal/clustertest"
	"github.com/reconcile-tracer/tracer/tracer"
	"github.com/reconcile-tracer/tracer/tracer/tracertest"
)

func TestMain(m *testing.M) { os.Exit(clustertest.Main(m)) }

var configMaps = schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}

// roundTripper is a function as a transport.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// sent is one request as it left the process, and what answered.
type sent struct {
	method, path, audit, traceparent, echoed string
}

// traffic records the requests that pass below the tracer's transport.
type traffic struct {
	mu  sync.Mutex
	all []sent
}

func (t *traffic) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		res, err := next.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		t.all = append(t.all, sent{
			r.Method, r.URL.Path, r.Header.Get("Audit-ID"), r.Header.Get("traceparent"), res.Header.Get("Audit-Id"),
		})
		return res, nil
	})
}

// rig is a traced controller's parts in a namespace of their own.
type rig struct {
	*testing.T
	namespace string
	rec       *tracertest.Recorder
	tracer    *tracer.Tracer
	queue     *tracer.Queue[string]
	traffic   *traffic
	kube      kubernetes.Interface // as the content type says
	dynamic   dynamic.Interface
	admin     kubernetes.Interface // not traced
}

// newRig sends what it traces to a recorder.
func newRig(t *testing.T, contentType string, wraps ...func(http.RoundTripper) http.RoundTripper) *rig {
	t.Helper()
	rec := tracertest.NewRecorder(t)
	return newRigAt(t, rec, rec.URL(), contentType, wraps...)
}

func newRigAt(t *testing.T, rec *tracertest.Recorder, hub, contentType string, wraps ...func(http.RoundTripper) http.RoundTripper) *rig {
	t.Helper()
	cluster := clustertest.Get(t)
	r := &rig{T: t, namespace: cluster.Namespace(t), rec: rec, traffic: &traffic{}, admin: cluster.Client(t)}
	r.tracer = startTracer(t, hub)
	r.queue = tracer.NewQueue[string](r.tracer, nil, tracer.QueueConfig[string]{})
	t.Cleanup(r.queue.ShutDown)
	config := cluster.Config()
	config.QPS, config.ContentType = -1, contentType
	config.Wrap(r.traffic.wrap)
	for _, w := range wraps {
		config.Wrap(w)
	}
	config.Wrap(r.tracer.Transport)
	r.connect(config)
	return r
}

// connect makes the clients over connections that end with the test.
func (r *rig) connect(config *rest.Config) {
	r.Helper()
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(client.CloseIdleConnections)
	if r.kube, err = kubernetes.NewForConfigAndClient(config, client); err != nil {
		r.Fatal(err)
	}
	if r.dynamic, err = dynamic.NewForConfigAndClient(config, client); err != nil {
		r.Fatal(err)
	}
}

func startTracer(t *testing.T, hub string) *tracer.Tracer {
	t.Helper()
	tr, err := tracer.Start(t.Context(), tracer.Config{
		Controller: "things", For: configMaps, Endpoint: hub, BufferSpans: 256, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = tr.Shutdown(ctx) // a hub that is down makes it an error, as it should
	})
	return tr
}

// reconcile does work as one reconcile of the item and returns its trace.
func (r *rig) reconcile(item string, work func(ctx context.Context)) tracertest.Reconcile {
	r.Helper()
	before := len(r.rec.Reconciles(item))
	r.pass(item, work)
	return r.rec.WaitReconciles(item, before+1)[before]
}

// pass does work as one reconcile of the item.
func (r *rig) pass(item string, work func(ctx context.Context)) {
	r.queue.Add(item)
	got, _ := r.queue.Get()
	defer r.queue.Done(got)
	work(r.queue.Context(r.Context(), got))
}

// pod is a Pod that stays pending for the tests' purposes.
func pod(name string) *corev1.Pod {
	p := &corev1.Pod{}
	p.Name, p.Labels = name, map[string]string{"app": "librarytest"}
	p.Spec.TerminationGracePeriodSeconds = new(int64)
	p.Spec.Containers = []corev1.Container{{Name: "c", Image: "busybox:1.37"}}
	return p
}
