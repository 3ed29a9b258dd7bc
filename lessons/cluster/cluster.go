package cluster

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"slices"
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
	address string // of the API server
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
	return &Cluster{kube: kube, dynamic: objects, address: own.Host}, nil
}

// Run is one lesson's stay in a cluster: its namespace, what it made there and
// how that was. One goroutine uses it.
type Run struct {
	*Cluster
	// Namespace is the lesson's own.
	Namespace string
	uid       types.UID
	noted     time.Time
	made      []ref
	saved     map[int][]saved
	commands  []Command
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
	run := &Run{Cluster: c, Namespace: made.Name, uid: made.UID, noted: time.Now().UTC(), saved: map[int][]saved{}}
	if err := c.ledger.note(run.entry()); err != nil {
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

// entry is what the ledger has of the run.
func (r *Run) entry() entry {
	return entry{Namespace: r.Namespace, UID: r.uid, Process: os.Getpid(), Made: r.noted, Commands: r.commands}
}

// AwaitGone waits until the namespace, which Leave has been called for, is gone.
func (r *Run) AwaitGone(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, goneWithin)
	defer cancel()
	if !poll(ctx, func() bool {
		there, err := r.has(ctx, r.Namespace, r.uid)
		return err == nil && there == nil
	}) {
		return fmt.Errorf("namespace %s is still there after %v: see what keeps it with kubectl get namespace %s -o yaml", r.Namespace, goneWithin, r.Namespace)
	}
	r.ledger.strike(r.uid)
	return nil
}

// Leave asks for the removal of the namespace and does not wait for it. Whatever
// stays is taken away when a lesson begins, here or in a later process. What the
// lesson made goes first: a controller whose object is still there when its
// namespace is on its way out would make anew what goes, and be refused.
func (r *Run) Leave(ctx context.Context) error {
	defer r.ledger.release(r.uid)
	there, err := r.has(ctx, r.Namespace, r.uid)
	if err == nil && there != nil {
		for _, o := range slices.Backward(r.made) {
			r.releaseFinalizers(ctx, o)
			_ = r.delete(ctx, o, "") // what stays goes with the namespace
		}
		err = r.deleteNamespace(ctx, r.entry())
	}
	if err != nil {
		return fmt.Errorf("deleting namespace %s: %w: delete it with kubectl delete namespace %s", r.Namespace, explain(err), r.Namespace)
	}
	return nil
}

// has returns the namespace of that name and UID, nil where there is none.
func (c *Cluster) has(ctx context.Context, name string, uid types.UID) (*corev1.Namespace, error) {
	now, err := c.kube.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) || err == nil && now.UID != uid {
		return nil, nil
	}
	return now, err
}

// deleteNamespace asks for the removal of a namespace and notes that; one that
// somebody has made since under its name is left alone.
func (c *Cluster) deleteNamespace(ctx context.Context, e entry) error {
	err := c.kube.CoreV1().Namespaces().Delete(ctx, e.Namespace, metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(e.UID))})
	// A conflict says that it is another one, or on its way already.
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return err
	}
	e.Asked = c.address
	c.ledger.update(e)
	return nil
}

func (r *Run) objects(kind string) dynamic.ResourceInterface { return r.objectsIn(r.Namespace, kind) }

func (c *Cluster) objectsIn(namespace, kind string) dynamic.ResourceInterface {
	k, _ := format.KindOf(kind)
	return c.dynamic.Resource(schema.GroupVersionResource{Group: k.Group, Version: k.Version, Resource: k.Resource}).Namespace(namespace)
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
