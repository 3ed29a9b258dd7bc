package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
)

func main() {
	src := flag.String("src", "server/flow/rows.go", "Go file with the row types")
	out := flag.String("out", "web/src/base/rows.gen.ts", "TypeScript file to write")
	check := flag.Bool("check", false, "write nothing, fail if the file differs")
	flag.Parse()
	if err := run(*src, *out, *check); err != nil {
		fmt.Fprintln(os.Stderr, "tsgen:", err)
		os.Exit(1)
	}
}

// run generates out from src, or with check says whether it is current.
func run(src, out string, check bool) error {
	code, err := os.ReadFile(src)
	if err != nil {
		return fmt.Errorf("reading the row types: %w", err)
	}
	text, err := generate(src, code)
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
