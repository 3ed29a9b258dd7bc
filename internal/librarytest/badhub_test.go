package librarytest

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/reconcile-tracer/tracer/tracer"
)

// things is how many ConfigMaps the small controller works on, rounds how
// often it writes each of them.
const (
	things = 20
	rounds = 5
)

// answering is a hub that answers like this, until over is closed.
func answering(status int, header http.Header) func(<-chan struct{}) http.HandlerFunc {
	return func(<-chan struct{}) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			for name, values := range header {
				w.Header()[name] = values
			}
			w.WriteHeader(status)
		}
	}
}

func hanging(over <-chan struct{}) http.HandlerFunc {
	return func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-over:
		case <-r.Context().Done():
		}
	}
}

// garbage answers with what is no HTTP.
func garbage(<-chan struct{}) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		_, _ = conn.Write(bytes.Repeat([]byte("\x00nonsense"), 1000))
		_ = conn.Close()
	}
}

func endless(over <-chan struct{}) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for piece := make([]byte, 1<<16); ; {
			select {
			case <-over:
				return
			case <-r.Context().Done():
				return
			default:
			}
			if _, err := w.Write(piece); err != nil {
				return
			}
		}
	}
}

// killed takes a few requests; then nobody is there any more.
func killed(<-chan struct{}) http.HandlerFunc {
	var n atomic.Int32
	return func(w http.ResponseWriter, _ *http.Request) {
		if n.Add(1) > 5 {
			if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
				_ = conn.Close()
			}
		}
	}
}

// Whatever the hub does, the controller does what it does without one, as fast,
// in bounded memory, and what could not be sent is counted.
func TestABadHubChangesNothingForTheController(t *testing.T) {
	plain := newRigAt(t, nil, "", asProtobuf).converge()
	down, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := down.Close(); err != nil {
		t.Fatal(err)
	}
	for name, hub := range map[string]func(<-chan struct{}) http.HandlerFunc{
		"down": nil, "killed": killed, "hanging": hanging, "garbage": garbage, "endless": endless,
		"500": answering(500, nil), "429": answering(429, http.Header{"Retry-After": {"1"}}),
	} {
		t.Run(name, func(t *testing.T) {
			url := "http://" + down.Addr().String()
			if hub != nil {
				over := make(chan struct{})
				server := httptest.NewServer(hub(over))
				t.Cleanup(func() { close(over); server.Close() })
				url = server.URL
			}
			r := newRigAt(t, nil, url, asProtobuf)
			before := heap()
			took := r.converge()
			// A machine that others use too is slow at times; a hub that holds the
			// controller up does so for a second at the least, and each time.
			if limit := 3*plain + time.Second; took > limit {
				t.Errorf("the controller took %v, without a hub %v", took, plain)
			}
			if grown := heap() - before; grown > 16<<20 {
				t.Errorf("the heap has grown by %d bytes", grown)
			}
			if name != "endless" && r.tracer.Dropped() == 0 {
				t.Error("nothing is counted as dropped")
			}
		})
	}
}

// heap is what is alive in bytes.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// converge makes the things, runs a small controller over them until it has
// written each as often as it should, checks that, and tells how long it took.
func (r *rig) converge() time.Duration {
	r.Helper()
	api := r.admin.CoreV1().ConfigMaps(r.namespace)
	for i := range things {
		m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "thing-" + strconv.Itoa(i)}, Data: map[string]string{"count": "0"}}
		if _, err := api.Create(r.Context(), m, metav1.CreateOptions{}); err != nil {
			r.Fatal(err)
		}
	}
	began := time.Now()
	done := r.run()
	for through := map[string]bool{}; len(through) < things; {
		select {
		case key := <-done:
			through[key] = true
		case <-time.After(time.Minute):
			r.Fatal("the controller is not through after a minute")
		}
	}
	took := time.Since(began)
	list, err := api.List(r.Context(), metav1.ListOptions{})
	if err != nil {
		r.Fatal(err)
	}
	for _, m := range list.Items {
		if m.Name != "kube-root-ca.crt" && m.Data["count"] != strconv.Itoa(rounds) {
			r.Errorf("%s has counted to %q, want %d", m.Name, m.Data["count"], rounds)
		}
	}
	return took
}

// run runs a controller of two workers until the test ends, which tells what is
// through, a thing more than once if it is reconciled again.
func (r *rig) run() <-chan string {
	informer := r.watch()
	done := make(chan string, 10*things*rounds)
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for r.work(informer.GetIndexer(), done) {
			}
		})
	}
	r.Cleanup(func() { r.queue.ShutDown(); workers.Wait() })
	return done
}

func (r *rig) work(indexer cache.Indexer, done chan<- string) bool {
	key, quit := r.queue.Get()
	if quit {
		return false
	}
	defer r.queue.Done(key)
	ctx := r.queue.Context(context.Background(), key)
	through, err := r.count(ctx, listers.NewConfigMapLister(r.tracer.Indexer(ctx, configMaps, indexer)), key)
	tracer.Finish(ctx, err)
	switch {
	case err != nil:
		r.queue.AddRateLimited(key) // a conflict with a cache that lags is as usual
	case through:
		done <- key
	default:
		r.queue.Forget(key)
	}
	return true
}

// count adds one to a thing's count until it is rounds.
func (r *rig) count(ctx context.Context, lister listers.ConfigMapLister, key string) (through bool, err error) {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return false, err
	}
	m, err := lister.ConfigMaps(namespace).Get(name)
	if err != nil {
		return false, err
	}
	n, err := strconv.Atoi(m.Data["count"])
	if err != nil || n == rounds {
		return err == nil, err
	}
	m = m.DeepCopy()
	m.Data["count"] = strconv.Itoa(n + 1)
	_, err = r.kube.CoreV1().ConfigMaps(namespace).Update(ctx, m, metav1.UpdateOptions{})
	return false, err
}
