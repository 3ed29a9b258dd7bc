package main

import (
	"bytes"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func itoa(n int) string { return strconv.Itoa(n) }

// expectFailure runs "localcluster up" and expects that it ends by itself.
func expectFailure(t *testing.T, status int, message string, args ...string) {
	t.Helper()
	cmd := exec.Command(binary, append([]string{"up"}, args...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != status {
		t.Errorf("up %v: %v, want exit status %d; standard error:\n%s", args, err, status, &stderr)
	}
	if !strings.Contains(stderr.String(), message) {
		t.Errorf("up %v: standard error lacks %q:\n%s", args, message, &stderr)
	}
	if stdout.Len() > 0 {
		t.Errorf("up %v: standard output has %q, want nothing", args, &stdout)
	}
}

func TestUsageErrors(t *testing.T) {
	for _, c := range []struct {
		message string
		args    []string
	}{
		{"unknown flag: --prot", []string{"--prot", "1"}},
		{`unexpected argument "now"`, []string{"now"}},
		{"--data is empty", []string{"--data", ""}},
		{"--data and --ephemeral exclude each other", []string{"--data", "x", "--ephemeral"}},
		{"--port 70000 is not a port", []string{"--port", "70000"}},
		{`invalid argument "x" for "--port"`, []string{"--port", "x"}},
		{"--nodes -1 is out of range: use 0 to 100", []string{"--nodes", "-1"}},
		{"--nodes 101 is out of range", []string{"--nodes", "101"}},
		{"--controllers is empty", []string{"--controllers", ""}},
		{`--tracing-endpoint "http://x" is not host:port`, []string{"--tracing-endpoint", "http://x"}},
		{`--tracing-endpoint ":4317" is not host:port`, []string{"--tracing-endpoint", ":4317"}},
		{"--tracing-sampling -1 is out of range: use 0 to 1000000", []string{"--tracing-sampling", "-1"}},
		{"--tracing-sampling 1000001 is out of range", []string{"--tracing-sampling", "1000001"}},
		{"--tracing-sampling is set, but nothing gets the spans", []string{"--tracing-sampling", "1"}},
	} {
		expectFailure(t, 2, c.message, c.args...)
	}
}

func TestPortTaken(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	port := itoa(l.Addr().(*net.TCPAddr).Port)
	expectFailure(t, 1, "port "+port+" of 127.0.0.1 is taken by another program: name another one with --port", "--port", port)
}

func TestDataFolderErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	meta := func(name, text string) string { return filepath.Dir(write(name+"/localcluster.json", text)) }
	file := write("file", "")
	for _, c := range []struct{ message, path string }{
		{"is a file: name a folder with --data", file},
		{"a part of this path is a file", filepath.Join(file, "data")},
		{"newer localcluster (format 9, this one knows 1)", meta("format", `{"format":9,"kubernetes":"v1.37.2"}`)},
		{"data of a newer Kubernetes (v1.99.0", meta("newer", `{"format":1,"kubernetes":"v1.99.0"}`)},
		{"data of an older Kubernetes (v1.20.0", meta("older", `{"format":1,"kubernetes":"v1.20.0"}`)},
		{"localcluster.json is damaged", meta("damaged", `{`)},
		{"localcluster.json is damaged (format 0)", meta("empty", `{}`)},
		{"reading the certificate authority", filepath.Dir(filepath.Dir(write("ca/pki/ca.crt", "no certificate")))},
	} {
		expectFailure(t, 1, c.message, "--data", c.path)
	}
}

func TestUnwritableFolder(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may write everywhere")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	expectFailure(t, 1, "name a folder you may write to with --data", "--data", dir)
	expectFailure(t, 1, "name a folder you may write to with --data", "--data", filepath.Join(dir, "sub"))
	expectFailure(t, 1, "name a path in a folder you may write to with --kubeconfig", "--kubeconfig", filepath.Join(dir, "config"))
}

func TestKubeconfigErrors(t *testing.T) {
	dir := t.TempDir()
	foreign := filepath.Join(dir, "config")
	if err := os.WriteFile(foreign, []byte("apiVersion: v1\nkind: Config\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(dir, "none")
	for _, c := range []struct{ message, path string }{
		{"the folder " + missing + " does not exist: make it", filepath.Join(missing, "config")},
		{"was not written by localcluster and is left as it is", foreign},
		{"is a folder: name a file in it", dir},
		{"is not a folder: name another path", filepath.Join(foreign, "config")},
	} {
		expectFailure(t, 1, c.message, "--kubeconfig", c.path)
	}
}

func TestDamagedEtcdSaysWhatToDo(t *testing.T) {
	data := t.TempDir()
	snap := filepath.Join(data, "etcd", "member", "snap")
	if err := os.MkdirAll(snap, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(snap, "db"), []byte("no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	expectFailure(t, 1, "if its data is damaged, remove "+data+" to start anew", "--data", data)
	expectFailure(t, 1, "\n  panic: failed to open database", "--data", data)
}

func TestFlagOfAPartThatIsWrongShowsItsLog(t *testing.T) {
	expectFailure(t, 1, "unknown flag: --nonsense", "--nodes", "0", "--apiserver-flag", "--nonsense=1")
}
