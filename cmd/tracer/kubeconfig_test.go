package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestKubeconfigThatMayNotBeRead(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	path := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(path, []byte("apiVersion: v1\nkind: Config\n"), 0o000); err != nil {
		t.Fatal(err)
	}
	want := "kubeconfig " + path + ": it may not be read by this user (chmod it"
	if _, err := (cluster{kubeconfig: path}).config(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("by flag: %v, want %q", err, want)
	}
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "missing")+string(os.PathListSeparator)+path)
	if _, err := (cluster{}).config(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("by KUBECONFIG: %v, want %q", err, want)
	}
}
