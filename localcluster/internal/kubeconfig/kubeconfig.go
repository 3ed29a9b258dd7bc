// Package kubeconfig writes the file with which kubectl and client-go reach the
// cluster, and never replaces one that localcluster did not write.
package kubeconfig

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/reconcile-tracer/tracer/localcluster/internal/pki"
)

// header marks the files that may be replaced at the next start.
const header = "# Written by localcluster. It is replaced at each start.\n"

// User is one user of the file; its context has the same name.
type User struct {
	Name string
	pki.Pair
}

// Check reports why a kubeconfig cannot be written to path, or nil: its folder
// must exist and a file that is there must be one of ours.
func Check(path string) error {
	dir := filepath.Dir(path)
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("kubeconfig %s: the folder %s does not exist: make it, or name another path with --kubeconfig", path, dir)
	case err != nil:
		return fmt.Errorf("kubeconfig %s: %w", path, err)
	case !info.IsDir():
		return fmt.Errorf("kubeconfig %s: %s is not a folder: name another path with --kubeconfig", path, dir)
	}
	if err := checkWritable(dir); err != nil {
		return fmt.Errorf("kubeconfig %s: %w: name a path in a folder you may write to with --kubeconfig", path, err)
	}
	return checkExisting(path)
}

func checkWritable(dir string) error {
	probe, err := os.CreateTemp(dir, ".kubeconfig-")
	if err != nil {
		return err
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

func checkExisting(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("kubeconfig: %w", err)
	}
	if info.IsDir() {
		return fmt.Errorf("kubeconfig %s is a folder: name a file in it with --kubeconfig", path)
	}
	old, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("kubeconfig: %w", err)
	}
	if len(old) > 0 && !bytes.HasPrefix(old, []byte(header)) {
		return fmt.Errorf("kubeconfig %s was not written by localcluster and is left as it is: name another path with --kubeconfig", path)
	}
	return nil
}

// Write writes a kubeconfig for the server with one context for each user; the
// first is the current one. The file is readable by its owner only and appears
// whole or not at all.
func Write(path, server string, ca []byte, users ...User) error {
	cfg := api.NewConfig()
	cfg.Clusters["localcluster"] = &api.Cluster{Server: server, CertificateAuthorityData: ca}
	for _, u := range users {
		cfg.AuthInfos[u.Name] = &api.AuthInfo{ClientCertificateData: u.Cert, ClientKeyData: u.Key}
		cfg.Contexts[u.Name] = &api.Context{Cluster: "localcluster", AuthInfo: u.Name}
	}
	cfg.CurrentContext = users[0].Name
	raw, err := clientcmd.Write(*cfg)
	if err != nil {
		return fmt.Errorf("writing the kubeconfig: %w", err)
	}
	return replace(path, append([]byte(header), raw...))
}

func replace(path string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".kubeconfig-")
	if err != nil {
		return fmt.Errorf("writing the kubeconfig: %w", err)
	}
	_, werr := tmp.Write(data)
	if err := errors.Join(werr, tmp.Close()); err != nil {
		return errors.Join(fmt.Errorf("writing the kubeconfig: %w", err), os.Remove(tmp.Name()))
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return errors.Join(fmt.Errorf("writing the kubeconfig: %w", err), os.Remove(tmp.Name()))
	}
	return nil
}

// Client returns the client configuration of one user, for use in this process.
func Client(server string, ca []byte, user pki.Pair) *rest.Config {
	return &rest.Config{
		Host: server,
		TLSClientConfig: rest.TLSClientConfig{
			CAData:   ca,
			CertData: user.Cert,
			KeyData:  user.Key,
		},
	}
}
