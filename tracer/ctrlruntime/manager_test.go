package ctrlruntime_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/reconcile-tracer/tracer/tracer"
	"github.com/reconcile-tracer/tracer/tracer/ctrlruntime"
	"github.com/reconcile-tracer/tracer/tracer/ctrlruntime/internal/clustertest"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
	"github.com/reconcile-tracer/tracer/tracer/tracertest"
)

// ofController takes the passes of one controller.
func ofController(name string) func(tracertest.Reconcile) bool {
	return func(p tracertest.Reconcile) bool { return p.Root.Attrs.Text(semconv.AttrController) == name }
}

func TestTwoControllersInOneManager(t *testing.T) {
	w := newWorld(t)
	var writer reconcile.Func = func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
		var c corev1.ConfigMap
		if err := w.mgr.GetClient().Get(ctx, req.NamespacedName, &c); err != nil || c.Data["by"] != "" {
			return reconcile.Result{}, client.IgnoreNotFound(err)
		}
		c.Data = map[string]string{"by": "writer"}
		return reconcile.Result{}, w.mgr.GetClient().Update(ctx, &c)
	}
	for name, r := range map[string]reconcile.Reconciler{"writer": writer, "watcher": &script{}} {
		if err := builder.ControllerManagedBy(w.mgr).Named(name).For(&corev1.ConfigMap{}).Complete(r); err != nil {
			t.Fatal(err)
		}
	}
	w.startSynced("ConfigMap")
	w.create(w.configMap("a"))
	updated := func(controller, by string) {
		w.pass("a", "of "+controller+" is caused by an update by "+by, func(p tracertest.Reconcile) bool {
			c, ok := cause(p, func(c tracertest.Cause) bool { return c.What == semconv.CauseUpdate })
			return ofController(controller)(p) && ok && c.By == by
		})
	}
	updated("writer", semconv.BySelf)
	updated("watcher", semconv.ByOther)
}

func TestWaitingForTheLeaseIsVisible(t *testing.T) {
	leads := func(r tracertest.Record) bool {
		return r.Attrs.Text(semconv.AttrStateLease) == semconv.LeaseLeading
	}
	elect := func(o *manager.Options) {
		retry, renew, lease := 100*time.Millisecond, 2*time.Second, 3*time.Second
		o.LeaderElection, o.LeaderElectionID, o.LeaderElectionNamespace = true, "ctrlruntime-test", "default"
		o.LeaderElectionReleaseOnCancel = true
		o.RetryPeriod, o.RenewDeadline, o.LeaseDuration = &retry, &renew, &lease
	}
	run := func() *world {
		w := newWorld(t, elect)
		if err := builder.ControllerManagedBy(w.mgr).For(&corev1.ConfigMap{}).Complete(&script{}); err != nil {
			t.Fatal(err)
		}
		w.start()
		return w
	}
	leader := run()
	leader.rec.WaitRecord(semconv.LogControllerState, leads)
	waiting := run()
	waiting.rec.WaitRecord(semconv.LogControllerState, func(r tracertest.Record) bool {
		return r.Attrs.Text(semconv.AttrStateLease) == semconv.LeaseWaiting
	})
	leader.stop()
	waiting.rec.WaitRecord(semconv.LogControllerState, leads)
}

// request is a request that is no reconcile.Request.
type request struct{ namespace, name string }

func TestTraceTracesControllersOfOtherRequests(t *testing.T) {
	w := newWorld(t)
	traced := ctrlruntime.Trace(w.mgr, "typed", corev1.SchemeGroupVersion.WithKind("ConfigMap"),
		func(r request) (string, string) { return r.namespace, r.name })
	var r reconcile.TypedReconciler[request] = reconcile.TypedFunc[request](
		func(ctx context.Context, r request) (reconcile.Result, error) {
			var c corev1.ConfigMap
			return reconcile.Result{}, w.mgr.GetClient().Get(ctx, types.NamespacedName{Namespace: r.namespace, Name: r.name}, &c)
		})
	add := handler.TypedFuncs[client.Object, request]{
		CreateFunc: func(_ context.Context, e event.CreateEvent, q workqueue.TypedRateLimitingInterface[request]) {
			q.Add(request{e.Object.GetNamespace(), e.Object.GetName()})
		},
	}
	err := builder.TypedControllerManagedBy[request](w.mgr).Named("typed").
		WithOptions(controller.TypedOptions[request]{NewQueue: traced.NewQueue}).
		WatchesRawSource(source.TypedKind[client.Object, request](w.mgr.GetCache(), &corev1.ConfigMap{}, add)).
		Complete(traced.Reconciler(r))
	if err != nil {
		t.Fatal(err)
	}
	w.startSynced("ConfigMap")
	w.create(w.configMap("a"))
	p := w.passes("a", 1)[0]
	if p.Causes[0].What != semconv.CauseAdd || len(p.Reads) != 1 || p.Root.Attrs.Text(semconv.AttrObjectResourceVersion) == "" {
		t.Errorf("causes %+v, reads %+v, want an add and one read of the object", p.Causes, p.Reads)
	}
}

