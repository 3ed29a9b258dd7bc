package tracer_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/reconcile-tracer/tracer/tracer"
)

const canary = "c4n4ry-5ecret"

// secretive is an object with the canary wherever a value may be secret.
func secretive(version, generation string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: "a", UID: "u", ResourceVersion: version, Generation: int64(len(generation)),
			Labels:      map[string]string{"l": canary},
			Annotations: map[string]string{"kubectl.kubernetes.io/last-applied-configuration": canary},
			ManagedFields: []metav1.ManagedFieldsEntry{{
				Manager: "a manager called " + canary, FieldsV1: fieldSet(`{"f:` + canary + `":{}}`),
			}},
		},
		Spec: corev1.PodSpec{
			NodeName:   canary + generation,
			Containers: []corev1.Container{{Name: "c", Env: []corev1.EnvVar{{Name: "PASSWORD", Value: canary}}}},
		},
		Status: corev1.PodStatus{
			Message: canary, Reason: canary,
			Conditions: []corev1.PodCondition{{Type: "Ready", Status: "False", Reason: "because " + canary, Message: canary}},
		},
	}
}

func fieldSet(raw string) *metav1.FieldsV1 {
	f := new(metav1.FieldsV1)
	_ = f.UnmarshalJSON([]byte(raw)) // never fails
	return f
}

// Secrets are planted wherever the library looks; none may reach the wire.
func TestNoSecretLeavesTheProcess(t *testing.T) {
	var mu sync.Mutex
	var wire bytes.Buffer
	hub := serveHub(t, func(_ http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Content-Encoding") != "" {
			t.Error("what is sent on the loopback is compressed")
		}
		mu.Lock()
		defer mu.Unlock()
		_, _ = io.Copy(&wire, r.Body)
	})
	tr := startAt(t, hub, 0)
	q := newQueue(t, tr)
	body := `{"kind":"Status","reason":"Because ` + canary + `","message":"` + canary + `","details":{"name":"` + canary + `"},
		"metadata":{"annotations":{"a":"` + canary + `"}},"data":{"k":"` + canary + `"},"stringData":{"k":"` + canary + `"},
		"spec":{"replicas":"` + canary + `","token":"` + canary + `"},"status":{"phase":"the ` + canary + `","x":"` + canary + `"}}`
	a := newAPI(t, tr, 422, body)
	store := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	if err := store.Add(secretive("1", "1")); err != nil {
		t.Fatal(err)
	}
	adding(q).OnUpdate(secretive("1", "1"), secretive("2", "22"))
	pass(t, q, func(ctx context.Context, _ string) {
		tr.Indexer(ctx, podSet, store).List()
		tracer.Observe(ctx, secretive("1", "1"))
		tracer.Observe(ctx, secretive("2", "22"))
		a.do(ctx, t, "POST", "/api/v1/namespaces/default/secrets", body)
		a.do(ctx, t, "GET", "/api/v1/namespaces/default/secrets/s", "")
		tracer.Finish(ctx, errors.New(canary))
		q.AddRateLimited("default/a")
	})
	if err := tr.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(wire.Bytes(), []byte("spec.nodeName=changed ")) {
		t.Error("the change of the Pod was not told at all")
	}
	if bytes.Contains(wire.Bytes(), []byte(canary)) {
		t.Error("a secret is on the wire")
	}
}
