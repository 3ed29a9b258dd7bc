package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Labels of the Pods that a PodSet owns.
const (
	// LabelPodSet holds the name of the PodSet. It is the whole selector.
	LabelPodSet = GroupName + "/podset"
	// LabelTemplate holds a hash of the template that the Pod was made from.
	LabelTemplate = GroupName + "/template"
)

// ConditionReady says whether the PodSet has exactly the Pods that its spec
// asks for, and all of them are ready.
const ConditionReady = "Ready"

// PodSet keeps a number of like Pods running.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:shortName=pset
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:printcolumn:name="Desired",type=integer,JSONPath=`.spec.replicas`
// +kubebuilder:printcolumn:name="Current",type=integer,JSONPath=`.status.replicas`
// +kubebuilder:printcolumn:name="Ready",type=integer,JSONPath=`.status.readyReplicas`
// +kubebuilder:printcolumn:name="Status",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.size() <= 63",message="metadata.name must be 63 characters or fewer, because it is a label of each Pod: choose a shorter name"
type PodSet struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +required
	Spec PodSetSpec `json:"spec"`
	// +optional
	Status PodSetStatus `json:"status,omitempty"`
}

// PodSetSpec is what should be.
type PodSetSpec struct {
	// Replicas is the number of Pods, 0 to 100; it defaults to 1.
	// +kubebuilder:default=1
	// +kubebuilder:validation:XValidation:rule="self >= 0 && self <= 100",message="spec.replicas must be between 0 and 100: choose a number in that range"
	// +optional
	Replicas *int32 `json:"replicas,omitempty"`

	// Template is what each Pod is made from. Its schema is left open: the
	// API server checks it when a Pod is made.
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	// +required
	Template corev1.PodTemplateSpec `json:"template"`
}

// PodSetStatus is what was last seen. Only the controller writes it.
type PodSetStatus struct {
	// ObservedGeneration is the metadata.generation that this status is of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Replicas counts the Pods that are neither finished nor terminating.
	// +optional
	Replicas int32 `json:"replicas"`
	// ReadyReplicas counts those of them that are ready.
	// +optional
	ReadyReplicas int32 `json:"readyReplicas"`
	// Selector is the label selector of the Pods, for the scale subresource.
	// +optional
	Selector string `json:"selector,omitempty"`
	// Conditions holds one condition, of type Ready.
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// PodSetList is a list of PodSets.
//
// +kubebuilder:object:root=true
type PodSetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []PodSet `json:"items"`
}
