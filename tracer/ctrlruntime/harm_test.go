package ctrlruntime

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache/informertest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/reconcile-tracer/tracer/tracer/tracertest"
)

// timed is an object with a plain time in its spec, which Kubernetes' own
// comparison does not take.
type timed struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec struct {
		Since time.Time `json:"since"`
		made  int
	} `json:"spec"`
	Object map[string]string `json:"object"`
}

func (t *timed) DeepCopyObject() runtime.Object { out := *t; return &out }

// embeds has its metadata in what it does not always hold.
type embeds struct{ *timed }

func TestEventsOfOddTypes(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	q, _ := followQueue(startTracer(t, rec), queues["priorities"](nil), "", slow(), func(s string) (string, string) { return "", s })
	defer q.ShutDown()
	l := &listener{next: toolscache.ResourceEventHandlerFuncs{UpdateFunc: func(_, obj any) { q.Add(obj.(*timed).Name) }}}
	of := func(version string, at int64) *timed {
		o := &timed{ObjectMeta: metav1.ObjectMeta{Name: "a", UID: "u", ResourceVersion: version}}
		o.Spec.Since, o.Spec.made = time.Unix(at, 0), int(at)
		return o
	}
	l.OnUpdate(of("1", 1), of("2", 2))
	item, _ := q.Get()
	follow := q.(*priorityQueue[string]).follow
	follow.Start(t.Context(), item, [16]byte{})
	q.Done(item)
	if c := rec.WaitReconciles("a", 1)[0].Causes[0]; c.ResourceVersion != "2" || !slices.Equal(c.Changed, []string{"spec"}) {
		t.Errorf("the cause is %+v, want a change of spec to version 2", c)
	}
}

// The kind of what cannot be looked at is not known.
func TestKindOfOddTypes(t *testing.T) {
	for _, obj := range []client.Object{&timed{}, &embeds{}} {
		s := newSetup(&strings.Builder{})
		c := unmanaged[reconcile.Request](t)
		if err := c.Watch(source.Kind[client.Object](&informertest.FakeInformers{}, obj, &handler.EnqueueRequestForObject{})); err != nil {
			t.Fatal(err)
		}
		if got := s.adopt(c).(*runnable).by.find(); !got.Empty() {
			t.Errorf("%v: kind %v, want none", reflect.TypeOf(obj), got)
		}
	}
	l := listening{}.to(struct {
		toolscache.ResourceEventHandler
	}{})
	if got := l.(*listener).dropper; got != "" {
		t.Errorf("a handler that says nothing drops by %q", got)
	}
}
