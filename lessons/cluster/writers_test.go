package cluster

import (
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/reconcile-tracer/tracer/internal/clustertest"
)

// Both writers send the object back whole, by the version that they read. What
// the controller writes in between is not taken for the conflict.
func TestBothWritersUpdate(t *testing.T) {
	r := begin(t, "lesson-writers")
	do(t, r, "      - apply: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n")
	var sent []string
	between := func() {
		_, err := r.kube.CoreV1().ConfigMaps(r.Namespace).Patch(t.Context(), "a", types.MergePatchType, []byte(`{"data":{"x":"1"}}`), metav1.PatchOptions{})
		if err != nil {
			t.Error(err)
		}
	}
	cfg := clustertest.Get(t).Config()
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(req *http.Request) (*http.Response, error) {
			if sent = append(sent, req.Method); len(sent) == 2 {
				between()
			}
			return next.RoundTrip(req)
		})
	})
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	watched := &Run{Cluster: c, Namespace: r.Namespace}
	said := do(t, watched, `
      - write-old: {object: ConfigMap/a, set: metadata.annotations.colour, each: [blue, green]}
        refused: Conflict
`)
	if want := "a write with an old version of ConfigMap a was refused (409 Conflict)"; said != want {
		t.Errorf("it said %q, want %q", said, want)
	}
	if got, want := strings.Join(sent, " "), "GET PUT GET PUT PUT"; got != want {
		t.Errorf("the requests were %s, want %s", got, want)
	}
	if m := r.configMap(t, "a"); m.Annotations["colour"] != "blue" || m.Data["x"] != "1" {
		t.Errorf("in the end there is %+v", m)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
