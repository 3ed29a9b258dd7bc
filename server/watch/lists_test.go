package watch

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/reconcile-tracer/tracer/server/flow"
)

// constants are the values of a file's constants whose names begin with prefix.
func constants(t *testing.T, path, prefix string) []string {
	t.Helper()
	file, err := parser.ParseFile(gotoken.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, prefix) || len(spec.Values) != 1 {
			return true
		}
		if lit, ok := spec.Values[0].(*ast.BasicLit); ok {
			value, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			values = append(values, value)
		}
		return true
	})
	return values
}

// Every kind and result that a row can have can be asked for, and the
// documentation says so.
func TestFilterKnowsEveryKindAndResult(t *testing.T) {
	docs, err := os.ReadFile("../../docs/rows.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		words []string
		want  int
	}{
		"row":    {constants(t, "../flow/rows.go", "Row"), len(flow.Kinds())},
		"result": {append(constants(t, "../../tracer/semconv/semconv.go", "Result"), flow.ResultLost), len(flow.Results())},
	} {
		if len(c.words) != c.want {
			t.Errorf("%s: the constants are %q, the list has %d", name, c.words, c.want)
		}
		_, line, _ := strings.Cut(string(docs), "| `"+name+"` | ")
		line, _, _ = strings.Cut(line, "\n")
		for _, word := range c.words {
			if _, err := ParseFilter(url.Values{name: {word}}, time.Now()); err != nil {
				t.Error(err)
			}
			if !strings.Contains(" "+strings.NewReplacer(";", " ", "|", " ").Replace(line)+" ", " "+word+" ") {
				t.Errorf("docs/rows.md leaves out %s=%s", name, word)
			}
		}
	}
}
