package journal

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// blockFile returns the stream's only file of messages.
func blockFile(t *testing.T, dir string) string {
	t.Helper()
	var found string
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".blk") {
			found = path
		}
		return err
	})
	if err != nil || found == "" {
		t.Fatal("no file of messages found", err)
	}
	return found
}

func damage(t *testing.T, dir string, change func([]byte) []byte) {
	t.Helper()
	path := blockFile(t, dir)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, change(data), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestFlippedByteIsSeen(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	add(t, j, "first", "second", "third")
	shut(t, j)
	damage(t, dir, func(data []byte) []byte {
		data[bytes.Index(data, []byte("second"))] ^= 0x20
		return data
	})

	j = open(t, dir)
	got := replay(t, j)
	t.Log(got)
	if len(got) == 0 || got[0] != "1 first" {
		t.Fatalf("the block before the damage is not there: %q", got)
	}
	for _, line := range got {
		if strings.Contains(line, "Second") {
			t.Errorf("a damaged block was taken for good: %q", line)
		}
	}
	if !strings.Contains(strings.Join(got, "\n"), "2 !") && !strings.Contains(strings.Join(got, "\n"), `{"first":2`) {
		t.Errorf("nobody says that block 2 is damaged: %q", got)
	}
}

func TestCutOffEndIsSeenAndBeginsANewHistory(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	add(t, j, "first", "second", "third")
	epoch := j.Epoch()
	shut(t, j)
	damage(t, dir, func(data []byte) []byte { return data[:len(data)-10] })
	// After a crash the server has no index to trust.
	for _, name := range []string{"index.db"} {
		_ = os.Remove(filepath.Join(filepath.Dir(blockFile(t, dir)), name))
	}

	j = open(t, dir)
	got := replay(t, j)
	want := []string{"1 first", "2 second", `3 {"first":3,"last":3,"epoch":"` + epoch + `"}`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if j.Epoch() == epoch {
		t.Error("the epoch is the same: an old position would name another block")
	}
	again := j.Epoch()
	shut(t, j)
	j = open(t, dir)
	if j.Epoch() != again || len(replay(t, j)) != len(got) {
		t.Error("the loss was found a second time")
	}
}
