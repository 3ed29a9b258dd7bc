package tracer

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
)

const answer = `{"kind":"PodSet","apiVersion":"x/v1","metadata":{"managedFields":[{"manager":"m","fieldsV1":
{"f:metadata":{"uid":"no","resourceVersion":"no","name":"no"}}}],"name":"a","namespace":"d","uid":"u-1",
"resourceVersion":"42","annotations":{"uid":"no","k":"q\"}]{"}},"spec":{"replicas":3,"password":7,"template":
{"metadata":{"uid":"no"},"spec":{"replicas":9}}},"status":{"phase":"Ready","readyReplicas":2,"healthy":true,
"note":"secret words","token":"tkn","nested":{"n":1},"conditions":[{"message":"secret","reason":"Enough",
"status":"True","type":"Available"},{"type":"Bad type!","status":"True"}]}}`

func scanIn(s scanner, body string, piece int) scanned {
	for len(body) > 0 {
		n := min(piece, len(body))
		_, _ = s.Write([]byte(body[:n]))
		body = body[n:]
	}
	return s.result()
}

func TestJSONScanner(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want scanned
	}{
		"object, managedFields first": {answer, scanned{
			kind: "PodSet", name: "a", uid: "u-1", version: "42",
			fields: []string{
				"spec.replicas=3", "status.conditions.Available.reason=Enough", "status.conditions.Available=True",
				"status.healthy=true", "status.phase=Ready", "status.readyReplicas=2",
			},
		}},
		"Status of a conflict": {
			`{"kind":"Status","metadata":{},"status":"Failure","message":"secret","reason":"Conflict","details":{"name":"a","uid":"u-2"},"code":409}`,
			scanned{kind: "Status", reason: "Conflict", goneUID: "u-2"},
		},
		"list": {
			`{"kind":"PodList","metadata":{"resourceVersion":"9"},"items":[{"metadata":{"uid":"no"}},{"items":[{},{}]}]}`,
			scanned{kind: "PodList", version: "9", items: 2, objects: []version{{uid: "no"}}},
		},
		"delete options": {`{"preconditions":{"uid":"u","resourceVersion":"7"}}`, scanned{uid: "u", version: "7"}},
		"a JSON patch":   {`[{"op":"test","path":"/metadata/uid","value":"no"}]`, scanned{}},
		"null and empty": {`{"metadata":null,"spec":{"replicas":null},"status":{}}`, scanned{}},
		"escapes":        {`{"metadata":{"na\u006de":"no","name":"a\"b","uid":"u"}}`, scanned{uid: "u"}},
		"too long":       {`{"metadata":{"name":"` + strings.Repeat("x", 5000) + `","uid":"u"}}`, scanned{uid: "u"}},
		"garbage":        {`}}]]{{{"metadata`, scanned{}},
		"cut off":        {`{"metadata":{"uid":"u","name":"a`, scanned{uid: "u"}},
		"owned":          {`{"metadata":{"ownerReferences":[{"kind":"no","uid":"o","name":"no"}],"uid":"u"}}`, scanned{uid: "u", owned: true}},
		"no owners":      {`{"metadata":{"ownerReferences":[],"uid":"u"}}`, scanned{uid: "u"}},
		"empty":          {``, scanned{}},
		"deep":           {strings.Repeat(`{"metadata":`, 10000), scanned{}},
	} {
		for _, piece := range []int{1, 7, 1 << 20} {
			got := scanIn(newJSONScanner(), c.body, piece)
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("%s in pieces of %d:\n got %+v\nwant %+v", name, piece, got, c.want)
			}
		}
	}
}

func TestProtoScanner(t *testing.T) {
	meta := metav1.ObjectMeta{
		Name: "p-x7", GenerateName: "p-", Namespace: "d", UID: "u-1", ResourceVersion: "42",
		Annotations:   map[string]string{"uid": "no"},
		ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "m", FieldsV1: fieldSet(t, `{"f:x":{}}`)}},
	}
	spec := corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Env: []corev1.EnvVar{{Name: "A", Value: "secret"}}}}}
	for name, c := range map[string]struct {
		obj  runtime.Object
		kind string
		want scanned
	}{
		"pod": {&corev1.Pod{ObjectMeta: meta, Spec: spec}, "Pod", scanned{kind: "Pod", name: "p-x7", uid: "u-1", version: "42"}},
		"owned": {
			&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", UID: "u", OwnerReferences: []metav1.OwnerReference{{Name: "no", UID: "o"}}}},
			"Pod", scanned{kind: "Pod", name: "p", uid: "u", owned: true},
		},
		"list": {&corev1.PodList{Items: []corev1.Pod{{ObjectMeta: meta}, {ObjectMeta: meta, Spec: spec}}}, "PodList", scanned{kind: "PodList", items: 2}},
		"status": {
			&metav1.Status{Message: "secret", Reason: "AlreadyExists", Details: &metav1.StatusDetails{Name: "p", UID: "u-2"}},
			"Status", scanned{kind: "Status", reason: "AlreadyExists", goneUID: "u-2"},
		},
		"empty": {&corev1.Pod{}, "Pod", scanned{kind: "Pod"}},
	} {
		body := encodeProto(t, c.obj, c.kind)
		for _, piece := range []int{1, 5, 1 << 20} {
			if got := scanIn(newProtoScanner(), body, piece); !reflect.DeepEqual(got, c.want) {
				t.Errorf("%s in pieces of %d:\n got %+v\nwant %+v", name, piece, got, c.want)
			}
		}
	}
}

func fieldSet(t *testing.T, raw string) *metav1.FieldsV1 {
	t.Helper()
	f := new(metav1.FieldsV1)
	if err := f.UnmarshalJSON([]byte(raw)); err != nil {
		t.Fatal(err)
	}
	return f
}

func encodeProto(t *testing.T, obj runtime.Object, kind string) string {
	t.Helper()
	obj.GetObjectKind().SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind(kind))
	var b strings.Builder
	if err := protobuf.NewSerializer(nil, nil).Encode(obj, &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestScannersTakeNothingFromSecrets(t *testing.T) {
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "s", UID: "u", Annotations: map[string]string{"a": "canary"}},
		Data:       map[string][]byte{"canary": []byte("canary")}, StringData: map[string]string{"k": "canary"},
	}
	body, err := json.Marshal(secret)
	if err != nil {
		t.Fatal(err)
	}
	want := scanned{name: "s", uid: "u"}
	if got := scanIn(newJSONScanner(), string(body), 64); !reflect.DeepEqual(got, want) {
		t.Errorf("from JSON: %+v", got)
	}
	want.kind = "Secret"
	if got := scanIn(newProtoScanner(), encodeProto(t, secret, "Secret"), 64); !reflect.DeepEqual(got, want) {
		t.Errorf("from protobuf: %+v", got)
	}
}

func FuzzScanners(f *testing.F) {
	f.Add([]byte(answer), uint8(3))
	f.Add([]byte(protoMagic+"\x0a\x05\x12\x03Pod\x12\x04\x0a\x02\x0a\x00"), uint8(1))
	f.Fuzz(func(t *testing.T, body []byte, piece uint8) {
		for _, fresh := range []func() scanner{
			func() scanner { return newJSONScanner() },
			func() scanner { return newProtoScanner() },
		} {
			whole := scanIn(fresh(), string(body), len(body)+1)
			if pieces := scanIn(fresh(), string(body), int(piece)+1); !reflect.DeepEqual(whole, pieces) {
				t.Errorf("whole: %+v\nin pieces: %+v", whole, pieces)
			}
		}
	})
}
