package cluster

import (
	"context"
	"fmt"
	"time"

	rbac "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/reconcile-tracer/tracer/localcluster/internal/child"
	"github.com/reconcile-tracer/tracer/localcluster/internal/controllers"
	"github.com/reconcile-tracer/tracer/localcluster/internal/controlplane"
	"github.com/reconcile-tracer/tracer/localcluster/internal/nodes"
)

const (
	readyPoll = 50 * time.Millisecond
	// startLimit is generous: a cold start on a busy machine reads a binary of more
	// than 100 MB.
	startLimit = 90 * time.Second
)

// failing returns a context that also ends when a part of the cluster ends or the
// start takes too long; its cause says which.
func (c *cluster) failing(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	ctx, stop := context.WithTimeoutCause(ctx, startLimit,
		fmt.Errorf("the cluster was not ready after %s; what it waited for is in the logs in %s", startLimit, c.logs))
	go func() { cancel(c.watch(ctx)) }()
	return ctx, func() { stop(); cancel(nil) }
}

// reason prefers the cause that ended ctx over the error it led to.
func reason(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func (c *cluster) newClient() (kubernetes.Interface, error) {
	cfg := rest.CopyConfig(c.admin)
	cfg.UserAgent = "localcluster"
	cfg.QPS = -1 // the polls below set the pace
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("making the client: %w", err)
	}
	return client, nil
}

func (c *cluster) awaitAPIServer(ctx context.Context, client kubernetes.Interface) error {
	if err := awaitStep(ctx, c.controlPlane, controlplane.EtcdReady); err != nil {
		return fmt.Errorf("etcd did not start (if its data is damaged, remove %s to start anew): %w", c.dir.Path(), err)
	}
	c.out.Progress(controlplane.EtcdReady)
	err := poll(ctx, func(ctx context.Context) (bool, error) {
		return client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error() == nil, nil
	})
	if err != nil {
		return err
	}
	c.out.Progress("API server ready at " + c.server)
	return nil
}

// awaitControllers waits for the controller manager and for its first work that
// everyone needs: a Pod cannot be created without the default service account.
func (c *cluster) awaitControllers(ctx context.Context, client kubernetes.Interface) error {
	if c.controllers == nil {
		return nil
	}
	if err := awaitStep(ctx, c.controllers, controllers.Started); err != nil {
		return err
	}
	accounts := client.CoreV1().ServiceAccounts(metav1.NamespaceDefault)
	err := poll(ctx, func(ctx context.Context) (bool, error) {
		_, err := accounts.Get(ctx, "default", metav1.GetOptions{})
		return err == nil, nil
	})
	if err != nil {
		return err
	}
	c.out.Progress("controllers ready")
	return nil
}

func (c *cluster) awaitNodes(ctx context.Context, agent *nodes.Agent) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-agent.Ready():
	}
	switch n := c.opts.Nodes; {
	case n == 1:
		c.out.Progress("1 fake node ready")
	case n > 1:
		c.out.Progress(fmt.Sprintf("%d fake nodes ready", n))
	}
	return nil
}

// awaitStep waits for a child to announce a step.
func awaitStep(ctx context.Context, p *child.Process, step string) error {
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case said := <-p.Announced():
			if said == step {
				return nil
			}
		}
	}
}

func poll(ctx context.Context, done wait.ConditionWithContextFunc) error {
	return reason(ctx, wait.PollUntilContextCancel(ctx, readyPoll, true, done))
}

// bindUser lets the user that is not in system:masters do everything through RBAC.
func bindUser(ctx context.Context, client kubernetes.Interface) error {
	binding := &rbac.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: userName},
		RoleRef:    rbac.RoleRef{APIGroup: rbac.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects:   []rbac.Subject{{APIGroup: rbac.GroupName, Kind: rbac.UserKind, Name: userName}},
	}
	_, err := client.RbacV1().ClusterRoleBindings().Create(ctx, binding, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("giving %s its rights: %w", userName, err)
	}
	return nil
}

// doneOf is Done of a child that may not exist.
func doneOf(p *child.Process) <-chan struct{} {
	if p == nil {
		return nil
	}
	return p.Done()
}
