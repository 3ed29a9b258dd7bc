// Package actions does to a cluster what a person asks for on the page: it
// creates, scales, changes and deletes PodSets and their Pods by ordinary API
// requests, so that a controller has something real to reconcile. It knows
// nothing of the controller.
//
// Every argument is checked before anything is sent, and the namespaces of
// Kubernetes itself (kube-…) are left alone. The errors say what to do, and
// carry an HTTP status.
package actions
