package pki

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

func (a *Authority) keyFile() string { return filepath.Join(a.dir, "ca.key") }

// read loads the kept authority; found is false when there is none, or when the
// kept one ends within the lifetime of the certificates it would sign.
func (a *Authority) read() (found bool, err error) {
	certPEM, err := os.ReadFile(a.CertFile())
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if a.cert, err = decodeCert(certPEM); err != nil {
		return false, fmt.Errorf("ca.crt: %w", err)
	}
	if time.Until(a.cert.NotAfter) < leafLifetime {
		return false, nil
	}
	if a.key, err = readKey(a.keyFile()); err != nil {
		return false, fmt.Errorf("ca.key: %w", err)
	}
	a.certPEM = certPEM
	return true, nil
}

func (a *Authority) store(der []byte, key crypto.Signer) error {
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return err
	}
	keyPEM, err := encodeKey(key)
	if err != nil {
		return err
	}
	a.cert, a.key, a.certPEM = cert, key, encodeCert(der)
	// The certificate is written last: it is what read looks for first, so a stop
	// in between leaves nothing that looks complete.
	if err := writePrivate(a.keyFile(), keyPEM); err != nil {
		return err
	}
	return writePrivate(a.CertFile(), a.certPEM)
}

// ServiceAccountKey returns the file of the key that signs service-account
// tokens, and makes it in dir when there is none.
func ServiceAccountKey(dir string) (string, error) {
	path := filepath.Join(dir, "service-account.key")
	_, err := readKey(path)
	if err == nil {
		return path, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("reading the service-account key %s (remove it to make a new one): %w", path, err)
	}
	key, err := newKey()
	if err != nil {
		return "", fmt.Errorf("making the service-account key: %w", err)
	}
	keyPEM, err := encodeKey(key)
	if err != nil {
		return "", err
	}
	return path, writePrivate(path, keyPEM)
}

func readKey(path string) (crypto.Signer, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(raw)
	if block == nil {
		return nil, errors.New("no PEM block")
	}
	return x509.ParseECPrivateKey(block.Bytes)
}

func decodeCert(raw []byte) (*x509.Certificate, error) {
	block, _ := pem.Decode(raw)
	if block == nil {
		return nil, errors.New("no PEM block")
	}
	return x509.ParseCertificate(block.Bytes)
}

func encodeCert(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

func encodeKey(key crypto.Signer) ([]byte, error) {
	ec, ok := key.(*ecdsa.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("encoding a key of type %T", key)
	}
	der, err := x509.MarshalECPrivateKey(ec)
	if err != nil {
		return nil, fmt.Errorf("encoding a key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), nil
}

// writePrivate writes a file that only its owner may read, by renaming, so that a
// reader never sees half of it.
func writePrivate(path string, data []byte) error {
	tmp := path + ".new"
	if err := os.WriteFile(tmp, data, 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}
