package layers

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const module = "github.com/reconcile-tracer/tracer/"

// rule says what the packages under a path may import of ours, and what of
// anybody's they must not. Paths are relative to the module; "a/..." means a
// and all below it.
type rule struct {
	of   string
	ours []string
	deny []string
	// but are packages under of that are for a rule of their own.
	but []string
}

// matrix is the import matrix of ARCHITECTURE.md.
var matrix = []rule{
	{of: "tracer/semconv", deny: []string{"*"}},
	{of: "tracer/...", ours: []string{"tracer/..."}, deny: []string{"github.com/coder/websocket"}, but: []string{"tracer/control/..."}},
	{of: "server/flow", ours: []string{"tracer/semconv"}, deny: []string{"net/...", "os/...", "context", "sync/...", "log/...", "k8s.io/..."}},
	{of: "server/otlp", ours: []string{"server/flow", "tracer/semconv"}, deny: []string{"k8s.io/..."}},
	{of: "server/journal", ours: []string{"server/flow", "tracer/semconv"}, deny: []string{"k8s.io/..."}},
	{of: "server/watch", ours: []string{"server/flow", "tracer/semconv"}, deny: []string{"k8s.io/..."}},
	{of: "server/classroom", deny: []string{"net/...", "os/...", "context", "sync/...", "log/...", "time", "k8s.io/..."}},
	{of: "server/control", ours: []string{"server/flow", "tracer/semconv", wire}, deny: []string{"k8s.io/..."}},
	{of: "internal/qr"},
	{of: "internal/zip"},
	{of: "server", ours: []string{"server/...", "tracer/semconv", wire, "templates", "static", "internal/qr", "internal/zip"}, deny: []string{"k8s.io/..."}},
	{of: "server/recording", ours: []string{"server/flow", "server/otlp", "server/journal", "tracer/semconv"}, deny: []string{"net/...", "k8s.io/..."}},
	{of: "templates/...", ours: []string{"templates/..."}},
	{of: "static/...", ours: nil},
	{of: "deploy", ours: nil},
	{of: "reconciler/...", ours: []string{"reconciler/...", "deploy", "tracer/..."}},
	{of: "internal/spancheck", ours: []string{"tracer/semconv"}, deny: []string{"net/...", "os/...", "context", "k8s.io/..."}},
	{of: "lessons", ours: []string{"lessons/format"}, deny: []string{"net/...", "os/...", "k8s.io/..."}},
	{of: "lessons/format", ours: []string{wire}, deny: []string{"net/...", "os/...", "context", "sync/...", "k8s.io/..."}},
	{of: "lessons/engine", ours: []string{"lessons/format", "server/flow", "tracer/semconv", wire}, deny: []string{"net/...", "os/...", "context", "sync/...", "log/...", "k8s.io/..."}},
	{of: "lessons/cluster", ours: []string{"lessons/format"}},
	{of: "lessons/play", ours: []string{"lessons/...", "server/flow", "tracer/semconv", wire}, deny: []string{"k8s.io/..."}},
	{of: "actions/...", ours: []string{"actions/...", "reconciler/api/...", "tracer/..."}},
	{of: "tracer/control", ours: []string{"tracer/semconv", wire}},
	{of: wire, ours: []string{"tracer/semconv"}, deny: []string{"*"}},
}

// wire is what the hub and a controller say to each other, with its limits: the
// one package of the library's, beside semconv, that both sides import, so that
// neither takes what the other refuses.
const wire = "tracer/control/wire"

type listed struct {
	ImportPath string
	Imports    []string
	Standard   bool
}

func TestImportMatrix(t *testing.T) {
	packages := list(t)
	for _, r := range matrix {
		seen := false
		for _, p := range packages {
			path, ok := strings.CutPrefix(p.ImportPath, module)
			if !ok || !matches(r.of, path) || anyMatches(r.but, path) {
				continue
			}
			seen = true
			for _, broken := range r.broken(p) {
				t.Errorf("%s imports %s, which the import matrix does not allow", path, broken)
			}
		}
		if !seen {
			t.Errorf("the matrix speaks of %s, which has no package", r.of)
		}
	}
}

// TestMatrixCanFail feeds the matrix packages that break it.
func TestMatrixCanFail(t *testing.T) {
	for _, c := range []struct {
		rule rule
		in   listed
	}{
		{matrix[0], listed{Imports: []string{"k8s.io/client-go/rest"}}},
		{matrix[2], listed{Imports: []string{"net/http"}}},
		{matrix[2], listed{Imports: []string{module + "server/journal"}}},
		{matrix[3], listed{Imports: []string{module + "server/journal"}}},
		{matrix[1], listed{Imports: []string{"github.com/coder/websocket"}}},
		{matrix[len(matrix)-1], listed{Imports: []string{"k8s.io/apimachinery/pkg/api/errors"}}},
		{matrix[len(matrix)-1], listed{Imports: []string{module + "tracer"}}},
	} {
		if len(c.rule.broken(c.in)) == 0 {
			t.Errorf("%s may import %v, and must not", c.rule.of, c.in.Imports)
		}
	}
}

func (r rule) broken(p listed) []string {
	var out []string
	for _, imp := range p.Imports {
		if own, ok := strings.CutPrefix(imp, module); ok {
			if !anyMatches(r.ours, own) {
				out = append(out, own)
			}
			continue
		}
		if anyMatches(r.deny, imp) && (!contains(r.deny, "*") || strings.Contains(imp, ".")) {
			out = append(out, imp)
		}
	}
	return out
}

func matches(pattern, path string) bool {
	if pattern == "*" || pattern == path {
		return true
	}
	base, ok := strings.CutSuffix(pattern, "/...")
	return ok && (path == base || strings.HasPrefix(path, base+"/"))
}

func anyMatches(patterns []string, path string) bool {
	for _, p := range patterns {
		if matches(p, path) {
			return true
		}
	}
	return false
}

func contains(all []string, one string) bool {
	for _, s := range all {
		if s == one {
			return true
		}
	}
	return false
}

func list(t *testing.T) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,Standard", "./...", "./tracer/...")
	cmd.Dir = filepath.Join("..", "..")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	var all []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatalf("go list -json: %v", err)
		}
		all = append(all, p)
	}
}
