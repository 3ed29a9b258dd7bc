package examples_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The diff in a README is the difference between the two states: applied to
// the plain one it gives the traced one.
func TestReadmesShowTheDiff(t *testing.T) {
	for _, e := range examples {
		readme := read(t, e.folder, "README.md")
		_, rest, _ := strings.Cut(readme, "```diff\n")
		diff, _, ok := strings.Cut(rest, "\n```")
		if !ok {
			t.Fatalf("%s: no diff in the README", e.folder)
		}
		got := read(t, e.folder, "plain", "main.go")
		for _, hunk := range hunks(diff) {
			if strings.Count(got, hunk[0]) != 1 {
				t.Fatalf("%s: not once in plain/main.go:\n%s", e.folder, hunk[0])
			}
			got = strings.Replace(got, hunk[0], hunk[1], 1)
		}
		if got != read(t, e.folder, "traced", "main.go") {
			t.Errorf("%s: plain/main.go with the README's diff is not traced/main.go: "+
				"diff -u --label plain/main.go --label traced/main.go %s/plain/main.go %s/traced/main.go", e.folder, e.folder, e.folder)
		}
	}
}

// hunks are the texts before and after of each hunk of a unified diff.
func hunks(diff string) (out [][2]string) {
	for _, line := range strings.Split(diff, "\n") {
		switch {
		case strings.HasPrefix(line, "@@"):
			out = append(out, [2]string{})
		case len(out) == 0: // the files' names
		default:
			h, text := &out[len(out)-1], line[min(1, len(line)):]+"\n"
			if !strings.HasPrefix(line, "+") {
				h[0] += text
			}
			if !strings.HasPrefix(line, "-") {
				h[1] += text
			}
		}
	}
	return out
}

func TestKubebuilderControllersAreTheSame(t *testing.T) {
	if read(t, "kubebuilder", "plain", "controller.go") != read(t, "kubebuilder", "traced", "controller.go") {
		t.Error("controller.go differs between plain and traced: nothing of it is to change")
	}
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
