package main

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/reconcile-tracer/tracer/cmd/tracer/internal/attach"
)

func TestRemovalIsConfirmed(t *testing.T) {
	yes := func(io.Reader) bool { return true }
	for _, c := range []struct {
		name, typed string
		yes         bool
		terminal    func(io.Reader) bool
		want        string
	}{
		{"typed yes", "yes\n", false, yes, ""},
		{"typed y", "y\n", false, yes, `the answer was "y", not yes`},
		{"nothing typed", "", false, yes, `the answer was "", not yes`},
		{"no terminal", "yes\n", false, isTerminal, "standard input is no terminal to ask on (say --yes"},
		{"--yes", "", true, isTerminal, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var asked strings.Builder
			o := attachOptions{yes: c.yes, terminal: c.terminal, io: streams{in: strings.NewReader(c.typed), err: &asked}}
			err := o.confirm(t.Context())
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want …%s…", err, c.want)
			}
			if got := asked.String() != ""; got != (c.terminal(nil) && !c.yes) {
				t.Errorf("it asked %q", asked.String())
			}
		})
	}
}

// Ctrl-C at the question is an end, though the read goes on.
func TestQuestionEndsWithCtrlC(t *testing.T) {
	in, typist := io.Pipe()
	defer func() { _ = typist.Close() }()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errAsked)
	if _, err := readAnswer(ctx, in); !errors.Is(err, errAsked) {
		t.Errorf("%v, want %v", err, errAsked)
	}
}

func TestRemovalNamesWhatGoes(t *testing.T) {
	var many []string
	for range maxNamed + 1 {
		many = append(many, "a/b")
	}
	var b strings.Builder
	writeRemoval(&b, target{name: "kubeconfig f, context c", Config: &rest.Config{Host: "https://127.0.0.1:1"}}, &attach.Removal{PodSets: []string{"default/web"}, Pods: many})
	got := b.String()
	for _, want := range []string{"from kubeconfig f, context c (https://127.0.0.1:1):\n", "  1 PodSet: default/web\n", "  21 Pods: a/b, ", ", …\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("it lacks %q:\n%s", want, got)
		}
	}
}

// The children are led to the cluster by name, never by what the shell has set
// beside it, and get no token that is not for them.
func TestAttachLeadsItsChildren(t *testing.T) {
	t.Setenv("KUBECONFIG", "/one:/two")
	t.Setenv("OTEL_SERVICE_NAME", "from-the-shell")
	o := &attachOptions{namespace: "demo", token: "page-token", ingest: "ingest-token"}
	a, err := newAttachRun(o, &runFolder{path: "/data"}, target{name: "n", short: "kind-kind"}, "127.0.0.1:7780")
	if err != nil {
		t.Fatal(err)
	}
	reconciler := a.reconcilerChild(a.env, a.reconcilerArgs(true)...)
	want := []string{"reconcile", "--exit-with-parent", "--drain-timeout", "1s", "--context", "kind-kind", "--install-crd", "--namespace", "demo"}
	if !slices.Equal(reconciler.Args, want) {
		t.Errorf("the reconciler gets %v, want %v", reconciler.Args, want)
	}
	if slices.Contains(a.reconcilerArgs(false), "--install-crd") {
		t.Error("the reconciler installs a CRD that it may not")
	}
	env := strings.Join(reconciler.Env, "\n")
	if !strings.Contains(env, "KUBECONFIG=/one:/two") || strings.Contains(env, "from-the-shell") || strings.Contains(env, "page-token") {
		t.Errorf("the reconciler's environment is wrong:\n%s", env)
	}
	if env := strings.Join(a.hubChild(a.env).Env, "\n"); !strings.Contains(env, "TRACER_TOKEN=page-token") || !strings.Contains(env, "TRACER_INGEST_TOKEN=ingest-token") {
		t.Errorf("the hub does not get its tokens:\n%s", env)
	}
}

func TestFolderOfAContext(t *testing.T) {
	for context, want := range map[string]string{
		"kind-kind": "kind-kind", "arn:aws:eks/x": "arn_aws_eks_x", "..": "_", ".": "_", "": "_", "a\\b": "a_b",
	} {
		if got := fileName(context); got != want {
			t.Errorf("the folder of %q is %q, want %q", context, got, want)
		}
	}
}
