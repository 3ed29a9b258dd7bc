//go:build unix

package main

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A file would take the place of the pipe, or of a device.
func TestExportToAPipeLeavesItThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe.jsonl")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	pipe, err := os.OpenFile(path, os.O_RDWR, 0) // both ends, so that no open waits for the other
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = pipe.Close() }()
	o := exportOptions{out: path}
	out, err := o.create()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(out, "{}\n"); err != nil {
		t.Fatal(err)
	}
	if err := out.end(true); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Fatalf("the pipe has become %v, %v", info.Mode(), err)
	}
	got := make([]byte, 3)
	if _, err := io.ReadFull(pipe, got); err != nil || string(got) != "{}\n" {
		t.Errorf("the pipe has got %q, %v", got, err)
	}
}
