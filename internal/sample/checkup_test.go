package main

import (
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
	"k8s.io/client-go/rest"
)

// A check-up that cannot be started leaves nothing that runs.
func TestCheckupThatDoesNotStart(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("word\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg := &rest.Config{Host: "https://127.0.0.1:1", TLSClientConfig: rest.TLSClientConfig{CAFile: filepath.Join(t.TempDir(), "none")}}
	if stop, err := runCheckup(t.Context(), cfg, "http://127.0.0.1:1", token); err == nil {
		stop()
		t.Error("it was started without the cluster's certificate")
	}
}
