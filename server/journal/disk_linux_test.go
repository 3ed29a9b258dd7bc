package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// smallDisk mounts a disk in memory, which only root may.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("a small disk cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fill takes all that is left on a disk, and returns the file that it is in.
func fill(t *testing.T, dir string) string {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for size := 64 << 10; size > 0; size /= 2 {
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, size))
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
	}
	return f.Name()
}

func TestFullDiskIsToldAndGotOver(t *testing.T) {
	dir := smallDisk(t, "16m")
	blocks := make(chan Block, 1000)
	j := open(t, filepath.Join(dir, "data"), func(c *Config) {
		c.Retry = 20 * time.Millisecond
		c.OnBlock = func(b Block) { blocks <- b }
	})
	add(t, j, "before")
	filler := fill(t, dir)
	var want []string
	for b := range blocks {
		for _, r := range b.Records {
			want = append(want, fmt.Sprint(b.Offset, " ", string(r.Payload)))
		}
		err := j.Append(t.Context(), Record{Kind: KindTraces, Payload: []byte(strings.Repeat("x", 8<<10))})
		if err == nil {
			continue
		}
		if !strings.Contains(err.Error(), "no space left") || j.Check() == nil {
			t.Errorf("error is %v, readiness %v; want both to say that the disk is full", err, j.Check())
		}
		break
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	for j.Check() != nil {
		<-blocks // what mends it writes a block
	}
	add(t, j, "after")
	got := replay(t, j)
	if diff := cmp.Diff(want, got[:min(len(want), len(got))]); diff != "" || !strings.HasSuffix(got[len(got)-1], " after") {
		t.Errorf("what was acknowledged is not there (-want +got):\n%s\nlast %.20q", diff, got[len(got)-1])
	}
}
