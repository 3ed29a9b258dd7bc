package reconciler

import (
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/client-go/tools/cache"

	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
)

// ledger remembers the controller's own writes until the informers' caches
// show them, so that a pass over a lagging cache neither makes a Pod twice nor
// writes a status over an old version. It is safe for concurrent use.
type ledger struct {
	mu   sync.Mutex
	sets map[cache.ObjectName]*account
}

// account holds the writes for one PodSet that no cache has shown yet.
type account struct {
	uid types.UID
	// since is when the oldest of them was made, or when a pass was last asked
	// for because it did not show.
	since time.Time
	// status is the resourceVersion that the last status write made.
	status string
	// created maps the UID of a new Pod to its resourceVersion.
	created map[types.UID]string
	// deleted are the Pods whose deletion the API server has accepted.
	deleted map[types.UID]struct{}
}

func newLedger() *ledger {
	return &ledger{sets: map[cache.ObjectName]*account{}}
}

// account returns the account of key; a PodSet made anew under an old name
// starts with an empty one. The caller holds the lock.
func (l *ledger) account(key cache.ObjectName, uid types.UID) *account {
	a := l.sets[key]
	if a == nil || a.uid != uid {
		a = &account{uid: uid, since: time.Now(), created: map[types.UID]string{}, deleted: map[types.UID]struct{}{}}
		l.sets[key] = a
	}
	return a
}

func (l *ledger) wroteStatus(key cache.ObjectName, set *v1alpha1.PodSet) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.account(key, set.UID).status = set.ResourceVersion
}

func (l *ledger) createdPod(key cache.ObjectName, owner types.UID, pod *corev1.Pod) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.account(key, owner).created[pod.UID] = pod.ResourceVersion
}

func (l *ledger) deletedPod(key cache.ObjectName, owner, pod types.UID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.account(key, owner).deleted[pod] = struct{}{}
}

// forget drops the account of a PodSet that is gone.
func (l *ledger) forget(key cache.ObjectName) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.sets, key)
}

// overdue are the PodSets of which an own write has not been shown for so long
// that its event may never come: an object that was made and taken away while
// the watch was broken has none.
func (l *ledger) overdue(now time.Time, after time.Duration) []cache.ObjectName {
	l.mu.Lock()
	defer l.mu.Unlock()
	var keys []cache.ObjectName
	for key, a := range l.sets {
		if now.Sub(a.since) >= after {
			a.since = now
			keys = append(keys, key)
		}
	}
	return keys
}

// pending strikes off what the caches show and returns how many own writes are
// left. podsVersion is the resourceVersion of the Pods' store, read before
// pods were listed; "" when the store does not tell.
func (l *ledger) pending(key cache.ObjectName, set *v1alpha1.PodSet, pods []*corev1.Pod, podsVersion string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.account(key, set.UID)
	if reached(set.ResourceVersion, a.status) {
		a.status = ""
	}
	a.strikePods(pods, podsVersion)
	left := len(a.created) + len(a.deleted)
	if a.status != "" {
		left++
	}
	if left == 0 {
		delete(l.sets, key)
	}
	return left
}

// strikePods takes a new Pod as seen when the store has come as far as its
// resourceVersion, even if it is not there: then it is gone already.
func (a *account) strikePods(pods []*corev1.Pod, podsVersion string) {
	cached := make(map[types.UID]*corev1.Pod, len(pods))
	for _, pod := range pods {
		cached[pod.UID] = pod
	}
	for uid, version := range a.created {
		if cached[uid] != nil || reached(podsVersion, version) {
			delete(a.created, uid)
		}
	}
	for uid := range a.deleted {
		if pod := cached[uid]; pod == nil || pod.DeletionTimestamp != nil {
			delete(a.deleted, uid)
		}
	}
}

// reached says whether resourceVersion have is want or newer. Nothing reaches
// a version that cannot be read, and everything reaches none.
func reached(have, want string) bool {
	if want == "" {
		return true
	}
	order, err := resourceversion.CompareResourceVersion(have, want)
	return err == nil && order >= 0
}
