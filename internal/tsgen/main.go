package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	src := flag.String("src", "server/flow/rows*.go", "pattern of the Go files with the row types; tests are left out")
	out := flag.String("out", "web/src/base/rows.gen.ts", "TypeScript file to write")
	check := flag.Bool("check", false, "write nothing, fail if the file differs")
	flag.Parse()
	if err := run(*src, *out, *check); err != nil {
		fmt.Fprintln(os.Stderr, "tsgen:", err)
		os.Exit(1)
	}
}

// run generates out from the files that match src, or with check says whether
// it is current.
func run(src, out string, check bool) error {
	sources, err := read(src)
	if err != nil {
		return fmt.Errorf("reading the row types: %w", err)
	}
	text, err := generate(sources)
	if err != nil {
		return err
	}
	if !check {
		return os.WriteFile(out, text, 0o644)
	}
	have, err := os.ReadFile(out)
	if err != nil {
		return fmt.Errorf("reading the generated types: %w", err)
	}
	if !bytes.Equal(have, text) {
		return fmt.Errorf("%s is out of date: run go run ./internal/tsgen", out)
	}
	return nil
}

// read gives the files that match the pattern, without tests, in the order of
// their names.
func read(pattern string) (sources []source, err error) {
	names, err := filepath.Glob(pattern)
	if err != nil {
		return nil, fmt.Errorf("the pattern %q: %w", pattern, err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		code, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		sources = append(sources, source{name, code})
	}
	if len(sources) == 0 {
		return nil, fmt.Errorf("no Go file matches %q: run it in the module's root", pattern)
	}
	return sources, nil
}