func TestLiveReadsAreToldFromCachedOnes(t *testing.T) {
	w := newWorld(t)
	var r reconcile.Func = func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
		var c corev1.ConfigMap
		if err := w.mgr.GetAPIReader().Get(ctx, req.NamespacedName, &c); err != nil {
			return reconcile.Result{}, err
		}
		var list corev1.ConfigMapList
		return reconcile.Result{}, w.mgr.GetClient().List(ctx, &list, client.InNamespace(req.Namespace))
	}
	if err := builder.ControllerManagedBy(w.mgr).For(&corev1.ConfigMap{}).Complete(r); err != nil {
		t.Fatal(err)
	}
	w.startSynced("ConfigMap")
	w.create(w.configMap("a"))
	var got []string
	for _, read := range w.passes("a", 1)[0].Reads {
		got = append(got, read.Attrs.Text(semconv.AttrReadSource)+" "+read.Attrs.Text(semconv.AttrReadKind))
	}
	if want := []string{"api ConfigMap", "cache ConfigMap"}; !slices.Equal(got, want) {
		t.Errorf("reads %v, want %v", got, want)
	}
}

// A read right after an own write finds the cache behind it. That is certain
// where the store knows its version, and where the object is there.
func TestStaleReadIsSeen(t *testing.T) {
	w := newWorld(t)
	var r reconcile.Func = func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
		var c corev1.ConfigMap
		if err := w.mgr.GetClient().Get(ctx, req.NamespacedName, &c); err != nil || len(c.Data["n"]) > 40 {
			return reconcile.Result{}, err
		}
		c.Data = map[string]string{"n": c.Data["n"] + "1"} // so that there are many tries
		if err := w.mgr.GetClient().Update(ctx, &c); err != nil {
			return reconcile.Result{}, err
		}
		return reconcile.Result{}, w.mgr.GetClient().Get(ctx, req.NamespacedName, &c)
	}
	if err := builder.ControllerManagedBy(w.mgr).For(&corev1.ConfigMap{}).Complete(r); err != nil {
		t.Fatal(err)
	}
	w.startSynced("ConfigMap")
	w.create(w.configMap("a"))
	p := w.pass("a", "reads what it has not seen of its own write", func(p tracertest.Reconcile) bool {
		return len(p.Reads) == 2 && p.Reads[1].Attrs.Text(semconv.AttrReadStale) == semconv.StaleYes
	})
	if n := p.Reads[1].Attrs.Int(semconv.AttrReadStaleBy); n != 1 {
		t.Errorf("stale by %d writes, want 1", n)
	}
}

func TestAWatchThatIsForbiddenIsSeen(t *testing.T) {
	w := newWorld(t)
	cfg := clustertest.Config(t)
	cfg.Impersonate.UserName = "nobody"
	rec := tracertest.NewRecorder(t)
	mgr, err := ctrlruntime.NewManager(cfg, manager.Options{
		Metrics:    server.Options{BindAddress: "0"},
		Controller: ctrlconfig.Controller{SkipNameValidation: new(true)},
		// The mapping of kinds needs no rights, the list does.
		MapperProvider: func(*rest.Config, *http.Client) (meta.RESTMapper, error) { return w.client.RESTMapper(), nil },
	}, ctrlruntime.Config{Tracer: tracer.Config{Endpoint: rec.URL()}})
	if err != nil {
		t.Fatal(err)
	}
	w.mgr = mgr
	if err := builder.ControllerManagedBy(w.mgr).Named("forbidden").For(&corev1.ConfigMap{}).Complete(&script{}); err != nil {
		t.Fatal(err)
	}
	w.start()
	rec.WaitRecord(semconv.LogControllerState, func(r tracertest.Record) bool {
		return r.Attrs.Text(semconv.AttrStateWatchError) == "ConfigMap: Forbidden" &&
			slices.Contains(r.Attrs.List(semconv.AttrStateUnsynced), "ConfigMap")
	})
}

