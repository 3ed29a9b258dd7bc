package tracer_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/reconcile-tracer/tracer/tracer"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
	"github.com/reconcile-tracer/tracer/tracer/tracertest"
)

// odd is an object of a kind whose Go type is not written as Kubernetes' own
// are.
type odd struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec   oddSpec         `json:"spec"`
	Status *oddStatus      `json:"status,omitempty"`
	Rules  []oddSpec       `json:"rules,omitempty"`
	Broken *marshalsBadly  `json:"broken,omitempty"`
	Func   func()          `json:"func,omitempty"`
	ByID   map[int]oddSpec `json:"byID,omitempty"`
}

type oddSpec struct {
	Since time.Time `json:"since"`
	Name  string    `json:"name,omitempty"`
	cache string
}

// oddStatus is a protobuf message's, with the state that such messages have.
type oddStatus struct {
	*durationpb.Duration `json:",inline"`
	Left                 *durationpb.Duration `json:"left,omitempty"`
}

// marshalsBadly has what is private, and panics where it is made JSON.
type marshalsBadly struct{ private int }

func (m *marshalsBadly) MarshalJSON() ([]byte, error) { panic(m.private) }

func oddThing(version string, change func(*odd)) *odd {
	o := &odd{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "a", UID: "u", ResourceVersion: version},
		Spec:       oddSpec{Since: time.Unix(1, 0), cache: version},
		Status:     &oddStatus{Left: durationpb.New(time.Second)},
	}
	if change != nil {
		change(o)
	}
	return o
}

// What cannot be compared as Kubernetes' own types are must not be the
// controller's end.
func TestChangesOfOddTypes(t *testing.T) {
	for name, c := range map[string]struct {
		before, change func(*odd)
		want           []string
	}{
		"nothing":       {nil, nil, nil},
		"a plain time":  {nil, func(o *odd) { o.Spec.Since = time.Unix(2, 0) }, []string{"spec"}},
		"a string":      {nil, func(o *odd) { o.Spec.Name = "b" }, []string{"spec"}},
		"protobuf":      {nil, func(o *odd) { o.Status.Left = durationpb.New(time.Minute) }, []string{"status"}},
		"another field": {nil, func(o *odd) { o.Rules = []oddSpec{{Name: "r"}} }, []string{"rules"}},
		"what cannot be compared": {
			func(o *odd) { o.Broken = &marshalsBadly{1} }, func(o *odd) { o.Broken, o.Labels = &marshalsBadly{2}, map[string]string{"a": "b"} }, nil,
		},
		"functions": {func(o *odd) { o.Func = func() {} }, func(o *odd) { o.Func = func() {} }, []string{"func"}},
		"maps by number": {
			func(o *odd) { o.ByID = map[int]oddSpec{1: {Name: "a"}} }, func(o *odd) { o.ByID = map[int]oddSpec{1: {Name: "b"}} }, []string{"byID"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			rec := tracertest.NewRecorder(t)
			q := newQueue(t, start(t, rec))
			adding(q).OnUpdate(oddThing("1", c.before), oddThing("2", c.change))
			pass(t, q, nil)
			cause := rec.WaitReconciles("default/a", 1)[0].Causes[0]
			if got := cause.Changed; !slices.Equal(got, c.want) || cause.ResourceVersion != "2" {
				t.Errorf("changed %v of version %s, want %v of 2", got, cause.ResourceVersion, c.want)
			}
		})
	}
}

// Observe looks at objects too.
func TestObserveOfOddTypes(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	q := newQueue(t, start(t, rec))
	reconcileA(t, q, func(ctx context.Context) {
		var none *odd
		tracer.Observe(ctx, none)
		tracer.Observe(ctx, badContent{})
		tracer.Observe(ctx, oddThing("2", func(o *odd) { o.Generation, o.Broken = 3, &marshalsBadly{1} }))
	})
	root := rec.WaitReconciles("default/a", 1)[0].Root
	if got := root.Attrs.Int(semconv.AttrObjectGeneration); got != 3 {
		t.Errorf("generation %d, want 3", got)
	}
}

