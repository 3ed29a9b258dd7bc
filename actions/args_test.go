package actions

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
)

// nowhere is an address that nothing listens to.
const nowhere = "http://127.0.0.1:1"

func offline(t *testing.T) *Actions {
	t.Helper()
	a, err := New(&rest.Config{Host: nowhere})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func refuse(t *testing.T, a *Actions, action string, args map[string]string, status int, text string) {
	t.Helper()
	summary, err := a.Do(t.Context(), action, args)
	var answer *Error
	if !errors.As(err, &answer) {
		t.Fatalf("%s %v = %q, %v; want an *Error", action, args, summary, err)
	}
	if answer.HTTPStatus() != status || !strings.Contains(answer.Error(), text) {
		t.Errorf("%s %v: %d %s; want %d and %q", action, args, answer.HTTPStatus(), answer, status, text)
	}
}

func TestBadArgumentsAreRefused(t *testing.T) {
	with := func(change ...string) map[string]string {
		args := map[string]string{"namespace": "default", "name": "web", "replicas": "3"}
		for i := 0; i < len(change); i += 2 {
			args[change[i]] = change[i+1]
		}
		return args
	}
	a := offline(t)
	for name, test := range map[string]struct {
		args   map[string]string
		status int
		text   string
	}{
		"no namespace":       {with("namespace", ""), 400, "namespace: it is missing: give one"},
		"a bad namespace":    {with("namespace", "Default"), 400, `namespace: "Default" is no namespace: use at most 63 of a-z, 0-9 and -, with a letter or digit first and last, for example team-a`},
		"the system's":       {with("namespace", "kube-system"), 403, `namespace: "kube-system" belongs to Kubernetes itself`},
		"no name":            {with("name", ""), 400, "name: it is missing: give"},
		"a bad name":         {with("name", "a/b"), 400, `name: "a/b" is no name of a PodSet: use at most 63 of a-z, 0-9, - and ., with a letter or digit first and last, for example web-1`},
		"a long name":        {with("name", strings.Repeat("a", 64)), 400, "at most 63"},
		"a huge name":        {with("name", strings.Repeat("a", 1<<20)), 400, `…" is no name`},
		"no replicas":        {with("replicas", ""), 400, "replicas: \"\" is no whole number from 0 to 20: choose one"},
		"too many replicas":  {with("replicas", "21"), 400, "from 0 to 20"},
		"negative replicas":  {with("replicas", "-1"), 400, "from 0 to 20"},
		"an unknown argment": {with("force", "true"), 400, "force: not an argument of create: leave it out, it takes namespace, name, replicas"},
	} {
		t.Run(name, func(t *testing.T) { refuse(t, a, "create", test.args, test.status, test.text) })
	}
}

func TestUnknownActionIsRefused(t *testing.T) {
	refuse(t, offline(t), "explode", nil, http.StatusNotFound, "choose one of change-template, conflict, create, delete, delete-pod, five-edits, scale")
}

func TestNoClusterIsSaid(t *testing.T) {
	args := map[string]string{"namespace": "default", "name": "web"}
	refuse(t, offline(t), "delete", args, http.StatusServiceUnavailable, "cannot be reached: see whether the cluster is up")
}

func TestTimeoutIsSaid(t *testing.T) {
	err := request{}.explain(context.DeadlineExceeded)
	var answer *Error
	if !errors.As(err, &answer) || answer.HTTPStatus() != http.StatusGatewayTimeout {
		t.Errorf("explain = %v, want 504", err)
	}
}

func TestWhatIsMissingIsNamed(t *testing.T) {
	sets := schema.GroupResource{Group: v1alpha1.GroupName, Resource: v1alpha1.Resource}
	r := request{namespace: "nope", name: "x"}
	for want, answer := range map[string]error{
		"namespace nope does not exist: make it with kubectl create namespace nope, or choose": apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, "nope"),
		"PodSet nope/x does not exist: create it first":                                        apierrors.NewNotFound(sets, "x"),
		"knows no PodSets: install the CRD":                                                    apierrors.NewGenericServerResponse(http.StatusNotFound, "POST", sets, "", "404 page not found", 0, true),
	} {
		var got *Error
		if err := r.explain(answer); !errors.As(err, &got) || got.HTTPStatus() != http.StatusNotFound || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want 404 and %q", answer, err, want)
		}
	}
}

func TestFiveValuesStayInRange(t *testing.T) {
	for n := range int32(MaxReplicas + 1) {
		last := n
		for _, v := range fiveValues(n) {
			if v < 0 || v > MaxReplicas || v == last {
				t.Errorf("from %d: %v; want five changes within 0 and %d", n, fiveValues(n), MaxReplicas)
			}
			last = v
		}
	}
	if diff := cmp.Diff([]int32{4, 5, 4, 5, 4}, fiveValues(3)); diff != "" {
		t.Errorf("fiveValues(3) (-want +got):\n%s", diff)
	}
}