func TestSeveralNamespaces(t *testing.T) {
	w := newWorld(t)
	other := w.newNamespace()
	w2 := newWorld(t, func(o *manager.Options) {
		o.Cache.DefaultNamespaces = map[string]cache.Config{w.namespace: {}, other: {}}
		o.Cache.DefaultLabelSelector = nil
	})
	if err := builder.ControllerManagedBy(w2.mgr).For(&corev1.ConfigMap{}).Complete(&script{}); err != nil {
		t.Fatal(err)
	}
	w2.startSynced("ConfigMap")
	for _, namespace := range []string{w.namespace, other} {
		c := w.configMap("a")
		c.Namespace = namespace
		w.create(c)
		if p := w2.rec.WaitReconciles(namespace+"/a", 1)[0]; p.Causes[0].What != semconv.CauseAdd {
			t.Errorf("%s: caused by %+v, want an add", namespace, p.Causes)
		}
	}
}

func TestWithoutAnEndpointNothingIsWrapped(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "")
	cfg := clustertest.Config(t)
	mgr, err := ctrlruntime.NewManager(cfg, manager.Options{}, ctrlruntime.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if cfg.WrapTransport != nil || mgr.GetConfig().WrapTransport != nil {
		t.Error("the transport is wrapped")
	}
	if c := ctrlruntime.Trace[request](mgr, "x", corev1.SchemeGroupVersion.WithKind("Pod"), nil); c.Reconciler(nil) != nil {
		t.Error("a reconciler is made of nothing")
	}
}

func TestWrongSettingsAreNamed(t *testing.T) {
	_, err := ctrlruntime.NewManager(clustertest.Config(t), manager.Options{}, ctrlruntime.Config{
		Tracer: tracer.Config{Endpoint: "127.0.0.1:7780"},
	})
	if err == nil || !strings.Contains(err.Error(), "Endpoint") {
		t.Errorf("error %v, want one that names Endpoint", err)
	}
	if _, err := ctrlruntime.NewManager(nil, manager.Options{}, ctrlruntime.Config{
		Tracer: tracer.Config{Endpoint: "http://127.0.0.1:1"},
	}); err == nil {
		t.Error("no error without a rest.Config")
	}
}

func TestAHubThatIsAwayChangesNothing(t *testing.T) {
	w := newWorld(t)
	s := &script{steps: []func(context.Context) (reconcile.Result, error){fails}}
	if err := builder.ControllerManagedBy(w.mgr).For(&corev1.ConfigMap{}).Complete(s); err != nil {
		t.Fatal(err)
	}
	w.rec.Close()
	w.start()
	w.create(w.configMap("a"))
	deadline := time.After(10 * time.Second)
	for tick := time.NewTicker(10 * time.Millisecond); s.calls.Load() < 2; {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("%d calls, want 2", s.calls.Load())
		}
	}
}

func TestConflictIsNamed(t *testing.T) {
	w := newWorld(t)
	var r reconcile.Func = func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
		var c corev1.ConfigMap
		if err := w.mgr.GetClient().Get(ctx, req.NamespacedName, &c); err != nil {
			return reconcile.Result{}, err
		}
		c.ResourceVersion = "1"
		err := w.mgr.GetClient().Update(ctx, &c)
		if !apierrors.IsConflict(err) {
			return reconcile.Result{}, err
		}
		return reconcile.Result{}, reconcile.TerminalError(err)
	}
	if err := builder.ControllerManagedBy(w.mgr).For(&corev1.ConfigMap{}).Complete(r); err != nil {
		t.Fatal(err)
	}
	w.startSynced("ConfigMap")
	w.create(w.configMap("a"))
	p := w.passes("a", 1)[0]
	if kind := p.Root.Attrs.Text(semconv.AttrErrorType); kind != "Conflict" || p.Writes[0].Attrs.Text(semconv.AttrErrorType) != "Conflict" {
		t.Errorf("the error is %q, want Conflict", kind)
	}
}

func TestAControllerOfARunningManager(t *testing.T) {
	w := newWorld(t)
	w.start()
	<-w.mgr.Elected()
	if err := builder.ControllerManagedBy(w.mgr).Named("late").For(&corev1.ConfigMap{}).Complete(&script{}); err != nil {
		t.Fatal(err)
	}
	w.create(w.configMap("a"))
	if p := w.passes("a", 1)[0]; !ofController("late")(p) {
		t.Errorf("a pass of %v, want late", p.Root.Attrs)
	}
}
