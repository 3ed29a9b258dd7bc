package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Names of the group and its kind.
const (
	GroupName = "demo.reconcile-tracer.io"
	Kind      = "PodSet"
	Resource  = "podsets"
	// CRDName is the name of the CustomResourceDefinition.
	CRDName = Resource + "." + GroupName
)

// SchemeGroupVersion is the group and version of this package.
var SchemeGroupVersion = schema.GroupVersion{Group: GroupName, Version: "v1alpha1"}

// PodSetKind is the group, version and kind of a PodSet.
var PodSetKind = SchemeGroupVersion.WithKind(Kind)

// PodSetResource is the group, version and resource of PodSets.
var PodSetResource = SchemeGroupVersion.WithResource(Resource)

// AddToScheme registers the types of this package, and the meta types that
// lists and watches of them need, with scheme. It never fails.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(SchemeGroupVersion, &PodSet{}, &PodSetList{})
	metav1.AddToGroupVersion(scheme, SchemeGroupVersion)
	return nil
}
