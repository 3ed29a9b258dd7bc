// Package examples_test runs the examples as a user would, against a real API
// server.
package examples_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reconcile-tracer/tracer/examples/internal/clustertest"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
	"github.com/reconcile-tracer/tracer/tracer/tracertest"
)

func TestMain(m *testing.M) { os.Exit(clustertest.Main(m)) }

// example is one controller, in both states.
type example struct {
	folder, kind string
	// made is the object that it is to look after, product the name of what it makes.
	made    func(namespace string) client.Object
	product string
	reads   int
}

var examples = []example{
	{"clientgo", "ConfigMap", func(namespace string) client.Object {
		return &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "web", Labels: map[string]string{"example-copy": ""}},
			Data:       map[string]string{"key": "value"},
		}
	}, "web-copy", 2},
	{"kubebuilder", "Deployment", func(namespace string) client.Object {
		none, match := int32(0), map[string]string{"app": "web"}
		return &appsv1.Deployment{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "web"},
			Spec: appsv1.DeploymentSpec{
				Replicas: &none, Selector: &metav1.LabelSelector{MatchLabels: match},
				Template: corev1.PodTemplateSpec{
					ObjectMeta: metav1.ObjectMeta{Labels: match},
					Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}},
				},
			},
		}
	}, "web-info", 2},
}

func TestPlain(t *testing.T) {
	for _, e := range examples {
		t.Run(e.folder, func(t *testing.T) {
			rec := tracertest.NewRecorder(t)
			run(t, filepath.Join(e.folder, "plain"), rec.URL())
			e.use(t)
			if spans, records := rec.Spans(), rec.Records(); len(spans)+len(records) > 0 {
				t.Errorf("the plain one has sent %d spans and %d records", len(spans), len(records))
			}
		})
	}
}

func TestTraced(t *testing.T) {
	for _, e := range examples {
		t.Run(e.folder, func(t *testing.T) {
			rec := tracertest.NewRecorder(t)
			run(t, filepath.Join(e.folder, "traced"), rec.URL())
			rec.WaitRecord(semconv.LogControllerState, func(r tracertest.Record) bool {
				return strings.Contains(fmt.Sprint(r.Attrs.List(semconv.AttrStateSynced)), e.kind)
			})
			e.check(t, rec.WaitReconciles(e.use(t)+"/web", 2))
		})
	}
}

func TestTracedWithoutAHub(t *testing.T) {
	for _, e := range examples {
		t.Run(e.folder, func(t *testing.T) {
			run(t, filepath.Join(e.folder, "traced"), "")
			e.use(t)
		})
	}
}

// use makes the object in a namespace of its own and waits for what the
// controller makes of it.
func (e example) use(t *testing.T) (namespace string) {
	t.Helper()
	c, err := client.New(clustertest.Config(t), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "example-"}}
	if err := c.Create(t.Context(), ns); err != nil {
		t.Fatal(err)
	}
	if err := c.Create(t.Context(), e.made(ns.Name)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "there is "+e.product, func(ctx context.Context) bool {
		return c.Get(ctx, client.ObjectKey{Namespace: ns.Name, Name: e.product}, &corev1.ConfigMap{}) == nil
	})
	return ns.Name
}

// check looks at the first two passes: one makes the product, the next one is
// because of that.
func (e example) check(t *testing.T, passes []tracertest.Reconcile) {
	t.Helper()
	first, second := passes[0], passes[1]
	if got := strings.Join(first.PhaseNames(), " "); got != "dequeue fetch compute apply requeue" {
		t.Errorf("phases %s", got)
	}
	if len(first.Reads) != e.reads || len(first.Writes) != 1 {
		t.Fatalf("%d reads and %d writes, want %d and 1", len(first.Reads), len(first.Writes), e.reads)
	}
	if c := first.Causes[0]; c.Kind != e.kind || c.What != semconv.CauseAdd || c.By != semconv.ByOther {
		t.Errorf("the first cause is %+v, want %s added by other", c, e.kind)
	}
	for _, c := range second.Causes {
		if c.Name == e.product && c.By == semconv.BySelf && c.Write.SpanID == first.Writes[0].SpanID {
			return
		}
	}
	t.Errorf("the second pass is caused by %+v, want the write of %s", second.Causes, e.product)
}

// run builds and runs an example until the test ends.
func run(t *testing.T, folder, endpoint string) {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "example")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "./"+folder).CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", folder, err, out)
	}
	cmd := exec.Command(binary)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+clustertest.Kubeconfig(t), "OTEL_EXPORTER_OTLP_ENDPOINT="+endpoint)
	var log strings.Builder
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Errorf("stopping %s: %v", folder, err)
		}
		if err := cmd.Wait(); err != nil || t.Failed() {
			t.Errorf("%s ended with %v:\n%s", folder, err, log.String())
		}
	})
}

// eventually asks condition every 20 ms until it is true, 30 s at most.
func eventually(t *testing.T, what string, condition func(context.Context) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !condition(ctx) {
		select {
		case <-ctx.Done():
			t.Fatalf("waited in vain until %s", what)
		case <-tick.C:
		}
	}
}
