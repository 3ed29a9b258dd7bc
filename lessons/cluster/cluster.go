package cluster

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/reconcile-tracer/tracer/lessons/format"
)

// Manager is the user agent of the requests and the manager of the fields that
// they write.
const Manager = "tracer-lesson"

const (
	// accountWithin is how long a new namespace may take to get its service
	// account, without which no Pod can be made in it.
	accountWithin = 20 * time.Second
	// goneWithin is how long a namespace may take to go.
	goneWithin = 40 * time.Second
	askEvery   = 50 * time.Millisecond
)

// Cluster does actions. It is safe for concurrent use.
type Cluster struct {
	kube    kubernetes.Interface
	dynamic dynamic.Interface
	ledger  ledger
}

// New makes a Cluster for what cfg reaches. It makes no request and leaves cfg
// as it is.
func New(cfg *rest.Config) (*Cluster, error) {
	own := rest.CopyConfig(cfg)
	own.UserAgent = Manager
	own.QPS, own.Burst = 200, 400
	kube, err := kubernetes.NewForConfig(own)
	if err != nil {
		return nil, fmt.Errorf("making a client for lessons: %w", err)
	}
	objects, err := dynamic.NewForConfig(own)
	if err != nil {
		return nil, fmt.Errorf("making a client for lessons: %w", err)
	}
	return &Cluster{kube: kube, dynamic: objects}, nil
}

// Run is one lesson's stay in a cluster: its namespace, what it made there and
// how that was. One goroutine uses it.
type Run struct {
	*Cluster
	// Namespace is the lesson's own.
	Namespace string
	uid       types.UID
	made      []ref
	saved     map[int][]saved
}

// ref names an object in the namespace.
type ref struct{ kind, name string }

// Begin makes a namespace of that name, or, where there is one already, of that
// name and a random end. Pods can be made in it when it returns. What earlier
// processes have left behind is taken away first, as far as that goes.
func (c *Cluster) Begin(ctx context.Context, name string) (*Run, error) {
	_, _ = c.RemoveLeft(ctx) // what fails now is tried again the next time
	made, err := c.makeNamespace(ctx, name)
	if apierrors.IsAlreadyExists(err) {
		name += "-" + strings.ToLower(rand.Text()[:4])
		made, err = c.makeNamespace(ctx, name)
	}
	if err != nil {
		return nil, fmt.Errorf("making the namespace %s: %w", name, explain(err))
	}
	run := &Run{Cluster: c, Namespace: made.Name, uid: made.UID, saved: map[int][]saved{}}
	if err := c.ledger.note(entry{Namespace: made.Name, UID: made.UID}); err != nil {
		return run, err
	}
	if err := run.awaitAccount(ctx); err != nil {
		return run, err
	}
	return run, nil
}

func (c *Cluster) makeNamespace(ctx context.Context, name string) (*corev1.Namespace, error) {
	return c.kube.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}},
		metav1.CreateOptions{FieldManager: Manager})
}

func (r *Run) awaitAccount(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, accountWithin)
	defer cancel()
	if !poll(ctx, func() bool {
		_, err := r.kube.CoreV1().ServiceAccounts(r.Namespace).Get(ctx, "default", metav1.GetOptions{})
		return err == nil
	}) {
		return fmt.Errorf("namespace %s has no service account %q after %v, so no Pod can be made in it: see whether the controller manager runs", r.Namespace, "default", accountWithin)
	}
	return nil
}

// Remove takes the namespace and all in it away, and waits until it is gone.
func (r *Run) Remove(ctx context.Context) error {
	if err := r.Leave(ctx); err != nil {
		return err
	}
	return r.AwaitGone(ctx)
}

// AwaitGone waits until the namespace, which Leave has been called for, is gone.
func (r *Run) AwaitGone(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, goneWithin)
	defer cancel()
	if !poll(ctx, func() bool {
		_, err := r.kube.CoreV1().Namespaces().Get(ctx, r.Namespace, metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	}) {
		return fmt.Errorf("namespace %s is still there after %v: see what keeps it with kubectl get namespace %s -o yaml", r.Namespace, goneWithin, r.Namespace)
	}
	return nil
}

// Leave asks for the removal of the namespace and does not wait for it.
func (r *Run) Leave(ctx context.Context) error {
	for _, ref := range r.made {
		r.releaseFinalizers(ctx, ref)
	}
	err := r.kube.CoreV1().Namespaces().Delete(ctx, r.Namespace, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("deleting namespace %s: %w: delete it with kubectl delete namespace %s", r.Namespace, explain(err), r.Namespace)
	}
	r.ledger.strike(r.uid)
	return nil
}

func (r *Run) objects(kind string) dynamic.ResourceInterface {
	k, _ := format.KindOf(kind)
	return r.dynamic.Resource(schema.GroupVersionResource{Group: k.Group, Version: k.Version, Resource: k.Resource}).Namespace(r.Namespace)
}

// poll asks until the answer is yes, and says whether it was before ctx ended.
func poll(ctx context.Context, ask func() bool) bool {
	tick := time.NewTicker(askEvery)
	defer tick.Stop()
	for !ask() {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
	return true
}
