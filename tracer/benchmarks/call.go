package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/reconcile-tracer/tracer/tracer"
)

func newBody(b []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(b)) }

// pod is a Pod as an API server gives it: 3 kB, half of it managedFields.
func pod(name, version string) *corev1.Pod {
	fields := &metav1.FieldsV1{}
	_ = fields.UnmarshalJSON(managed) // never fails
	env := make([]corev1.EnvVar, 12)
	for i := range env {
		env[i] = corev1.EnvVar{Name: "SETTING_" + string(rune('A'+i)), Value: "some value of a setting"}
	}
	return &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: name, UID: "0a1b2c3d-0000-4000-8000-1234567890ab", ResourceVersion: version, Generation: 1,
			Labels:        map[string]string{"app": "bench", "pod-template-hash": "abcdef"},
			ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "bench", Operation: "Update", APIVersion: "v1", FieldsType: "FieldsV1", FieldsV1: fields}},
		},
		Spec: corev1.PodSpec{NodeName: "node", Containers: []corev1.Container{{Name: "c", Image: "busybox:1.37", Env: env}}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{
			{Type: corev1.PodReady, Status: corev1.ConditionTrue, Reason: "Up"},
		}},
	}
}

// managed is a managedFields entry's set of fields.
var managed = func() []byte {
	set := map[string]any{}
	for i := range 40 {
		set["f:field"+string(rune('a'+i%26))+string(rune('a'+i/26))] = map[string]any{".": map[string]any{}, "f:value": map[string]any{}}
	}
	raw, _ := json.Marshal(set) // never fails
	return raw
}()

// The bodies that client-go sends; protobuf is its default for built-in kinds.
const (
	asJSON     = "application/json"
	asProtobuf = "application/vnd.kubernetes.protobuf"
)

// podBody is a Pod's body.
func podBody(contentType string) []byte {
	if contentType == asJSON {
		raw, _ := json.Marshal(pod("a", "7")) // never fails
		return raw
	}
	var raw bytes.Buffer
	_ = protobuf.NewSerializer(scheme.Scheme, scheme.Scheme).Encode(pod("a", "7"), &raw) // never fails
	return raw.Bytes()
}

// calls sends n PUTs through rt and reads the answers, as a client does.
func calls(ctx context.Context, rt http.RoundTripper, contentType string, body []byte) func(n int) {
	url := "https://10.0.0.1/api/v1/namespaces/default/pods/a/status"
	buf := make([]byte, 4<<10)
	return func(n int) {
		for range n {
			// A request that is well-formed once is so always, and canned never fails.
			req, _ := http.NewRequestWithContext(ctx, http.MethodPut, url, bytes.NewReader(body))
			req.Header.Set("Content-Type", contentType)
			res, _ := rt.RoundTrip(req)
			for err := error(nil); err == nil; {
				_, err = res.Body.Read(buf)
			}
			_ = res.Body.Close()
		}
	}
}

// callSides are an API call bare, through otelhttp's transport and through the
// tracer's.
func callSides(ctx context.Context, t *tracer.Tracer, contentType string) []side {
	body := podBody(contentType)
	next := canned{contentType, body}
	other := otelhttp.NewTransport(next, otelhttp.WithTracerProvider(bareSDK()))
	return []side{
		{"tracer", calls(ctx, t.Transport(next), contentType, body)},
		{"otelhttp", calls(context.Background(), other, contentType, body)},
		{"bare", calls(context.Background(), next, contentType, body)},
	}
}
