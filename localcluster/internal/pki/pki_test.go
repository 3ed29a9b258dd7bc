package pki

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"os"
	"path/filepath"
	"testing"
)

func TestCertificatesOfTwoStartsTrustEachOther(t *testing.T) {
	dir := t.TempDir()
	first, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	second, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	certFile, keyFile, err := second.Server([]string{"localhost"}, []net.IP{net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	server, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		t.Fatal(err)
	}
	verify(t, first, server.Leaf, x509.VerifyOptions{DNSName: "127.0.0.1"})

	pair, err := first.Client("someone", "group-a", "group-b")
	if err != nil {
		t.Fatal(err)
	}
	client, err := tls.X509KeyPair(pair.Cert, pair.Key)
	if err != nil {
		t.Fatal(err)
	}
	verify(t, second, client.Leaf, x509.VerifyOptions{KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	if s := client.Leaf.Subject; s.CommonName != "someone" || len(s.Organization) != 2 {
		t.Errorf("subject is %v, want someone in two groups", s)
	}
}

func verify(t *testing.T, a *Authority, cert *x509.Certificate, opts x509.VerifyOptions) {
	t.Helper()
	opts.Roots = x509.NewCertPool()
	opts.Roots.AppendCertsFromPEM(a.CertPEM())
	if _, err := cert.Verify(opts); err != nil {
		t.Error(err)
	}
}

func TestServiceAccountKeyIsKept(t *testing.T) {
	dir := t.TempDir()
	read := func() string {
		path, err := ServiceAccountKey(dir)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	if first, second := read(), read(); first != second {
		t.Error("the key changed between two starts")
	}
}

func TestEveryFileIsPrivate(t *testing.T) {
	dir := t.TempDir()
	a, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := a.Server(nil, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := ServiceAccountKey(dir); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 5 {
		t.Fatalf("files are %v (%v), want 5", files, err)
	}
	for _, f := range files {
		if info, err := f.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v (%v), want 0600", f.Name(), info.Mode(), err)
		}
	}
}

func TestDamagedFilesAreNamed(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"ca.crt", "service-account.key"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Load(dir); err == nil {
		t.Error("a damaged ca.crt was read")
	}
	if _, err := ServiceAccountKey(dir); err == nil {
		t.Error("a damaged service-account key was read")
	}
}
