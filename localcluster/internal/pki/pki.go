// Package pki makes the keys and certificates of a cluster. The certificate
// authority and the service-account key are kept between starts, so that
// kubeconfigs and tokens stay valid; everything else is made anew at each start.
package pki

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"net"
	"path/filepath"
	"time"
)

const (
	caLifetime   = 10 * 365 * 24 * time.Hour
	leafLifetime = 365 * 24 * time.Hour
	// backdate lets clients with a clock that is a little behind accept a new certificate.
	backdate = 5 * time.Minute
)

// Pair is a certificate and its private key, both PEM.
type Pair struct {
	Cert, Key []byte
}

// Authority signs the certificates of one cluster. It may be used from several
// goroutines.
type Authority struct {
	cert    *x509.Certificate
	certPEM []byte
	key     crypto.Signer
	dir     string
}

// Load reads the authority kept in dir, or makes one there.
func Load(dir string) (*Authority, error) {
	a := &Authority{dir: dir}
	found, err := a.read()
	if err != nil {
		return nil, fmt.Errorf("reading the certificate authority in %s (remove that folder to make a new one): %w", dir, err)
	}
	if found {
		return a, nil
	}
	if err := a.create(); err != nil {
		return nil, fmt.Errorf("making the certificate authority: %w", err)
	}
	return a, nil
}

// CertPEM is the authority's own certificate.
func (a *Authority) CertPEM() []byte { return a.certPEM }

// CertFile is the file of the authority's own certificate.
func (a *Authority) CertFile() string { return filepath.Join(a.dir, "ca.crt") }

// Client makes a certificate for a Kubernetes user in the given groups.
func (a *Authority) Client(user string, groups ...string) (Pair, error) {
	return a.issue(&x509.Certificate{
		Subject:     pkix.Name{CommonName: user, Organization: groups},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
}

// Server makes a certificate for the API server and returns its two files.
func (a *Authority) Server(hosts []string, ips []net.IP) (certFile, keyFile string, err error) {
	pair, err := a.issue(&x509.Certificate{
		Subject:     pkix.Name{CommonName: "kube-apiserver"},
		DNSNames:    hosts,
		IPAddresses: ips,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	})
	if err != nil {
		return "", "", err
	}
	certFile, keyFile = filepath.Join(a.dir, "apiserver.crt"), filepath.Join(a.dir, "apiserver.key")
	if err := writePrivate(certFile, pair.Cert); err != nil {
		return "", "", err
	}
	return certFile, keyFile, writePrivate(keyFile, pair.Key)
}

func (a *Authority) create() error {
	key, err := newKey()
	if err != nil {
		return err
	}
	template, err := fill(&x509.Certificate{
		Subject:               pkix.Name{CommonName: "localcluster-ca"},
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}, caLifetime)
	if err != nil {
		return err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return err
	}
	return a.store(der, key)
}

func (a *Authority) issue(template *x509.Certificate) (Pair, error) {
	name := template.Subject.CommonName
	key, err := newKey()
	if err != nil {
		return Pair{}, fmt.Errorf("making a key for %s: %w", name, err)
	}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	if template, err = fill(template, leafLifetime); err != nil {
		return Pair{}, fmt.Errorf("making a certificate for %s: %w", name, err)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	if err != nil {
		return Pair{}, fmt.Errorf("signing the certificate of %s: %w", name, err)
	}
	keyPEM, err := encodeKey(key)
	if err != nil {
		return Pair{}, err
	}
	return Pair{Cert: encodeCert(der), Key: keyPEM}, nil
}

// fill sets what every certificate has: a random serial number and its validity.
func fill(c *x509.Certificate, lifetime time.Duration) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, err
	}
	now := time.Now()
	c.SerialNumber = serial
	c.NotBefore, c.NotAfter = now.Add(-backdate), now.Add(lifetime)
	return c, nil
}

func newKey() (crypto.Signer, error) {
	return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
}
