package nodes

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// scheduler binds Pods to nodes, one at a time.
type scheduler struct {
	client kubernetes.Interface
	pods   corelisters.PodLister
	nodes  corelisters.NodeLister
	queue  workqueue.TypedRateLimitingInterface[cache.ObjectName]
	log    *slog.Logger

	mu sync.Mutex
	// bound are the Pods that were bound but whose event has not come yet: the
	// cache still shows them without a node, and they count for their node.
	bound map[types.UID]string
}

func newScheduler(client kubernetes.Interface, pods corelisters.PodLister, nodes corelisters.NodeLister, log *slog.Logger) *scheduler {
	return &scheduler{
		client: client, pods: pods, nodes: nodes, log: log,
		queue: newQueue(),
		bound: map[types.UID]string{},
	}
}

func newQueue() workqueue.TypedRateLimitingInterface[cache.ObjectName] {
	return workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName]())
}

func (s *scheduler) run(ctx context.Context) {
	runQueue(ctx, s.queue, func(key cache.ObjectName) {
		if err := s.schedule(ctx, key); err != nil && ctx.Err() == nil {
			s.log.Warn("scheduling a pod failed, will retry", "pod", key.String(), "error", err)
			s.queue.AddRateLimited(key)
			return
		}
		s.queue.Forget(key)
	})
}

// runQueue hands the keys of the queue to handle, one after the other, until ctx
// ends.
func runQueue(ctx context.Context, queue workqueue.TypedRateLimitingInterface[cache.ObjectName], handle func(cache.ObjectName)) {
	stop := context.AfterFunc(ctx, queue.ShutDown)
	defer stop()
	for {
		key, shutdown := queue.Get()
		if shutdown {
			return
		}
		handle(key)
		queue.Done(key)
	}
}

func (s *scheduler) schedule(ctx context.Context, key cache.ObjectName) error {
	pod, err := s.pods.Pods(key.Namespace).Get(key.Name)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if !s.wants(pod) {
		return nil
	}
	node, reason, err := s.choose(pod)
	if err != nil {
		return err
	}
	if node == "" {
		return s.reportUnschedulable(ctx, pod, reason)
	}
	return s.bind(ctx, pod, node)
}

// wants reports whether the Pod waits for this scheduler.
func (s *scheduler) wants(pod *v1.Pod) bool {
	s.mu.Lock()
	_, done := s.bound[pod.UID]
	s.mu.Unlock()
	return !done && pod.Spec.NodeName == "" && pod.DeletionTimestamp == nil &&
		pod.Spec.SchedulerName == v1.DefaultSchedulerName && len(pod.Spec.SchedulingGates) == 0
}

func (s *scheduler) bind(ctx context.Context, pod *v1.Pod, node string) error {
	binding := &v1.Binding{
		// The UID makes sure that a new Pod of the same name is not meant.
		ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID},
		Target:     v1.ObjectReference{Kind: "Node", Name: node},
	}
	s.remember(pod.UID, node)
	err := s.client.CoreV1().Pods(pod.Namespace).Bind(ctx, binding, metav1.CreateOptions{})
	if err == nil {
		return nil
	}
	s.forget(pod.UID)
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil // gone or bound meanwhile: its event is on the way
	}
	return fmt.Errorf("binding to %s: %w", node, err)
}

// reportUnschedulable says on the Pod why it waits, once for each reason. A node
// event tries it again.
func (s *scheduler) reportUnschedulable(ctx context.Context, pod *v1.Pod, reason string) error {
	next := pod.DeepCopy()
	changed := setCondition(&next.Status, v1.PodCondition{
		Type: v1.PodScheduled, Status: v1.ConditionFalse,
		Reason: v1.PodReasonUnschedulable, Message: reason,
	}, metav1.Now())
	if !changed {
		return nil
	}
	return ignoreStale(updateStatus(ctx, s.client, next))
}

// retryPending queues every Pod that has no node yet.
func (s *scheduler) retryPending() {
	pods, err := s.pods.List(labels.Everything())
	if err != nil {
		return // the lister reads memory and never fails
	}
	for _, pod := range pods {
		if pod.Spec.NodeName == "" {
			s.queue.Add(cache.MetaObjectToName(pod))
		}
	}
}

func (s *scheduler) remember(uid types.UID, node string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bound[uid] = node
}

func (s *scheduler) forget(uid types.UID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.bound, uid)
}
