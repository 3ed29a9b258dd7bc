package main

import (
	"errors"
	"os"
	"testing"
)

// TestEphemeralFolderIsRemovedInAHurry: it has tokens in it, and the end that is
// not orderly must not leave them.
func TestEphemeralFolderIsRemovedInAHurry(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	f, err := openFolder(t.Context(), "", true)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := openFolder(t.Context(), t.TempDir(), false)
	if err != nil {
		t.Fatal(err)
	}
	doInHurry()
	if _, err := os.Stat(f.path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is still there: %v", err)
	}
	if _, err := os.Stat(kept.path); err != nil {
		t.Errorf("a folder that is to be kept is gone: %v", err)
	}
	if err := errors.Join(f.close(), kept.close()); err != nil {
		t.Error(err)
	}
}
