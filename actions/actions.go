package actions

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
)

// Manager is the user agent of the requests and the manager of the fields that
// they write.
const Manager = "tracer-page"

// timeout bounds one action.
const timeout = 15 * time.Second

// Actions does actions. It is safe for concurrent use.
type Actions struct {
	sets *v1alpha1.Clientset
	kube kubernetes.Interface
}

// New makes Actions for the cluster that cfg reaches. It makes no request and
// leaves cfg as it is.
func New(cfg *rest.Config) (*Actions, error) {
	own := rest.CopyConfig(cfg)
	own.UserAgent = Manager
	own.QPS, own.Burst = 200, 400
	kube, err := kubernetes.NewForConfig(own)
	if err != nil {
		return nil, fmt.Errorf("making a client for the page's actions: %w", err)
	}
	sets, err := v1alpha1.NewClientset(own)
	if err != nil {
		return nil, fmt.Errorf("making a client for the page's actions: %w", err)
	}
	return &Actions{sets: sets, kube: kube}, nil
}

// action is one thing that can be asked for, and the arguments it takes.
type action struct {
	args []string
	do   func(*Actions, context.Context, request) (string, error)
}

// all returns every action by its name.
func all() map[string]action {
	named := []string{argNamespace, argName}
	counted := []string{argNamespace, argName, argReplicas}
	return map[string]action{
		"create":          {counted, (*Actions).create},
		"scale":           {counted, (*Actions).scale},
		"delete-pod":      {named, (*Actions).deletePod},
		"change-template": {named, (*Actions).changeTemplate},
		"delete":          {named, (*Actions).delete},
		"five-edits":      {named, (*Actions).fiveEdits},
		"conflict":        {named, (*Actions).conflict},
	}
}

// Names returns the names of all actions, sorted.
func Names() []string {
	return slices.Sorted(maps.Keys(all()))
}

// Do does the named action and returns, in one sentence, what was done. It
// takes at most 15 s. Errors are of type *Error.
func (a *Actions) Do(ctx context.Context, name string, args map[string]string) (string, error) {
	act, ok := all()[name]
	if !ok {
		return "", &Error{http.StatusNotFound, fmt.Sprintf("action %q is not known: choose one of %s", name, strings.Join(Names(), ", "))}
	}
	r, err := parse(name, act.args, args)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	summary, err := act.do(a, ctx, r)
	if err != nil {
		return "", r.explain(err)
	}
	return summary, nil
}
