package main

import (
	"fmt"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdclient "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/utils/ptr"
)

// TestPodOfANewKindIsCollected deletes an object whose kind was defined a moment
// ago: its Pod must go soon, not after the half minute that an unchanged
// controller manager needs to learn of a new kind.
func TestPodOfANewKindIsCollected(t *testing.T) {
	client, cfg := sharedCluster(t).client(t, "")
	ns := namespace(t, client)
	crds, err := crdclient.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := crds.ApiextensionsV1().CustomResourceDefinitions().Create(t.Context(), owners(), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	dyn, err := dynamic.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	resource := dyn.Resource(schema.GroupVersionResource{Group: "example.test", Version: "v1", Resource: "owners"}).Namespace(ns)
	owner := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.test/v1", "kind": "Owner", "metadata": map[string]any{"name": "o"}}}
	eventually(t, 10*time.Second, func() string {
		made, err := resource.Create(t.Context(), owner, metav1.CreateOptions{})
		if err == nil {
			owner = made
		}
		return errText(err)
	})
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "owned"}, Spec: podSpec(v1.PodSpec{})}
	pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "example.test/v1", Kind: "Owner", Name: "o", UID: owner.GetUID(), Controller: ptr.To(true)}}
	if _, err := client.CoreV1().Pods(ns).Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	awaitReadyPods(t, client, ns, 1)
	if err := resource.Delete(t.Context(), "o", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, 15*time.Second, func() string {
		if left := listPods(t, client, ns); len(left) > 0 {
			return fmt.Sprintf("%d pods are left", len(left))
		}
		return ""
	})
}

func owners() *apiextensions.CustomResourceDefinition {
	return &apiextensions.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "owners.example.test"},
		Spec: apiextensions.CustomResourceDefinitionSpec{
			Group: "example.test",
			Scope: apiextensions.NamespaceScoped,
			Names: apiextensions.CustomResourceDefinitionNames{Kind: "Owner", Plural: "owners"},
			Versions: []apiextensions.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema: &apiextensions.CustomResourceValidation{OpenAPIV3Schema: &apiextensions.JSONSchemaProps{Type: "object"}},
			}},
		},
	}
}
