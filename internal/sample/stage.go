package main

import (
	"context"
	"fmt"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/reconcile-tracer/tracer/actions"
	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
)

// stage is where the session is played: a cluster, and what is done to it.
type stage struct {
	cfg  *rest.Config
	acts *actions.Actions
	sets *v1alpha1.Clientset
}

func newStage(kubeconfig string) (*stage, error) {
	cfg, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("reading the demo's kubeconfig: %w", err)
	}
	cfg.UserAgent = "kubectl"
	acts, err := actions.New(cfg)
	if err != nil {
		return nil, err
	}
	sets, err := v1alpha1.NewClientset(cfg)
	return &stage{cfg, acts, sets}, err
}

// scene is one thing that is done, and how long it is looked at.
type scene struct {
	what string
	do   func(context.Context) error
	rest time.Duration
}

// scenes are the session. The demo has made default/web with three Pods.
func (s *stage) scenes() []scene {
	return []scene{
		{"the sample PodSet settles", none, 6 * time.Second},
		{"scale web up", s.act("scale", "web", "replicas", "4"), 10 * time.Second},
		{"a second PodSet", s.act("create", "api", "replicas", "2"), 10 * time.Second},
		{"somebody deletes a Pod", s.act("delete-pod", "web"), 8 * time.Second},
		{"five edits at once", s.act("five-edits", "web"), 10 * time.Second},
		{"a conflict", s.conflict, 8 * time.Second},
		{"a template that no Pod can be made of", s.broken, 20 * time.Second},
		{"the template is mended", s.mend, 10 * time.Second},
		{"a rolling change", s.act("change-template", "api"), 14 * time.Second},
		{"a PodSet is deleted", s.act("delete", "api"), 12 * time.Second},
	}
}

func (s *stage) play(ctx context.Context) error {
	for _, sc := range s.scenes() {
		fmt.Fprintln(os.Stderr, "sample:", sc.what)
		if err := sc.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", sc.what, err)
		}
		timer := time.NewTimer(sc.rest)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		}
	}
	return nil
}

func none(context.Context) error { return nil }

// act is an action of the page on a PodSet of the namespace default.
func (s *stage) act(action, name string, more ...string) func(context.Context) error {
	args := map[string]string{"namespace": "default", "name": name}
	for i := 0; i+1 < len(more); i += 2 {
		args[more[i]] = more[i+1]
	}
	return func(ctx context.Context) error {
		_, err := s.acts.Do(ctx, action, args)
		return err
	}
}

// conflict tries until the controller is likely to have met one: whether a
// quick edit comes between its read and its write is a matter of luck.
func (s *stage) conflict(ctx context.Context) error {
	for range 2 {
		if err := s.act("conflict", "web")(ctx); err != nil {
			return err
		}
	}
	return nil
}

// broken makes a PodSet whose Pods the API server refuses: they have no
// container. The controller backs off.
func (s *stage) broken(ctx context.Context) error {
	set := &v1alpha1.PodSet{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "worker"}}
	set.Spec.Template.Labels = map[string]string{"app": "worker"}
	_, err := s.sets.PodSets("default").Create(ctx, set, metav1.CreateOptions{FieldManager: "kubectl"})
	return err
}

func (s *stage) mend(ctx context.Context) error {
	change := `{"spec":{"template":{"spec":{"containers":[{"name":"sleep","image":"busybox:1.37"}]}}}}`
	_, err := s.sets.PodSets("default").Patch(ctx, "worker", types.MergePatchType, []byte(change), metav1.PatchOptions{FieldManager: "kubectl"})
	return err
}
