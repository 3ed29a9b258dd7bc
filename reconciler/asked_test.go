package reconciler

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reconcile-tracer/tracer/internal/clustertest"
)

// A loop that was asked for ends when the annotation goes, and by itself after
// MostLooks writes; what else is in the status is right all the while.
func TestAskedLoopEnds(t *testing.T) {
	set, pods := testSet(2), testPods(testSet(2), 2)
	settle(set, pods)
	status := Options{AskedMistakes: true}.ways().status
	looks := 0
	look := func() bool {
		looks++
		now, paths := status(observation{set: set, pods: pods, at: metav1.NewTime(at.Add(time.Duration(looks) * time.Millisecond))})
		set.Status = *now
		return len(paths) > 0
	}
	if look() {
		t.Errorf("it wrote %+v, and nobody asked for it", set.Status)
	}
	set.Annotations = map[string]string{AnnotationMistake: "hot-loop"}
	for i := range MostLooks {
		want := fmt.Sprintf("2 of 2 Pods ready, look %d of 1000 at 20", i+1)
		if !look() || !strings.HasPrefix(set.Status.Conditions[0].Message, want) {
			t.Fatalf("look %d: the status is %+v, want %s…", i+1, set.Status.Conditions[0], want)
		}
	}
	for range 2 {
		if look() {
			t.Errorf("after the last look it wrote %+v", set.Status.Conditions[0])
		}
	}
	delete(set.Annotations, AnnotationMistake)
	if !look() || set.Status.Conditions[0].Message != "2 of 2 Pods ready" || look() {
		t.Errorf("without the annotation the status is %+v", set.Status.Conditions[0])
	}
}

func TestMistakesAreNotMadeUnasked(t *testing.T) {
	for name, test := range map[string]struct {
		options Options
		value   string
	}{
		"not let":         {Options{}, "hot-loop"},
		"another mistake": {Options{AskedMistakes: true}, "finalizer-stuck"},
		"no mistake":      {Options{AskedMistakes: true}, ""},
	} {
		set, pods := testSet(2), testPods(testSet(2), 2)
		settle(set, pods)
		set.Annotations = map[string]string{AnnotationMistake: test.value}
		if now, paths := test.options.ways().status(observation{set: set, pods: pods, at: metav1.NewTime(at.Add(time.Hour))}); len(paths) > 0 {
			t.Errorf("%s: it wrote %+v", name, now)
		}
	}
}

// A count that somebody has spoiled begins anew.
func TestLooksThatCannotBeRead(t *testing.T) {
	for message, want := range map[string]uint{
		"2 of 2 Pods ready, look 7 of 1000 at now": 7, "2 of 2 Pods ready": 0,
		"ready, look -7 of 1000 at now": 0, "ready, look 7 of 1000": 0, "ready, look at me": 0,
	} {
		set := testSet(2)
		set.Status.Conditions = []metav1.Condition{{Message: message}}
		if n, last := looks(set); n != want || (last != "") != (want > 0) {
			t.Errorf("%q: %d looks, the last at %q, want %d", message, n, last, want)
		}
	}
}

// One PodSet asks for the loop and gets it, a hub finds it, the other is left
// alone; it ends when the annotation goes.
func TestAskedLoopIsOfOnePodSet(t *testing.T) {
	tr := newTrial(t, "", func(o *Options) { o.AskedMistakes = true })
	for _, name := range []string{"web", "other"} {
		tr.create(name, 1)
		tr.settled(name, 1)
		tr.idle(tr.hub, name)
	}
	others := len(tr.hub.of(tr.namespace + "/other"))
	tr.patch("web", object{"metadata": object{"annotations": object{AnnotationMistake: "hot-loop"}}})
	clustertest.Eventually(tr, "own writes alone cause 20 reconciles", func(context.Context) bool { return len(tr.selfMade()) >= 20 })
	tr.patch("web", object{"metadata": object{"annotations": object{AnnotationMistake: nil}}})
	clustertest.Eventually(tr, "the status says nothing of looks", func(context.Context) bool {
		return tr.get().Status.Conditions[0].Message == "1 of 1 Pod ready"
	})
	tr.idle(tr.hub, "web")
	if now := len(tr.hub.of(tr.namespace + "/other")); now != others {
		t.Errorf("the other PodSet was reconciled %d times", now-others)
	}
	if got := tr.found(15 * time.Second); !slices.Equal(got, []string{"hot-loop"}) {
		t.Errorf("findings: %v, want hot-loop", got)
	}
}
