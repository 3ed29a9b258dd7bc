package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestGeometryIsCurrent(t *testing.T) {
	committed, err := os.ReadFile("../../web/src/base/geometry.gen.ts")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(committed, geometry()) {
		t.Error("web/src/base/geometry.gen.ts is out of date: go run ./templates/gen")
	}
}

func TestRunWritesTheFileGiven(t *testing.T) {
	path := filepath.Join(t.TempDir(), "geometry.ts")
	if err := run([]string{path}); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); !bytes.Equal(got, geometry()) {
		t.Error("the file is not the geometry")
	}
	if err := run([]string{filepath.Join(path, "below-a-file")}); err == nil {
		t.Error("a file that cannot be written must be an error")
	}
}
