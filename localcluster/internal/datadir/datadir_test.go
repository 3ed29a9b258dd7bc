package datadir

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/reconcile-tracer/tracer/localcluster/internal/version"
)

// cancelled is a context that grants no patience.
func cancelled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func TestLockIsExclusiveAndGivenBack(t *testing.T) {
	path := t.TempDir() + "/lock"
	first, err := acquire(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := acquire(cancelled(), path); err == nil || !strings.Contains(err.Error(), "locked by another localcluster (process ") {
		t.Errorf("second lock gives %v, want that it is locked and by which process", err)
	}
	_ = first.Close()
	again, err := acquire(cancelled(), path)
	if err != nil {
		t.Fatalf("after the first was closed: %v", err)
	}
	_ = again.Close()
}

func TestWaitingLockIsTakenOnceItIsFree(t *testing.T) {
	path := t.TempDir() + "/lock"
	first, err := acquire(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan error, 1)
	go func() {
		second, err := acquire(t.Context(), path)
		if err == nil {
			err = second.Close()
		}
		got <- err
	}()
	_ = first.Close()
	if err := <-got; err != nil {
		t.Errorf("waiting for the lock: %v", err)
	}
}

func TestMetaCheck(t *testing.T) {
	for name, c := range map[string]struct {
		meta meta
		want string
	}{
		"same":              {meta{Format: 1, Kubernetes: "v1.37.0"}, ""},
		"one older":         {meta{Format: 1, Kubernetes: "v1.36.9"}, ""},
		"two older":         {meta{Format: 1, Kubernetes: "v1.35.0"}, "an older Kubernetes (v1.35.0, this one is v1.37.2)"},
		"newer":             {meta{Format: 1, Kubernetes: "v1.38.0"}, "a newer Kubernetes (v1.38.0"},
		"other major":       {meta{Format: 1, Kubernetes: "v2.37.0"}, "a newer Kubernetes (v2.37.0"},
		"newer format":      {meta{Format: 2, Kubernetes: "v1.37.2"}, "newer localcluster (format 2"},
		"no format":         {meta{Kubernetes: "v1.37.2"}, "damaged (format 0)"},
		"no version":        {meta{Format: 1}, `damaged (version "" is not`},
		"not a version":     {meta{Format: 1, Kubernetes: "v1.x"}, `damaged (version "v1.x" is not`},
		"newer format wins": {meta{Format: 2, Kubernetes: "x"}, "newer localcluster"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if err := c.meta.check("v1.37.2"); err != nil {
				got = err.Error()
			}
			if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
				t.Errorf("check says %q, want %q", got, c.want)
			}
		})
	}
}

func TestCanRead(t *testing.T) {
	own := version.Minor{Major: 1, Minor: 37}
	for stored, want := range map[version.Minor]bool{
		{Major: 1, Minor: 38}: false, {Major: 1, Minor: 37}: true,
		{Major: 1, Minor: 36}: true, {Major: 1, Minor: 35}: false, {Major: 2, Minor: 37}: false,
	} {
		if got := own.CanRead(stored); got != want {
			t.Errorf("1.37 can read %d.%d is %v, want %v", stored.Major, stored.Minor, got, want)
		}
	}
}

func TestTemporaryFolderGoes(t *testing.T) {
	if version.Kubernetes() == "unknown" {
		t.Skip("this test binary does not list its modules")
	}
	t.Setenv("TMPDIR", t.TempDir())
	d, err := OpenTemporary(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(d.Path()); !os.IsNotExist(err) {
		t.Errorf("the folder is still there: %v", err)
	}
}
