// Package v1alpha1 holds version v1alpha1 of the API group
// demo.reconcile-tracer.io, whose one kind is the PodSet.
//
// +kubebuilder:object:generate=true
// +groupName=demo.reconcile-tracer.io
package v1alpha1

// The two commands that make what is generated from this package.
//go:generate go run sigs.k8s.io/controller-tools/cmd/controller-gen@v0.23.0 object paths=.
//go:generate go run sigs.k8s.io/controller-tools/cmd/controller-gen@v0.23.0 crd paths=. output:crd:dir=../../../deploy/crd
