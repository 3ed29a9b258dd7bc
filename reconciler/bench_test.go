package reconciler

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/reconcile-tracer/tracer/internal/clustertest"
	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
	"github.com/reconcile-tracer/tracer/tracer"
)

func TestMain(m *testing.M) { os.Exit(clustertest.Main(m)) }

// bench is a namespace of a real cluster for one test.
type bench struct {
	*testing.T
	cluster   *clustertest.Cluster
	namespace string
	sets      *v1alpha1.Client
	kube      kubernetes.Interface
}

func newBench(t *testing.T) *bench {
	t.Helper()
	cluster := clustertest.Get(t)
	if err := InstallCRD(t.Context(), cluster.Config()); err != nil {
		t.Fatal(err)
	}
	client, err := v1alpha1.NewClientset(cluster.Config())
	if err != nil {
		t.Fatal(err)
	}
	namespace := cluster.Namespace(t)
	return &bench{t, cluster, namespace, client.PodSets(namespace), cluster.Client(t)}
}

// options are those of a controller for this namespace only.
func (b *bench) options() Options {
	return Options{
		Config: b.cluster.Config(), Namespace: b.namespace,
		Logger: slog.New(slog.NewTextHandler(b.Output(), nil)),
	}
}

// traced sends o's spans to endpoint until the test ends.
func (b *bench) traced(o *Options, endpoint string) {
	b.Helper()
	t, err := tracer.Start(b.Context(), tracer.Config{Controller: ControllerName, For: v1alpha1.PodSetKind, Endpoint: endpoint})
	if err != nil {
		b.Fatal(err)
	}
	o.Tracer = t
	b.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		// A hub that is down makes it an error, as it should.
		_ = t.Shutdown(ctx)
	})
}

// start runs a controller; the result stops it and returns what Run did. The
// test's end stops it too.
func (b *bench) start(o Options) (stop func() error) {
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan error, 1)
	go func() { done <- Run(ctx, o) }()
	stop = sync.OnceValue(func() error {
		cancel()
		return <-done
	})
	b.Cleanup(func() {
		if err := stop(); err != nil {
			b.Errorf("Run = %v, want nil", err)
		}
	})
	return stop
}

func (b *bench) create(name string, replicas int32) *v1alpha1.PodSet {
	b.Helper()
	set := &v1alpha1.PodSet{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.PodSetSpec{Replicas: &replicas}}
	set.Spec.Template.Spec = corev1.PodSpec{
		TerminationGracePeriodSeconds: new(int64),
		Containers:                    []corev1.Container{{Name: "sleep", Image: "busybox:1.37"}},
	}
	made, err := b.sets.Create(b.Context(), set, metav1.CreateOptions{})
	if err != nil {
		b.Fatal(err)
	}
	return made
}

// object is a JSON object.
type object = map[string]any

func (b *bench) patch(name string, change object) *v1alpha1.PodSet {
	b.Helper()
	body, err := json.Marshal(change)
	if err != nil {
		b.Fatal(err)
	}
	set, err := b.sets.Patch(b.Context(), name, types.MergePatchType, body, metav1.PatchOptions{})
	if err != nil {
		b.Fatal(err)
	}
	return set
}

func (b *bench) scale(name string, replicas int32) *v1alpha1.PodSet {
	b.Helper()
	return b.patch(name, object{"spec": object{"replicas": replicas}})
}

// touch changes nothing that the controller looks at.
func (b *bench) touch(name, value string) *v1alpha1.PodSet {
	b.Helper()
	return b.patch(name, object{"metadata": object{"annotations": object{"touched": value}}})
}

func (b *bench) pods(name string) []corev1.Pod {
	b.Helper()
	list, err := b.kube.CoreV1().Pods(b.namespace).List(b.Context(), metav1.ListOptions{LabelSelector: v1alpha1.LabelPodSet + "=" + name})
	if err != nil {
		b.Fatal(err)
	}
	return list.Items
}

// settled waits until the PodSet has n Pods, all ready, and says so.
func (b *bench) settled(name string, n int32) *v1alpha1.PodSet {
	b.Helper()
	var set *v1alpha1.PodSet
	clustertest.Eventually(b, "PodSet "+name+" is settled", func(ctx context.Context) bool {
		got, err := b.sets.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false
		}
		set = got
		s := set.Status
		return s.ObservedGeneration == set.Generation && s.Replicas == n && s.ReadyReplicas == n &&
			len(s.Conditions) == 1 && s.Conditions[0].Status == metav1.ConditionTrue
	})
	return set
}
