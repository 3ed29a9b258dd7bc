package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// source writes files into a new folder and returns the path of main.ts.
func source(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "main.ts")
}

var twoFiles = map[string]string{
	"main.ts": `import { greet } from "./greet.ts"; document.title = greet("loop");`,
	"greet.ts": `export function greet(name: string): string { return "hello " + name; }
export const unused: number = 1;`,
}

func TestBundleIsOneFileAndTheSameEachTime(t *testing.T) {
	var outs []string
	for range 2 {
		out := t.TempDir()
		if err := run([]string{source(t, twoFiles)}, out, false, &bytes.Buffer{}); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(out, "app.js"))
		if err != nil {
			t.Fatal(err)
		}
		outs = append(outs, string(text))
	}
	if outs[0] != outs[1] {
		t.Errorf("two builds of the same source in two folders differ:\n%s\n%s", outs[0], outs[1])
	}
	if !strings.Contains(outs[0], "hello ") || strings.Contains(outs[0], "unused") || strings.Contains(outs[0], "import") {
		t.Errorf("not one small file: %s", outs[0])
	}
}

func TestBundleReportsSizes(t *testing.T) {
	var report bytes.Buffer
	if err := run([]string{source(t, twoFiles)}, t.TempDir(), false, &report); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(report.String(), "app.js ") || !strings.Contains(report.String(), " gzipped") {
		t.Errorf("report %q names no sizes", report.String())
	}
}

func TestBundleRefuses(t *testing.T) {
	noise := make([]byte, 0, 4*budgets["app.js"])
	seed := uint32(1)
	for len(noise) < cap(noise) {
		seed = seed*1664525 + 1013904223
		noise = append(noise, 'a'+byte(seed>>24)%26)
	}
	for want, text := range map[string]string{
		`package "left-pad"`:       `import "left-pad";`,
		"Could not resolve":        `import "./none.ts";`,
		`Expected ";"`:             `let x = 1 let`,
		"over its budget of 60000": `document.title = "` + string(noise) + `";`,
	} {
		err := run([]string{source(t, map[string]string{"main.ts": text})}, t.TempDir(), false, &bytes.Buffer{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
}

func TestCheckFindsADifference(t *testing.T) {
	main, out := source(t, twoFiles), t.TempDir()
	if err := run([]string{main}, out, true, &bytes.Buffer{}); err == nil {
		t.Error("a missing bundle passes the check")
	}
	if err := run([]string{main}, out, false, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	if err := run([]string{main}, out, true, &bytes.Buffer{}); err != nil {
		t.Errorf("a fresh bundle fails the check: %v", err)
	}
	if err := os.WriteFile(filepath.Join(out, "app.js"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run([]string{main}, out, true, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "out of date") {
		t.Errorf("an old bundle: error %v, want out of date", err)
	}
}

func TestStyleIsOneFileThatNamesItsFonts(t *testing.T) {
	main := source(t, map[string]string{
		"app.css": `@import "./map.css"; @font-face { font-family: a; src: url("fonts/a.woff2") }`,
		"map.css": `.edge { stroke: red }`,
	})
	out := t.TempDir()
	if err := run([]string{filepath.Join(filepath.Dir(main), "app.css")}, out, false, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(out, "app.css"))
	if err != nil {
		t.Fatal(err)
	}
	if s := string(text); strings.Contains(s, "@import") || !strings.Contains(s, ".edge") || !strings.Contains(s, "url(fonts/a.woff2)") {
		t.Errorf("not one file that finds its font: %s", s)
	}
}