// badContent is an unstructured object that cannot be read.
type badContent struct{ metav1.ObjectMeta }

func (badContent) GetObjectMeta() metav1.Object { panic("no metadata") }

// An error that is nil and has a type is an error, as to everybody else.
func TestErrorsThatCannotBeAsked(t *testing.T) {
	for name, err := range map[string]error{"nil": (*apierrors.StatusError)(nil), "as": asks{}} {
		t.Run(name, func(t *testing.T) {
			rec := tracertest.NewRecorder(t)
			q := newQueue(t, start(t, rec))
			reconcileA(t, q, func(ctx context.Context) {
				tracer.Finish(ctx, err)
				q.AddRateLimited("default/a")
			})
			p := rec.WaitReconciles("default/a", 1)[0]
			if got := p.Root.Attrs.Text(semconv.AttrErrorType); p.Result != semconv.ResultError || got != "error" {
				t.Errorf("result %s because of %q, want error because of error", p.Result, got)
			}
		})
	}
}

type asks struct{}

func (asks) Error() string   { return "asks" }
func (asks) As(any) bool     { panic("as") }
func (asks) Unwrap() error   { panic("unwrap") }
func (asks) Is(error) bool   { panic("is") }
func (asks) Timeout() bool   { panic("timeout") }
func (asks) Temporary() bool { panic("temporary") }

// What a user's function does wrong is not the end of the tracer's goroutines.
func TestFunctionsThatPanic(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	tr := start(t, rec)
	q := tracer.NewQueue(tr, workqueue.DefaultTypedControllerRateLimiter[string](), tracer.QueueConfig[string]{
		Key: func(string) (string, string) { panic("no key") },
	})
	t.Cleanup(q.ShutDown)
	tr.WatchSync("Pod", func() bool { panic("not synced") })
	reconcileA(t, q, func(context.Context) {})
	rec.WaitReconciles("default/a", 1)
	rec.WaitRecord(semconv.LogControllerState, func(r tracertest.Record) bool {
		return slices.Contains(r.Attrs.List(semconv.AttrStateUnsynced), "Pod")
	})
}

// A store that cannot be compared is told from no other.
func TestAnIndexerThatCannotBeCompared(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	tr := start(t, rec)
	q := newQueue(t, tr)
	store := holding{cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{}), []int{1}}
	reconcileA(t, q, func(ctx context.Context) {
		for range 2 {
			tr.Indexer(ctx, podSet, store).List()
		}
	})
	if got := len(rec.WaitReconciles("default/a", 1)[0].Reads); got != 2 {
		t.Errorf("%d reads, want 2", got)
	}
}

// holding is an indexer that holds something of any type.
type holding struct {
	cache.Indexer
	what any
}

// A transport that answers with nothing is net/http's to complain about.
func TestATransportThatAnswersNothing(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	tr := start(t, rec)
	q := newQueue(t, tr)
	client := &http.Client{Transport: tr.Transport(answersNothing{})}
	reconcileA(t, q, func(ctx context.Context) {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			req, err := http.NewRequestWithContext(ctx, method, "http://api/api/v1/namespaces/default/pods/a", strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			res, err := client.Do(req)
			if err == nil {
				_ = res.Body.Close()
				t.Errorf("%s succeeded", method)
			}
		}
	})
	p := rec.WaitReconciles("default/a", 1)[0]
	if len(p.Reads) != 1 || len(p.Writes) != 1 || p.Writes[0].Attrs.Text(semconv.AttrErrorType) == "" {
		t.Errorf("reads %v, writes %v, want one of each that failed", p.Reads, p.Writes)
	}
}

type answersNothing struct{}

func (answersNothing) RoundTrip(*http.Request) (*http.Response, error) { return nil, nil } //nolint:nilnil // what it is for
