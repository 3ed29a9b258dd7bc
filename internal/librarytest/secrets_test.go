package librarytest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/reconcile-tracer/tracer/internal/clustertest"
	"github.com/reconcile-tracer/tracer/tracer"
	"github.com/reconcile-tracer/tracer/tracer/tracertest"
)

// canaries makes a secret of its own for each place.
type canaries map[string]string

func (c canaries) in(place string) string {
	c[place] = fmt.Sprintf("c4n4ry%d-%s", len(c), strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r
		}
		return '-'
	}, strings.ToLower(place)))
	return c[place]
}

// wire keeps the bodies that a hub is sent.
type wire struct {
	mu   sync.Mutex
	sent bytes.Buffer
}

func (w *wire) before(next http.Handler) http.Handler {
	return http.HandlerFunc(func(res http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			http.Error(res, err.Error(), http.StatusBadRequest)
			return
		}
		w.mu.Lock()
		w.sent.Write(body)
		w.mu.Unlock()
		req.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(res, req)
	})
}

// has tells whether text was sent.
func (w *wire) has(text string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return bytes.Contains(w.sent.Bytes(), []byte(text))
}

// Secrets are planted everywhere in objects of a real cluster, which a
// controller reads, writes, observes and fails on; none is sent to the hub.
func TestNoSecretReachesTheHub(t *testing.T) {
	for name, contentType := range map[string]string{"JSON": asJSON, "protobuf": asProtobuf} {
		t.Run(name, func(t *testing.T) {
			rec, w := tracertest.NewRecorder(t), &wire{}
			hub := httptest.NewServer(w.before(rec))
			t.Cleanup(hub.Close)
			r := newRigAt(t, rec, hub.URL, contentType)
			secrets := canaries{}
			r.authorise(contentType, secrets.in("Authorization"))
			informer := r.watch()
			r.reconcile(r.namespace+"/a", func(ctx context.Context) { r.plant(ctx, secrets) })
			clustertest.Eventually(t, "the cache has the ConfigMap", func(context.Context) bool {
				_, there, _ := informer.GetIndexer().GetByKey(r.namespace + "/a")
				return there
			})
			r.reconcile(r.namespace+"/a", func(ctx context.Context) {
				for _, obj := range r.tracer.Indexer(ctx, configMaps, informer.GetIndexer()).List() {
					tracer.Observe(ctx, obj)
				}
			})
			if err := r.tracer.Shutdown(t.Context()); err != nil {
				t.Fatal(err)
			}
			if !w.has("planted-a") {
				t.Fatal("the wire does not even have the writes")
			}
			for place, secret := range secrets {
				if w.has(secret) {
					t.Errorf("the secret in %s is on the wire", place)
				}
			}
		})
	}
}

// authorise has the traced client send a bearer token too.
func (r *rig) authorise(contentType, token string) {
	r.Helper()
	config := clustertest.Get(r).Config()
	config.QPS, config.ContentType = -1, contentType
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(req *http.Request) (*http.Response, error) {
			req = req.Clone(req.Context())
			req.Header.Set("Authorization", "Bearer "+token)
			return next.RoundTrip(req)
		})
	})
	config.Wrap(r.tracer.Transport)
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(client.CloseIdleConnections)
	if r.kube, err = kubernetes.NewForConfigAndClient(config, client); err != nil {
		r.Fatal(err)
	}
}

// plant writes objects with secrets in them, and provokes errors that quote them.
func (r *rig) plant(ctx context.Context, secrets canaries) {
	api := r.kube.CoreV1()
	meta := func(name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Name: name, Annotations: map[string]string{
			"kubectl.kubernetes.io/last-applied-configuration": `{"data":"` + secrets.in("last-applied of "+name) + `"}`,
			"example.com/note": secrets.in("an annotation of " + name),
		}}
	}
	_, err := api.Secrets(r.namespace).Create(ctx, &corev1.Secret{ObjectMeta: meta("planted-a"),
		StringData: map[string]string{"k": secrets.in("a Secret's stringData")}, Data: map[string][]byte{"d": []byte(secrets.in("a Secret's data"))}}, metav1.CreateOptions{})
	r.must(err)
	_, err = api.Secrets(r.namespace).Get(ctx, "planted-a", metav1.GetOptions{})
	r.must(err)
	cm := &corev1.ConfigMap{ObjectMeta: meta("a"), Data: map[string]string{"k": secrets.in("a ConfigMap's data"), secrets.in("a ConfigMap's key"): "v"}}
	_, err = api.ConfigMaps(r.namespace).Create(ctx, cm, metav1.CreateOptions{FieldManager: "writes " + secrets.in("the field manager")})
	r.must(err)
	p := pod("planted-p")
	p.Annotations = meta("a Pod").Annotations
	p.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "PASSWORD", Value: secrets.in("a Pod's env")}}
	p.Spec.Containers[0].Args = []string{"--password=" + secrets.in("a Pod's args")}
	_, err = api.Pods(r.namespace).Create(ctx, p, metav1.CreateOptions{})
	r.must(err)
	_, err = api.Pods(r.namespace).Patch(ctx, "planted-p", types.MergePatchType,
		[]byte(`{"metadata":{"labels":{"bad":"!`+secrets.in("an error body")+`!"}}}`), metav1.PatchOptions{})
	if err == nil {
		r.Error("a bad label was taken")
	}
	tracer.Finish(ctx, fmt.Errorf("reconciling with %s: %w", secrets.in("the reconcile's error"), err))
}

func (r *rig) must(err error) {
	r.Helper()
	if err != nil {
		r.Error(err)
	}
}
