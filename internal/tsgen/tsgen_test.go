package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCommittedTypesAreCurrent(t *testing.T) {
	root := filepath.Join("..", "..")
	err := run(filepath.Join(root, "server/flow/rows*.go"), filepath.Join(root, "web/src/base/rows.gen.ts"), true)
	if err != nil {
		t.Fatal(err)
	}
}

func TestGenerate(t *testing.T) {
	const kinds = `package flow
type RowKind string
const RowThing RowKind = "thing"
`
	const rows = `package flow
// Thing is one thing.
type Thing struct {
	Row   RowKind        ` + "`json:\"row\"`" + `
	// At is when.
	At    int64          ` + "`json:\"at,omitempty\"`" + `
	Parts []Part         ` + "`json:\"parts\"`" + `
	By    map[string]int ` + "`json:\"by\"`" + `
	One   *Part          ` + "`json:\"one,omitempty\"`" + `
}
type Part struct { Name string ` + "`json:\"name\"`" + ` }
`
	out, err := generate([]source{{"rows.go", []byte(rows)}, {"rows_kinds.go", []byte(kinds)}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`readonly row: "thing";`, "/** At is when. */\n  readonly at?: number;",
		"readonly parts: readonly Part[];", "readonly by: Readonly<Record<string, number>>;",
		"readonly one?: Part;", `thing: "Thing",`,
		`"row at:number? parts:Part[] by:number{} one:Part?"`, "Part:\n    \"name\",",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

func TestGenerateRefuses(t *testing.T) {
	for name, src := range map[string]string{
		"no TypeScript counterpart": "package flow\ntype A struct { F chan int `json:\"f\"` }",
		"no constant RowB":          "package flow\ntype RowKind string\ntype B struct { Row RowKind `json:\"row\"` }",
		"parsing":                   "package",
	} {
		if _, err := generate([]source{{"rows.go", []byte(src)}}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%q: error %v", src, err)
		}
	}
}

func TestCheckFindsADifference(t *testing.T) {
	out := filepath.Join(t.TempDir(), "rows.gen.ts")
	if err := os.WriteFile(out, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := run(filepath.Join("..", "..", "server/flow/rows*.go"), out, true)
	if err == nil || !strings.Contains(err.Error(), "out of date") {
		t.Fatalf("error %v, want out of date", err)
	}
}

func TestReadLeavesOutTestsAndMissesNothing(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"rows_b.go", "rows.go", "rows_test.go", "other.go"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("package flow"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sources, err := read(filepath.Join(dir, "rows*.go"))
	if err != nil || len(sources) != 2 || filepath.Base(sources[0].name) != "rows.go" || filepath.Base(sources[1].name) != "rows_b.go" {
		t.Errorf("read %v, error %v", sources, err)
	}
	if _, err := read(filepath.Join(dir, "none*.go")); err == nil || !strings.Contains(err.Error(), "module's root") {
		t.Errorf("nothing to read: error %v", err)
	}
}
