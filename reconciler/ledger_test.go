package reconciler

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
)

var webKey = cache.NewObjectName("default", "web")

func setAt(version string) *v1alpha1.PodSet {
	return &v1alpha1.PodSet{ObjectMeta: metav1.ObjectMeta{UID: "set", ResourceVersion: version}}
}

func podAt(uid, version string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: types.UID(uid), ResourceVersion: version}}
}

func TestLedgerWaitsForWrites(t *testing.T) {
	created := func(l *ledger) { l.createdPod(webKey, "set", podAt("new", "110")) }
	deleted := func(l *ledger) { l.deletedPod(webKey, "set", "old") }
	status := func(l *ledger) { l.wroteStatus(webKey, setAt("120")) }
	ending := podAt("old", "90")
	ending.DeletionTimestamp = &at

	tests := map[string]struct {
		wrote   func(*ledger)
		set     string
		pods    []*corev1.Pod
		version string
		want    int
	}{
		"nothing written":                         {func(*ledger) {}, "100", nil, "100", 0},
		"the new Pod is not there":                {created, "100", nil, "109", 1},
		"the new Pod is there":                    {created, "100", []*corev1.Pod{podAt("new", "110")}, "110", 0},
		"the new Pod came and went":               {created, "100", nil, "111", 0},
		"the store does not tell how far it is":   {created, "100", nil, "", 1},
		"there, in a store that does not tell":    {created, "100", []*corev1.Pod{podAt("new", "110")}, "", 0},
		"the deleted Pod is still there":          {deleted, "100", []*corev1.Pod{podAt("old", "90")}, "200", 1},
		"the deleted Pod is terminating":          {deleted, "100", []*corev1.Pod{ending}, "200", 0},
		"the deleted Pod is gone":                 {deleted, "100", nil, "200", 0},
		"the status is not there":                 {status, "100", nil, "100", 1},
		"the status is there":                     {status, "120", nil, "100", 0},
		"a version with more digits is newer":     {status, "1000", nil, "100", 0},
		"all three, and the cache shows none yet": {func(l *ledger) { created(l); deleted(l); status(l) }, "100", []*corev1.Pod{podAt("old", "90")}, "100", 3},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			l := newLedger()
			test.wrote(l)
			if got := l.pending(webKey, setAt(test.set), test.pods, test.version); got != test.want {
				t.Errorf("%d writes are pending, want %d", got, test.want)
			}
		})
	}
}

func TestLedgerKeepsNothingThatIsSeen(t *testing.T) {
	l := newLedger()
	l.createdPod(webKey, "set", podAt("new", "110"))
	l.wroteStatus(webKey, setAt("120"))
	l.pending(webKey, setAt("120"), nil, "110")
	if len(l.sets) != 0 {
		t.Errorf("the ledger holds %v, want nothing", l.sets)
	}
}

func TestLedgerForgets(t *testing.T) {
	again := setAt("300")
	again.UID = "made anew"
	for name, forget := range map[string]func(*ledger){
		"a PodSet that is gone":      func(l *ledger) { l.forget(webKey) },
		"one of another UID by then": func(l *ledger) { l.pending(webKey, again, nil, "1") },
	} {
		t.Run(name, func(t *testing.T) {
			l := newLedger()
			l.createdPod(webKey, "set", podAt("new", "110"))
			forget(l)
			if got := l.pending(webKey, setAt("100"), nil, "100"); got != 0 {
				t.Errorf("%d writes are pending, want 0", got)
			}
		})
	}
}

func TestLedgerTellsWhatIsOverdueOnce(t *testing.T) {
	l := newLedger()
	l.createdPod(webKey, "set", podAt("new", "110"))
	now := time.Now()
	if got := l.overdue(now, time.Minute); len(got) != 0 {
		t.Errorf("overdue at once: %v", got)
	}
	later := now.Add(2 * time.Minute)
	if got := l.overdue(later, time.Minute); len(got) != 1 || got[0] != webKey {
		t.Errorf("overdue after two minutes: %v, want %v", got, webKey)
	}
	if got := l.overdue(later, time.Minute); len(got) != 0 {
		t.Errorf("overdue again at the same time: %v", got)
	}
	if l.pending(webKey, setAt("100"), []*corev1.Pod{podAt("new", "110")}, "110"); len(l.overdue(later.Add(time.Hour), time.Minute)) != 0 {
		t.Error("what the cache shows is overdue")
	}
}
