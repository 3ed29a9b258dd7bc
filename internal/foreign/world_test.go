package foreign_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	rayv1 "github.com/ray-project/kuberay/ray-operator/apis/ray/v1"
	"github.com/ray-project/kuberay/ray-operator/controllers/ray"
	"github.com/ray-project/kuberay/ray-operator/controllers/ray/utils"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/reconcile-tracer/tracer/tracer"
	"github.com/reconcile-tracer/tracer/tracer/ctrlruntime"
	"github.com/reconcile-tracer/tracer/tracer/ctrlruntime/internal/clustertest"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
	"github.com/reconcile-tracer/tracer/tracer/tracertest"
)

const (
	kuberay = "github.com/ray-project/kuberay/ray-operator"
	// user and operator are names of clients, and so those of field managers.
	user     = "somebody"
	operator = "kuberay-operator"
	// comesBack is after how many seconds the reconciler comes again by itself.
	comesBack = 2
)

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard())
	os.Exit(clustertest.Main(m))
}

// world is KubeRay's operator on a namespace, and what is seen of it.
type world struct {
	t         *testing.T
	client    client.Client // a user's, so its writes are others'
	namespace string
	rec       *tracertest.Recorder
	hub       *hub
	stop      func() // ends the operator and waits until all is sent
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, rec: tracertest.NewRecorder(t), hub: startHub(t)}
	cfg, scheme := clustertest.Config(t), runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, rayv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	installCRDs(t, cfg)
	asUser := rest.CopyConfig(cfg)
	asUser.UserAgent = user
	var err error
	if w.client, err = client.New(asUser, client.Options{Scheme: scheme}); err != nil {
		t.Fatal(err)
	}
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "foreign-"}}
	if err := w.client.Create(t.Context(), ns); err != nil {
		t.Fatal(err)
	}
	w.namespace = ns.Name
	w.operate(cfg, scheme)
	return w
}

// installCRDs takes the definitions from where the controller's source is.
func installCRDs(t *testing.T, cfg *rest.Config) {
	t.Helper()
	folder, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", kuberay).Output()
	if err != nil {
		t.Fatalf("looking for the source of %s: %v", kuberay, err)
	}
	bases := filepath.Join(strings.TrimSpace(string(folder)), "config", "crd", "bases")
	if _, err := envtest.InstallCRDs(cfg, envtest.CRDInstallOptions{
		Paths: []string{filepath.Join(bases, "ray.io_rayclusters.yaml")}, ErrorIfPathMissing: true, MaxTime: time.Minute,
	}); err != nil {
		t.Fatalf("installing the CRD of RayCluster: %v", err)
	}
}

// operate runs the operator as its own main does, but for one line: the manager
// is made by ctrlruntime.
func (w *world) operate(cfg *rest.Config, scheme *runtime.Scheme) {
	w.t.Helper()
	w.t.Setenv(utils.RAYCLUSTER_DEFAULT_REQUEUE_SECONDS_ENV, strconv.Itoa(comesBack))
	cfg.UserAgent = operator
	mgr, err := ctrlruntime.NewManager(cfg, ctrl.Options{
		Scheme: scheme, Metrics: server.Options{BindAddress: "0"},
	}, ctrlruntime.Config{Tracer: tracer.Config{Endpoint: w.hub.relay(w.t, w.rec)}})
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	if err := ray.NewReconciler(ctx, mgr, ray.RayClusterReconcilerOptions{}).SetupWithManager(mgr, 1); err != nil {
		w.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	w.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			w.t.Errorf("the manager ended with: %v", err)
		}
	})
	w.t.Cleanup(w.stop)
	w.awaitSync()
}

// awaitSync waits for the first lists, so that what comes then is news.
func (w *world) awaitSync() {
	w.t.Helper()
	w.rec.WaitRecord(semconv.LogControllerState, func(r tracertest.Record) bool {
		synced := r.Attrs.List(semconv.AttrStateSynced)
		return slices.Contains(synced, "RayCluster") && slices.Contains(synced, "Service") && slices.Contains(synced, "Pod")
	})
}

// pass waits for a pass of the RayCluster that is as match wants.
func (w *world) pass(what string, match func(tracertest.Reconcile) bool) tracertest.Reconcile {
	w.t.Helper()
	var found tracertest.Reconcile
	if !w.rec.Wait(func() bool {
		all := w.passes()
		n := slices.IndexFunc(all, match)
		if n >= 0 {
			found = all[n]
		}
		return n >= 0
	}) {
		w.t.Fatalf("no pass %s; there are:%s", what, w.story())
	}
	return found
}

// passes are all passes so far.
func (w *world) passes() []tracertest.Reconcile { return w.rec.Reconciles(w.item()) }

// item is the one request that there is.
func (w *world) item() string { return w.namespace + "/" + clusterName }

// story is all that was seen, for people.
func (w *world) story() string {
	var b strings.Builder
	for _, p := range w.passes() {
		fmt.Fprintf(&b, "\n%s in %v: %v %v\n", p.Result, p.Root.To.Sub(p.Root.From), p.PhaseNames(), p.Root.Attrs)
		for _, c := range p.Causes {
			fmt.Fprintf(&b, "  cause %+v\n", c)
		}
		for _, r := range p.Reads {
			fmt.Fprintf(&b, "  read %v\n", r.Attrs)
		}
		for _, r := range p.Writes {
			fmt.Fprintf(&b, "  write %s %v\n", r.SpanID, r.Attrs)
		}
	}
	return b.String()
}
