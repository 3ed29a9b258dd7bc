package flow

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// allowed is all that the fold may import: nothing that has a clock, a lock, a
// goroutine, a network, a file or a logger in it.
var allowed = []string{
	"cmp", "container/list", "hash/fnv", "maps", "math/bits", "slices", "strconv", "strings",
	"github.com/reconcile-tracer/tracer/tracer/semconv",
}

func TestFoldImportsOnlyWhatIsPure(t *testing.T) {
	for name, file := range sources(t) {
		for _, imp := range file.Imports {
			path, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(allowed, path) {
				t.Errorf("%s imports %s", name, path)
			}
		}
	}
}

func TestFoldStartsNoGoroutineAndHasNoChannelOrGlobalState(t *testing.T) {
	for name, file := range sources(t) {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt, *ast.SelectStmt, *ast.SendStmt, *ast.ChanType:
				t.Errorf("%s: %T", name, n)
			case *ast.CallExpr:
				if id, ok := n.Fun.(*ast.Ident); ok && (id.Name == "print" || id.Name == "println") {
					t.Errorf("%s calls %s", name, id.Name)
				}
			}
			return true
		})
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR && !onlyBlank(g) {
				t.Errorf("%s has a package variable", name)
			}
		}
	}
}

func onlyBlank(g *ast.GenDecl) bool {
	for _, spec := range g.Specs {
		for _, id := range spec.(*ast.ValueSpec).Names {
			if id.Name != "_" {
				return false
			}
		}
	}
	return true
}

// sources are the package's own files, parsed, without its tests.
func sources(t *testing.T) map[string]*ast.File {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]*ast.File{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = f
	}
	if len(files) < 5 {
		t.Fatalf("only %d files found", len(files))
	}
	return files
}
