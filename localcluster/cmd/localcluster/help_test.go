package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestHelpAndVersion(t *testing.T) {
	for _, c := range []struct {
		args   []string
		status int
		stdout []string
		stderr []string
	}{
		{[]string{"help"}, 0, []string{"localcluster up --help"}, nil},
		{[]string{"--help"}, 0, []string{"localcluster up --help"}, nil},
		{[]string{"up", "--help"}, 0, []string{
			"for learning and for tests, not for production", "Examples:", "ready: <path of the kubeconfig>",
			"localcluster-user", "--data folder", "--exit-with-parent", "Exit status:",
		}, nil},
		{[]string{"version"}, 0, []string{"localcluster with Kubernetes "}, nil},
		{nil, 2, nil, []string{"no command given"}},
		{[]string{"start"}, 2, nil, []string{`unknown command "start"`}},
	} {
		var stdout, stderr bytes.Buffer
		if got := run(c.args, &stdout, &stderr); got != c.status {
			t.Errorf("localcluster %v: exit status %d, want %d", c.args, got, c.status)
		}
		expectAll(t, c.args, "standard output", stdout.String(), c.stdout)
		expectAll(t, c.args, "standard error", stderr.String(), c.stderr)
	}
}

func expectAll(t *testing.T, args []string, where, text string, want []string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("localcluster %v: %s lacks %q:\n%s", args, where, w, text)
		}
	}
}
