package nodes

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
)

// kubelet looks after the Pods of one node, one at a time, so that its fields
// need no lock.
type kubelet struct {
	client    kubernetes.Interface
	pods      corelisters.PodLister
	node      string
	number    int
	queue     workqueue.TypedRateLimitingInterface[cache.ObjectName]
	log       *slog.Logger
	now       func() time.Time
	since     map[types.UID]since
	addresses addresses
}

// since is when this node first saw the Pod, and first saw it being deleted.
type since struct {
	key            cache.ObjectName
	seen, deletion time.Time
}

func newKubelet(client kubernetes.Interface, pods corelisters.PodLister, node string, number int, log *slog.Logger) *kubelet {
	return &kubelet{
		client: client, pods: pods, node: node, number: number, log: log,
		queue:     newQueue(),
		now:       time.Now,
		since:     map[types.UID]since{},
		addresses: addresses{},
	}
}

func (k *kubelet) run(ctx context.Context) {
	runQueue(ctx, k.queue, func(key cache.ObjectName) {
		if err := k.sync(ctx, key); err != nil && ctx.Err() == nil {
			k.log.Warn("looking after a pod failed, will retry", "node", k.node, "pod", key.String(), "error", err)
			k.queue.AddRateLimited(key)
			return
		}
		k.queue.Forget(key)
	})
}

// sync takes the next step in the life of one Pod.
func (k *kubelet) sync(ctx context.Context, key cache.ObjectName) error {
	pod, err := k.pods.Pods(key.Namespace).Get(key.Name)
	if ignoreStale(err) != nil {
		return err
	}
	k.release(key, pod)
	if pod == nil || pod.Spec.NodeName != k.node {
		return nil
	}
	step, wait := nextStep(pod, k.ages(key, pod))
	if wait > 0 {
		k.queue.AddAfter(key, wait)
		return nil
	}
	if err := k.take(ctx, step, pod); err != nil {
		return fmt.Errorf("%s: %w", step, err)
	}
	return nil
}

// take carries out a step. A Pod that has changed since the cache saw it is left
// to the event of that change.
func (k *kubelet) take(ctx context.Context, step step, pod *v1.Pod) error {
	now := metav1.NewTime(k.now())
	next := pod.DeepCopy()
	next.Status.ObservedGeneration = pod.Generation
	switch step {
	case stay:
		return nil
	case remove:
		return ignoreStale(k.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{
			GracePeriodSeconds: ptr.To(int64(0)),
			Preconditions:      metav1.NewUIDPreconditions(string(pod.UID)),
		}))
	case create:
		creating(next, nodeAddress(k.number), now)
	case start:
		ip, err := k.addresses.take(pod.UID, k.number, k.usedAddresses)
		if err != nil {
			return err
		}
		running(next, ip, now)
	case finish:
		succeeded(next, now)
	}
	return ignoreStale(updateStatus(ctx, k.client, next))
}

// ages notes when the Pod, and its deletion, are seen for the first time.
func (k *kubelet) ages(key cache.ObjectName, pod *v1.Pod) ages {
	now := k.now()
	s, known := k.since[pod.UID]
	if !known {
		s = since{key: key, seen: now}
	}
	if pod.DeletionTimestamp != nil && s.deletion.IsZero() {
		s.deletion = now
	}
	k.since[pod.UID] = s
	return ages{alive: now.Sub(s.seen), dying: now.Sub(s.deletion)}
}

// release forgets the Pods that had this name before; pod is nil when none has it
// now.
func (k *kubelet) release(key cache.ObjectName, pod *v1.Pod) {
	for uid, s := range k.since {
		if s.key == key && (pod == nil || pod.UID != uid) {
			delete(k.since, uid)
			k.addresses.giveBack(uid)
		}
	}
}

// usedAddresses are the addresses that the Pods of this node have in the cache:
// those of an earlier start are known from there only.
func (k *kubelet) usedAddresses() (map[string]bool, error) {
	return usedBy(k.pods, k.node)
}

func updateStatus(ctx context.Context, client kubernetes.Interface, pod *v1.Pod) error {
	_, err := client.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, pod, metav1.UpdateOptions{})
	return err
}

// ignoreStale drops the errors that say that the cache was behind: the event that
// brings it up to date queues the Pod again.
func ignoreStale(err error) error {
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
