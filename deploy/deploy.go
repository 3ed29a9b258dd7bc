// Package deploy holds the manifests that the reconciler needs in a cluster:
// the CustomResourceDefinition, which the reconciler can install itself, the
// RBAC rules, and a sample PodSet.
package deploy

import _ "embed"

// CRD is the CustomResourceDefinition of PodSets, as YAML. It is generated
// from reconciler/api/v1alpha1.
//
//go:embed crd/demo.reconcile-tracer.io_podsets.yaml
var CRD []byte

// RBAC is what the reconciler may do, as YAML of several documents.
//
//go:embed rbac.yaml
var RBAC []byte

// AttachRBAC is what a person may do who runs `tracer attach`, as YAML.
//
//go:embed attach-rbac.yaml
var AttachRBAC []byte

// Sample is a PodSet to begin with, as YAML.
//
//go:embed sample.yaml
var Sample []byte
