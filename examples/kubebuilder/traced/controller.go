package main

import (
	"context"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// InfoReconciler keeps a ConfigMap for each Deployment that tells its replicas.
type InfoReconciler struct {
	client.Client
	Scheme *runtime.Scheme
}

// Reconcile makes the ConfigMap what it should be.
func (r *InfoReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var d appsv1.Deployment
	if err := r.Get(ctx, req.NamespacedName, &d); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	info := corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: d.Namespace, Name: d.Name + "-info"}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, &info, func() error {
		info.Data = map[string]string{"replicas": strconv.Itoa(int(*d.Spec.Replicas))}
		return controllerutil.SetControllerReference(&d, &info, r.Scheme)
	})
	return ctrl.Result{}, err
}

// SetupWithManager adds the controller to mgr.
func (r *InfoReconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&appsv1.Deployment{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Owns(&corev1.ConfigMap{}).
		Complete(r)
}
